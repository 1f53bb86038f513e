// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_FCLIB_FILE_H
#define MOREAU_EXCHANGE_FCLIB_FILE_H

#include "exchange/projection_data.h"

/// Contact problems of FCLib 3.1 (HDF5), without their friction: mu and the tangential rows and columns are set aside.
///     global:  M v = H r + f,  u = Hᵀv + w;   U = M⁻¹f,  B = -H_Nᵀ,  b = w_N,  u of ours is v, p is r_N
///     local:   u = W r + q;                   U = 0,  b = q_N,  B a factor of W_NN = BBᵀ, M = 1; p is r_N
/// N: the entries 0, d, 2d, ... of contacts in dimension d. With 0 <= u_N ⊥ r_N >= 0.
namespace moreau::exchange
{
/// A problem, and the solution that is in the file. A global one has u and p; of a local one p only counts, for its B is not
/// unique. Tangential impulses of the solution count as an error (Answer::beside). Throws where arrays do not fit together,
/// where the file holds no problem of FCLib, or bilateral constraints (G, V, R), and where libhdf5 dies of it, which a
/// process of its own finds out before.
ProblemFile read_fclib(const std::string &file);

/// A global problem with contacts of dimension 2 and mu = 0, whose tangential columns of H are zero; the answer is its
/// solution. Replaces the file. Throws std::runtime_error where it cannot be written.
void write_fclib(const ProblemFile &contents, const std::string &file);
} // namespace moreau::exchange

#endif
