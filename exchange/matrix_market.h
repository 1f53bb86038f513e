// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_MATRIX_MARKET_H
#define MOREAU_EXCHANGE_MATRIX_MARKET_H

#include "exchange/projection_data.h"

#include <filesystem>

/// A folder of Matrix Market files (text): B.mtx and U.mtx, M.mtx and b.mtx where they are not 1 and 0, u.mtx and p.mtx with
/// an answer. Matrices are `coordinate` or `array`, `real` or `integer`, `general` or `symmetric`; vectors have one column.
namespace moreau::exchange
{
/// Throws where B.mtx or U.mtx is missing, or a file is no matrix of this format.
ProblemFile read_matrix_market_problem(const std::filesystem::path &folder);

/// u.mtx, p.mtx or both.
Answer read_matrix_market_answer(const std::filesystem::path &folder);

/// Makes the folder and writes the files that the contents fill; others in it stay. Throws std::runtime_error where that is
/// not possible.
void write_matrix_market(const ProblemFile &contents, const std::filesystem::path &folder);
} // namespace moreau::exchange

#endif
