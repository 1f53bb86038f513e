// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_EXCHANGE_SPHERE_FILE_H
#define MOREAU_EXCHANGE_SPHERE_FILE_H

#include "micro/spheres.h"

#include <iosfwd>
#include <string>
#include <vector>

/// Spheres in the files of other programs. What they hold besides centre, radius, mass and velocity is left out of account.
namespace moreau::exchange
{
using Eigen::Index;
using Vector = Eigen::VectorXd;

/// What a file does not say of itself.
struct SphereConventions
{
  Index dimension = 0; ///< 2 or 3 (1 for CSV files, too); 0: what the file is taken to be, below
  /// Of LAMMPS, in files that do not name theirs: si, cgs, micro, nano, lj (taken as SI); empty: SI. Readers throw
  /// InputError for others than the file names, and for formats that are always in SI.
  std::string units;
};

/// Throws InputError where other units than SI are asked for of a file that is in SI always.
void require_si(const std::string &file, const SphereConventions &conventions);

/// Throws InputError where spheres do not lie in the plane (2) or on the line (1) that is asked for: where coordinates
/// beyond `dim` are not those of the first sphere, or velocities beyond it are not 0.
///   x, v   a column for each sphere; v may have none
void require_dimension(const Eigen::Ref<const Eigen::Matrix3Xd> &x, const Eigen::Ref<const Eigen::Matrix3Xd> &v, Index dim,
                       const std::string &file);

/// What a file of spheres holds, in SI units.
struct SphereFile
{
  micro::SphereFile contents;
  std::string       remark; ///< what was assumed or left out, in sentences; may be empty

  /// Of pictures of an impact: the velocity before it, which is the one to project; contents.U is the one after it. Else
  /// length 0.
  Vector before = {};

  std::vector<double> ids = {}; ///< of pictures that say which spheres are left, from 0; else empty

  bool is_picture = false; ///< of a run, which may have had walls and a period
};

/// A data file of LAMMPS (write_data) with `atom_style sphere`: id type diameter density x y z, and Velocities. With all
/// z alike and no velocity along z it is taken as plane. The mass is density times the volume of a ball, in the plane, too.
SphereFile read_lammps_data(const std::string &file, const SphereConventions &conventions);

/// The last snapshot of a dump of LAMMPS: columns x y z (or xu yu zu), radius or diameter, mass or density (else density 1),
/// and vx vy vz (in the plane vx vy will do), in any order; spheres by their id where that is a column. Sides at which the
/// box repeats itself are no contacts; the remark says so where spheres reach across them.
SphereFile read_lammps_dump(const std::string &file, const SphereConventions &conventions);

/// A picture that moreau wrote (spheres_0000.vtp, or spheres_0000.pvtp with the pieces that it names): radius, mass, u (or U
/// where there is no u) and U; id where it is there. The remark says where the file is a piece of a picture.
SphereFile read_vtp(const std::string &file, const SphereConventions &conventions);

/// CSV, or columns between blanks or tabs: doc/formats.md. In one dimension where there is no y, in the plane without z.
SphereFile read_sphere_csv(const std::string &file, const SphereConventions &conventions);

/// Units si; in the plane z = 0. U may have length 0: at rest.
std::string lammps_data(const micro::Spheres &spheres, const Vector &U);

/// One snapshot of a dump; `time` in s. Atoms have the ids of the file, from 1.
void write_lammps_dump(std::ostream &out, const SphereFile &spheres, long long step, double time);
} // namespace moreau::exchange

#endif
