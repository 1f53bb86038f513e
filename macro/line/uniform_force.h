// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_LINE_UNIFORM_FORCE_H
#define MOREAU_MACRO_LINE_UNIFORM_FORCE_H

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

namespace moreau::macro
{
/// A force per unit mass f(t) that is the same everywhere (m/s²), and what it does to free bodies: u' = f, x' = u.
///
/// One that varies is replaced by polynomials of degree 7 through Chebyshev points, on intervals that are halved until they
/// are f at points between to 1e-13 of its largest value there; where halving helps little, as at kinks and where f is known
/// no better, to 1e-9; a jump is within 1e-12 of `interval`. The integrals of these polynomials are exact, and so are their
/// roots to rounding.
class UniformForce
{
public:
  explicit UniformForce(double constant = 0.) : constant(constant) {}

  /// f is looked at 16 times or more in each `interval` (s), from t = 0 on.
  UniformForce(std::function<double(double t)> f, double interval);

  bool   varies() const { return static_cast<bool>(f); }
  double interval() const { return length; }
  double end_of_interval(double t) const; ///< of the one that holds t and ends after it; where f varies

  /// The following can be asked for times up to t. Throws what f does, and InputError("the force", ...) where it is not
  /// finite or would need too many pieces.
  void prepare(double t);

  double value(double t) const;
  double velocity(double from, double to) const;      ///< ∫f dt (m/s)
  double way(double u, double from, double to) const; ///< of a body that has velocity u at `from` (m)

  /// Where f varies, in [t, end_of_interval(t)), which must be prepared; infinity where there is none:
  /// the first time at which a gap g + ws + sign ∬f ds ds (s from t on, g >= 0) closes while it gets narrower,
  double meeting(double t, double g, double w, double sign) const;
  /// and the first time from which on sign f > 0.
  double pull(double t, double sign) const;

private:
  static constexpr std::size_t n_points = 8;
  using Coefficients                    = std::array<double, n_points>;

  /// f = Σ c_k x^k, x = (t - middle)/half.
  struct Piece
  {
    double       begin, end;
    Coefficients c;
    double       velocity, way; ///< ∫f and ∬f from 0 to `begin`

    double middle() const { return .5 * (begin + end); }
    double half() const { return .5 * (end - begin); }
  };

  void         add_interval();
  void         add_pieces(double begin, double end, double error_before, int depth);
  const Piece &piece_at(double t) const;
  double       velocity_since_start(double t) const;
  double       way_since_start(double t) const; ///< of what is at rest at t = 0

  double                        constant = 0.;
  std::function<double(double)> f;
  double                        length      = 0.;
  std::size_t                   n_intervals = 0, allowed = 0; ///< pieces, until the end of the next interval
  std::vector<Piece>            pieces;
};
} // namespace moreau::macro

#endif
