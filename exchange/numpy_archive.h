// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_NUMPY_ARCHIVE_H
#define MOREAU_EXCHANGE_NUMPY_ARCHIVE_H

#include "exchange/projection_data.h"

/// Archives of numpy.savez and numpy.savez_compressed: U, b (may be left out), u and p (an answer, may be left out), B, M
/// (may be left out; one number per unknown is its diagonal). A matrix A is a two-dimensional array, or the arrays A_data,
/// A_indices, A_indptr, A_shape of scipy's CSR matrices.
namespace moreau::exchange
{
/// A problem, and the answer that is with it. Throws where the file is no such archive.
ProblemFile read_numpy_problem(const std::string &file);

/// u and p of an archive, one of which may be missing.
Answer read_numpy_answer(const std::string &file);

/// Replaces the file. Throws std::runtime_error where it cannot be written.
void write_numpy(const ProblemFile &contents, const std::string &file);
} // namespace moreau::exchange

#endif
