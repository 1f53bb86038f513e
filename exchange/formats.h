// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_FORMATS_H
#define MOREAU_EXCHANGE_FORMATS_H

#include "exchange/projection_data.h"
#include "exchange/sphere_file.h"

#include <string>

/// Which file is what, by the ends of names:
///     projections   .npz, a folder of .mtx files (a name without an end, or one that is a folder), .hdf5 .h5 (FCLib)
///     spheres       .csv .txt .dat, .data .lmp (LAMMPS), .dump .lammpstrj (LAMMPS), .vtp, .pvtp and .pvd (to read; the
///                   last picture of a .pvd, all of them where they become a dump)
namespace moreau::exchange
{
/// What a file holds.
enum class Kind
{
  projection,
  spheres
};

/// Throws InputError with the ends that are known.
Kind kind_of(const std::string &file);

/// A projection, and the answer that is with it. Throws InputError where the file cannot be read as its name says, and for
/// what is wrong in it.
ProblemFile read_problem(const std::string &file);

/// u, p or both: of a projection's file, or of another .npz or folder with u or p only.
Answer read_answer(const std::string &file);

/// Whether all moments of a run are converted (write_trajectory), not the last one.
bool is_motion(const std::string &from, const std::string &to);

/// Spheres of any of the formats above. Throws as read_problem() does.
SphereFile read_spheres(const std::string &file, const SphereConventions &conventions);

/// The projection of one impact: the contacts of the spheres, found as those of .prm files are, their masses and velocities,
/// those before the impact where a picture has both.
ProblemFile problem_of(const SphereFile &spheres);

/// The kind is told by the name. Throws std::runtime_error where the file cannot be written, InputError where this kind of
/// file cannot hold the contents.
void write_problem(const ProblemFile &contents, const std::string &file);

/// The same for spheres.
void write_spheres(const SphereFile &spheres, const std::string &file);
} // namespace moreau::exchange

#endif
