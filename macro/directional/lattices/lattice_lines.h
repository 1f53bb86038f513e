// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_DIRECTIONAL_LATTICES_LATTICE_LINES_H
#define MOREAU_MACRO_DIRECTIONAL_LATTICES_LATTICE_LINES_H

#include "macro/directional/lattices/line_velocity.h"
#include "macro/total_bound.h"

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace moreau::macro
{
/// Pressures on the lines of a zone that end where the zone ends, as good as can be.
///
/// A point stands for the piece of each of its lines up to the middle between it and its neighbours, or up to the end
/// of the zone. p_k is linear on these pieces, 0 at free ends, >= 0: u_p = U - Σ e_k s_k with the slopes s_k. Where a
/// line ends the point is not in the middle of its piece: there p_k is quadratic, bent as much as from the piece
/// before, and s_k is its slope at the point (else η would be off by order h^1.5). The best p makes
///     η² = Σ_q w_q |v - u_p|²(q) + 2 Σ_k A ∫ p_k ∂_{e_k}(v·e_k) - 2 ∫_wall q v·n     (A: width of a line)
/// least: line by line this is an isotonic regression, and direction after direction again and again (Dykstra's
/// algorithm) tends to the least of all; bends stay meanwhile, else the order of the directions would decide which p
/// is found. Where every w_q were A times the length of each of the pieces, v would drop out; in cut cells w_q is not,
/// and the v in both terms is what an offset of the data stands for (left out, it costs η² a part of order h).
///
/// Why η is not below the error but for quadrature: p is admissible up to the boundary and v is, so all terms are >=
/// 0 and η² would be a bound if the first one were an integral. It is exact for smooth p up to order h^2, and p is
/// the best among the points, so that η is at least the distance of v to the law of a lattice as fine as these. The
/// law on a lattice m times as fine as the mesh errs by 1/m of what v does where both have order 1, and η is divided
/// by 1 - 1/m. What the points do not see of v between them, and in cut cells, where v errs most, beside them, is
/// added: the integral of |v - f|² minus its sum over points, cell by cell and where positive, f the linear function
/// closest to u_p around.
template <int dim>
class LatticeLines
{
public:
  using Point = Eigen::Matrix<double, dim, 1>;
  /// p_k at a point (m²/s).
  using Pressure = std::function<double(const Point &at, int k)>;
  using Velocity = LineVelocity<dim>;

  /// Where v opens between two points next to each other on a line along e_k: parts of the way, from ... to; pressures end
  /// there, as they do where the zone ends.
  using Opening = std::function<std::optional<std::pair<double, double>>(const Point &from, const Point &to, int k)>;

  /// start: p_k to begin with. at_end: p_k at ends of lines, 0 where these are free; on walls Σ p_k (e_k·n) e_k = q n,
  /// q >= 0. Refers to the domain.
  LatticeLines(const Domain &domain, LinePoints<dim> points, Velocity v, const Pressure &start, const Pressure &at_end,
               const Opening &opening = {}, const Progress &progress = {});

  /// Sweeps over the directions, each with the momentum of those before it (Nesterov's; anew where η² grows), until ten
  /// gain less than 2 % of η², for given bends of p at the ends of lines and then for those that follow from it, as long as
  /// these gain; at most so many.
  void polish(int most_sweeps, const Progress &progress = {});

  /// By the points: an estimate. indicator: per cell. facts: cells, width, feasibility.
  TotalBound bound(AdmissiblePair::Facts facts) const;

  int n_sweeps() const { return sweeps; } ///< of polish()

private:
  /// The points on the lines along e_k, line after line.
  struct Family
  {
    std::vector<int>     point, run_start;
    std::vector<double>  before, behind;       ///< the piece of the point reaches so far (m)
    std::vector<double>  slope, offset;        ///< s_k on the piece, without bends; see compare_with_v() (m/s)
    std::vector<OnPiece> v;                    ///< what e_k·v does on the piece
    std::vector<double>  p_begin, p_end;       ///< per run: p_k at its ends (m²/s)
    std::vector<double>  bend_begin, bend_end; ///< per run: second derivatives of p_k on its first and last piece (1/s)
    std::unordered_map<int, double> opens_before, opens_behind; ///< by point: how far its piece reaches to an opening (m)

    Index  n_runs() const { return static_cast<Index>(run_start.size()) - 1; }
    double length(const int l) const { return before[l] + behind[l]; }
    double centre(const int l) const { return .5 * (behind[l] - before[l]); } ///< of the piece, from its point (m)
  };

  /// Of all families; one after the other.
  using Slopes = std::vector<std::vector<double>>;

  void         find_lines(int k, const Opening &opening);
  void         find_ends(int k);
  void         start(int k, const Pressure &p, const Pressure &at_end);
  void         compare_with_v(int k);
  void         sweep(int k);
  void         sweep_until_settled(int most_sweeps, const Progress &progress);
  Slopes       slopes() const;
  void         set(const Slopes &now, double part, const Slopes &before);
  void         bend_ends(int k, Index run);
  Vector       pressures(const Family &family, Index run) const;
  Vector       work(int k) const;
  double       gap_at_points() const;
  GapIntegrals integrals(Vector &indicators) const;
  int          n_directions() const { return static_cast<int>(points.e.cols()); }
  Index        n_points() const { return points.weight.size(); }

  const Domain                              &domain;
  LinePoints<dim>                            points;
  Velocity                                   v;
  Eigen::Matrix<double, dim, Eigen::Dynamic> u_p, v_at_points;
  std::vector<Family>                        families;
  int                                        sweeps = 0;
};

/// saturated_at() in blocks, by several threads.
std::vector<char> saturated_in_blocks(const Domain &domain, const Eigen::MatrixXd &x, const Progress &progress = {});
} // namespace moreau::macro

#endif
