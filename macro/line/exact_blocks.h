// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_MACRO_LINE_EXACT_BLOCKS_H
#define MOREAU_MACRO_LINE_EXACT_BLOCKS_H

#include "convex/named_arrays.h"
#include "convex/chains/isotonic_regression.h"
#include "macro/line/mass_coordinate.h"
#include "macro/line/uniform_force.h"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

/// The congested flow on the line, solved exactly where that is possible: the oracle of the finite volumes, and methods of
/// their own (for e = 0 and any density: mass_coordinate.h).
/// Lengths in m, the maximal density is 1: so a mass is a length (times the unit of density, kg/m).
namespace moreau::macro
{
/// A saturated segment that moves as a whole.
struct Block
{
  double left;  ///< m
  double width; ///< m, which is also its mass
  double u;     ///< m/s
};

/// Sums of characteristic functions of segments ("sticky blocks" for e = 0, [BM §6]): free flight between impacts; at an
/// impact the clusters of blocks that touch obey u⁺ = u⁻ - (1+e)(u⁻ - P_C u⁻), repeated until admissible. Touching
/// blocks are one cluster, but separate again if the law says so.
///
/// Contacts meet at the exact times: gaps are linear in time, or quadratic above what rests on a wall; where the force
/// varies in time, gaps to walls are its integrals, and what rests on a wall leaves it when it is pulled off. An event costs
/// O(log n) and the bodies that touch. An inelastic collapse is ended by one projection with e = 0 as soon as a contact was
/// hit repeatedly without opening by more than `touching`, or where the repetitions of one impact do not end. What separates
/// again after a near collapse of many bodies keeps an error far above rounding: it hangs on gaps that are none any more.
class ExactBlocks
{
public:
  struct Parameters
  {
    double restitution = 0.;
    double force       = 0.; ///< the same for all, constant (m/s²)
    /// Instead of it, f(t), the same for all; empty: it is constant. Looked at 16 times or more in each interval (s).
    std::function<double(double t)> force_in_time;
    double                          force_interval = 0.;
    /// Of one block in one advance(): then its cluster stays together (e = 0), and n_collapsed counts.
    unsigned int max_impacts = 100000;
    double       touching    = 1e-12; ///< gaps below this multiple of the extent count as closed
    LineWalls    walls;
  };

  /// Sorts the blocks from left to right. Blocks that touch and are pressed
  /// collide at once: blocks() are those after the impact.
  /// Throws InputError("the blocks", ...) where they overlap or are outside the walls, or a width is not
  /// positive; about their velocity, "the force" and "the restitution" where a value is not finite or outside [0, 1].
  ExactBlocks(std::vector<Block> blocks, const Parameters &parameters);

  void advance(double t); ///< to time t >= time(); throws std::invalid_argument for another t

  double                    time() const { return t; }
  const std::vector<Block> &blocks() const { return moving; } ///< from left to right, as many as at the start
  unsigned int              n_impacts() const { return impacts; }
  unsigned int              n_collapsed() const { return collapsed; } ///< clusters ended by a projection with e = 0
  /// At the start: by `touching`, wider than rounding of their ends.
  unsigned int n_closed_gaps() const { return closed_gaps; }

  /// Impacts of a contact that had not opened visibly since the one before: of endless sequences, whose last velocities are
  /// not resolved, also where they do not end as a collapse.
  unsigned int n_unseen_rebounds() const { return unseen_rebounds; }

  double kinetic_energy() const; ///< ½ Σ width u²
  double momentum() const;
  double wall_impulse() const { return impulse_of_walls; } ///< given by the walls since the start, resting blocks included
  double force_velocity() const { return force.velocity(0., t); } ///< ∫f dt since the start (m/s)
  double work() const { return work_of_force; }                   ///< of the force since the start

  convex::NamedArrays state() const;                             ///< bit for bit
  void                restore(const convex::NamedArrays &state); ///< Throws std::logic_error where it is of other blocks.

private:
  /// Blocks that stick for good: the law keeps equal neighbours equal, so that touching blocks of one velocity never
  /// separate. The first and the last body are the walls, with the blocks that rest on them.
  struct Body
  {
    std::size_t   begin, end; ///< blocks begin ... end-1
    double        left, u;    ///< at the time `since`
    double        width, since;
    bool          fixed;
    std::size_t   previous, next; ///< bodies
    std::uint64_t stamp    = 0;   ///< of the only valid event of the contact with the next body
    unsigned int  unopened = 0;   ///< successive impacts of this contact since it was open visibly; 0: never hit
    unsigned int  hits     = 0;   ///< impacts in this call of advance()
  };

  /// A body and the next one meet.
  struct Event
  {
    double        time;
    std::size_t   body;
    std::uint64_t stamp;

    bool operator>(const Event &other) const
    {
      return time > other.time || (time == other.time && body > other.body); // a total order: the same run on every machine
    }
  };

  /// What happens next at a wall where the force varies.
  enum class AtWall
  {
    look, ///< it is not known yet beyond that time
    meeting,
    release ///< of what rests on it
  };
  struct WallEvent
  {
    double time = std::numeric_limits<double>::infinity();
    AtWall what = AtWall::look;
  };

  void check() const;
  void set_up_bodies();
  void run_to(double t_end);
  void pass_time_to(double t_next);
  void impact(std::size_t contact);
  void gather(std::size_t contact, bool all_closed);
  bool note_impact();
  void apply_law(double fastest, bool collapsing);
  void project();
  void stick(std::size_t begin, std::size_t end, double fastest);
  void merge(std::size_t body);
  void schedule(std::size_t body);
  void look_at_wall(int side);
  void take_wall_event(int side);
  void release(int side);
  bool is_pulled_off(int side) const;
  void write_blocks();
  void require_consistent(const convex::NamedArrays &state) const; ///< Throws std::logic_error.

  double velocity(const Body &body) const { return body.fixed ? 0. : body.u + force.velocity(body.since, t); }
  double left_end(const Body &body) const;
  double right_end(const Body &body) const { return left_end(body) + body.width; }
  double gap(std::size_t body) const { return left_end(bodies[bodies[body].next]) - right_end(bodies[body]); }
  bool   takes_part(std::size_t body, bool all_closed) const;
  bool   sticks_to_next(std::size_t body, double resolution) const;

  std::vector<Block>  moving;
  std::vector<double> offsets; ///< widths of all blocks before one
  Parameters          parameters;
  UniformForce        force;
  std::vector<Body>   bodies;
  double              closed = 0.;        ///< m: gaps up to this are closed
  double              t = 0., until = 0.; ///< until: of the advance() at hand
  double              impulse_of_walls = 0., work_of_force = 0., initial_momentum = 0.;
  unsigned int        impacts = 0, collapsed = 0, closed_gaps = 0, unseen_rebounds = 0;
  std::uint64_t       stamps = 0;

  std::priority_queue<Event, std::vector<Event>, std::greater<Event>> events;
  std::array<WallEvent, 2>                                            at_walls; ///< left, right; never for constant forces

  // the cluster at hand: bodies from first to last, of which only these can be walls
  std::size_t              first = 0, last = 0;
  convex::LineRegression   regression;
  std::vector<std::size_t> sites;
  std::vector<double>      U, P, widths;
};

} // namespace moreau::macro

#endif
