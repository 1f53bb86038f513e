// SPDX-License-Identifier: GPL-3.0-or-later
#include "homogenization/microscopic_law.h"

#include "micro/impact_problem.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace moreau::homogenization
{
namespace
{
/// How much faster a contact closes than it may.
double excess(const Packing &packing, const micro::Contact &contact, const Vector &f)
{
  const Index dim     = packing.graph.dim;
  const auto  e       = contact.e.head(dim);
  double      closing = e.dot(f.segment(dim * contact.i, dim));
  if (!packing.graph.touches_wall(contact))
    closing -= e.dot(f.segment(dim * contact.j, dim));
  return closing - allowed_closing(packing, contact);
}

/// What every maximum of violations starts from: a velocity that is not a number is not admissible.
double least_violation(const Vector &v) { return v.allFinite() ? 0. : std::numeric_limits<double>::infinity(); }

/// The largest speed at which f closes contacts of a packing in parts, those for which counts(i, j, e) holds of the spheres
/// among the nodes of its network; j = fixed_body: a wall. At least 0.
template <class Counts>
double closing_speed(const Packing &packing, const Vector &f, const Counts &counts)
{
  const convex::ProjectionProblem &problem = packing.parts->impact.problem;
  const convex::PairConstraint    &rows    = convex::shared_network(problem)->rows();
  Vector                           closing(problem.n_constraints());
  problem.B->apply(f, closing);
  if (!problem.is_cone())
    closing -= problem.b;
  double worst = least_violation(f);
  for (Index row = 0; row < closing.size(); ++row)
    if (const auto &pair = rows.pairs()[row]; closing(row) > worst && counts(pair.i, pair.j, rows.directions().col(row)))
      worst = closing(row);
  return packing.cells.max(worst);
}

/// Whether e is one of the directions, up to sign.
template <class Direction>
bool lies_along(const Direction &e, const Eigen::MatrixXd &directions)
{
  constexpr double slack = 1e-9;
  for (Index k = 0; k < directions.cols(); ++k)
    {
      const auto e_k = directions.col(k);
      if (std::min((e - e_k).norm(), (e + e_k).norm()) <= slack)
        return true;
    }
  return false;
}

/// Area times outward normal of a face of an outline: of edge `face` in the
/// plane, of the polygon with these vertices in space.
Eigen::Vector3d area_vector(const Eigen::Map<const Eigen::MatrixXd> &outline, const Index face, const int *vertices)
{
  const Index     dim    = outline.rows();
  Eigen::Vector3d vector = Eigen::Vector3d::Zero();
  if (dim == 1)
    vector(0) = face == 0 ? -1. : 1.;
  else if (dim == 2)
    {
      const Eigen::Vector2d edge = outline.col((face + 1) % outline.cols()) - outline.col(face);
      vector.head<2>() << edge(1), -edge(0);
    }
  else
    for (int k = 2; k < vertices[0]; ++k)
      {
        const Eigen::Vector3d a = outline.col(vertices[1]), b = outline.col(vertices[k]), c = outline.col(vertices[k + 1]);
        vector += .5 * (b - a).cross(c - a);
      }
  return vector;
}

/// Whether D_i has a facet in the plane with this normal through `point`.
bool has_facet(const VoronoiCells &cells, const Index i, const Eigen::Vector3d &normal, const Vector &point)
{
  const Index     dim = cells.dimension();
  Eigen::MatrixXd corners;
  cells.simplices(i, corners);
  const double slack  = 1e-9 * (corners.rowwise().maxCoeff() - corners.rowwise().minCoeff()).norm();
  const Vector height = (corners.colwise() - point).transpose() * normal.head(dim);
  for (Index first = 0; first < corners.cols(); first += dim + 1)
    if ((height.segment(first, dim + 1).array().abs() <= slack).count() == dim)
      return true;
  return false;
}

/// Calls visit(j, area vector, a vertex) for the faces of outline i that lead to other cells.
template <class Visit>
void for_each_face(const VoronoiCells &cells, const Index i, const Visit &visit)
{
  const Index dim              = cells.dimension();
  const auto  outline          = cells.outline(i);
  const auto [neighbour, end]  = cells.neighbours(i);
  const int  *vertices_of_face = cells.faces(i).first;
  const Index n_faces          = end - neighbour;
  for (Index face = 0; face < n_faces; ++face)
    {
      const Index           first_vertex = dim == 3 ? vertices_of_face[1] : face;
      const Eigen::Vector3d area         = area_vector(outline, face, vertices_of_face);
      if (dim == 3)
        vertices_of_face += vertices_of_face[0] + 1;
      if (neighbour[face] != VoronoiCells::box)
        visit(neighbour[face], area, Vector(outline.col(first_vertex)));
    }
}

/// Which faces between two cells lie in ω, at least in part.
class FacesInZone
{
public:
  /// Of cells in parts all processes call.
  explicit FacesInZone(const VoronoiCells &cells) : cells(cells)
  {
    if (!cells.in_parts())
      return;
    const SpheresHere          &here      = cells.spheres();
    const geometry::Processes  &processes = cells.processes();
    const parallel::Blocks      blocks{cells.count(cells.size()), parallel::SharingOptions().block_size};
    std::vector<parallel::List> to(processes.size());
    for (Index j = 0; j < cells.size(); ++j)
      if (cells.has_pieces(j))
        for_each_face(cells, j, [&](const Index i, const Eigen::Vector3d &area, const Vector &x) {
          const bool is_open = has_facet(cells, j, area.normalized(), x);
          faces[{j, i}]      = is_open;
          if (i >= here.n_own)
            to[blocks.owner(here.number[i], processes.size())].insert(
                to[blocks.owner(here.number[i], processes.size())].end(),
                {static_cast<double>(here.number[j]), static_cast<double>(here.number[i]), is_open ? 1. : 0.});
        });
    const parallel::List told = parallel::exchanged(processes, to);
    for (std::size_t k = 0; k < told.size(); k += 3)
      {
        const auto ghosts = here.number.begin() + here.n_own;
        const auto j      = std::lower_bound(ghosts, here.number.end(), static_cast<Index>(told[k]));
        faces[{j - here.number.begin(), static_cast<Index>(told[k + 1]) - here.number.front()}] = told[k + 2] == 1.;
      }
  }

  /// Of outline i, an own one, with cell j behind it.
  bool operator()(const Index i, const Index j, const Eigen::Vector3d &area, const Vector &point) const
  {
    if (cells.in_parts())
      {
        const auto from_i = faces.find({i, j}), from_j = faces.find({j, i});
        return from_i == faces.end() || from_j == faces.end() || (from_i->second && from_j->second);
      }
    if (!cells.has_pieces(i) || !cells.has_pieces(j))
      return true;
    const Eigen::Vector3d normal = area.normalized();
    return has_facet(cells, i, normal, point) && has_facet(cells, j, normal, point);
  }

private:
  const VoronoiCells                     &cells;
  std::map<std::pair<Index, Index>, bool> faces; ///< of cells with pieces, towards a neighbour: whether there is a facet
};

/// The largest fall of v·e_k across a face with this area vector, where v
/// rises by `jump`, over the e_k along which lines cross it.
double fall(const Eigen::Vector3d &area, const Eigen::Vector3d &jump, const Eigen::Matrix3Xd &e, const double least_crossing)
{
  double worst = 0.;
  for (Index k = 0; k < e.cols(); ++k)
    if (const double crossing = e.col(k).dot(area); std::abs(crossing) > least_crossing)
      worst = std::max(worst, -std::copysign(1., crossing) * e.col(k).dot(jump));
  return worst;
}

/// The largest f(area, jump, x, i) >= 0 over the faces of cells i in ω that lead to other cells; jump: v there less v in i.
template <class F>
double largest_over_faces(const Packing &packing, const Vector &own, F &&f)
{
  const VoronoiCells &cells = packing.cells;
  const FacesInZone   is_in_zone(cells);
  const SpheresHere  &spheres = cells.spheres();
  const Index         dim     = cells.dimension();
  const Vector        v       = packing.with_ghosts(own, dim);
  double              worst   = least_violation(v);
  for (Index i = 0; i < cells.size(); ++i)
    for_each_face(cells, i, [&](const Index j, const Eigen::Vector3d &area, const Vector &x) {
      if (spheres.number_of(j) <= spheres.number_of(i)) // seen from the other cell
        return;
      Eigen::Vector3d jump = Eigen::Vector3d::Zero();
      jump.head(dim)       = v.segment(dim * j, dim) - v.segment(dim * i, dim);
      const double found   = f(area, jump, x, i);
      if (found > worst && is_in_zone(i, j, area, x))
        worst = found;
    });
  return cells.max(worst);
}
} // namespace

Packing::Packing(micro::Spheres spheres_, std::vector<micro::Wall> walls_, micro::ContactGraph graph_,
                 const macro::Domain &domain, const geometry::Processes &processes, Eigen::MatrixXd mean_gradient_)
    : spheres(std::move(spheres_))
    , walls(std::move(walls_))
    , graph(std::move(graph_))
    , cells(spheres, domain, processes)
    , mean_gradient(std::move(mean_gradient_))
{
  spheres.m = cells.volumes();
}

Packing::Packing(micro::Spheres spheres_, std::vector<micro::Wall> walls_, VoronoiCells cells_,
                 std::shared_ptr<const PackingParts> parts_)
    : spheres(std::move(spheres_))
    , walls(std::move(walls_))
    , graph{spheres.dimension(), spheres.size(), {}, 0.}
    , cells(std::move(cells_))
    , parts(std::move(parts_))
{
  spheres.m = with_ghosts(cells.volumes(), 1);
}

Index Packing::n_contacts() const
{
  return parts ? convex::shared_network(parts->impact.problem)->here().n_rows : graph.n_contacts();
}

Vector Packing::with_ghosts(const Vector &own, const Index n_each) const
{
  if (!parts)
    return own;
  Vector all(n_each * spheres.size());
  all.head(own.size()) = own;
  std::vector<double> sent;
  for (const Index k : parts->cells->sent())
    sent.insert(sent.end(), own.data() + n_each * k, own.data() + n_each * (k + 1));
  const auto transfer = parts->cells->transfer(n_each);
  transfer->start(sent);
  const std::vector<double> &received = transfer->finish();
  std::copy(received.begin(), received.end(), all.data() + own.size());
  return all;
}

double allowed_closing(const Packing &packing, const micro::Contact &contact)
{
  const micro::Spheres  &spheres = packing.spheres;
  const Eigen::MatrixXd &D       = packing.mean_gradient;
  const auto             e       = contact.e.head(packing.graph.dim);
  if (packing.graph.touches_wall(contact))
    {
      const double wall = e.dot(packing.walls[contact.j - packing.graph.n_spheres].velocity);
      return D.size() > 0 ? wall - e.dot(D * spheres.r.col(contact.i)) : wall;
    }
  return D.size() > 0 ? e.dot(D * e) * (spheres.R(contact.i) + spheres.R(contact.j) + contact.D) : 0.;
}

convex::ProjectionProblem microscopic_problem(const Packing &packing, const Vector &U_tilde)
{
  if (packing.parts)
    {
      convex::ProjectionProblem problem = packing.parts->impact.problem;
      problem.U                         = U_tilde;
      return problem;
    }
  convex::ProjectionProblem problem = micro::impact_problem(packing.spheres, packing.walls, packing.graph, U_tilde);
  if (packing.mean_gradient.size() > 0)
    {
      problem.b.resize(packing.graph.n_contacts());
      for (Index c = 0; c < packing.graph.n_contacts(); ++c)
        problem.b(c) = allowed_closing(packing, packing.graph.contacts[c]);
    }
  return problem;
}

double violation(const Packing &packing, const Vector &f, const bool whole_only)
{
  const VoronoiCells &cells = packing.cells;
  if (packing.parts)
    {
      Vector is_cut; // of nodes of the network
      if (whole_only)
        {
          Vector own(cells.size());
          for (Index i = 0; i < cells.size(); ++i)
            own(i) = cells.is_cut(i);
          is_cut = convex::shared_network(packing.parts->impact.problem)->with_ghosts(own, 1);
        }
      return closing_speed(packing, f, [&](const int i, const int j, const auto &) {
        return !whole_only || (j != convex::PairConstraint::fixed_body && is_cut(i) == 0. && is_cut(j) == 0.);
      });
    }
  double worst = least_violation(f);
  for (const micro::Contact &contact : packing.graph.contacts)
    {
      const bool wall = packing.graph.touches_wall(contact);
      if (whole_only && (wall || cells.is_cut(contact.i) || cells.is_cut(contact.j)))
        continue;
      worst = std::max(worst, excess(packing, contact, f));
    }
  return worst;
}

double shifted_violation(const Packing &packing, const Vector &v, const Eigen::MatrixXd &directions)
{
  if (packing.parts)
    return closing_speed(packing, v, [&](int, const int j, const auto &e) {
      return j != convex::PairConstraint::fixed_body && lies_along(e, directions);
    });
  double worst = least_violation(v);
  for (const micro::Contact &contact : packing.graph.contacts)
    if (!packing.graph.touches_wall(contact) && lies_along(contact.e.head(packing.graph.dim), directions))
      worst = std::max(worst, excess(packing, contact, v));
  return worst;
}

double face_violation(const Packing &packing, const Vector &v, const Eigen::MatrixXd &directions)
{
  const Index      dim = packing.cells.dimension();
  Eigen::Matrix3Xd e   = Eigen::Matrix3Xd::Zero(3, directions.cols());
  e.topRows(dim)       = directions;
  return largest_over_faces(packing, v,
                            [&](const Eigen::Vector3d &area, const Eigen::Vector3d &jump, const Vector &, Index i) {
                              return fall(area, jump, e, 1e-9 * std::pow(packing.cells.volumes()(i), (dim - 1.) / dim));
                            });
}

double face_violation(const Packing &packing, const Vector &v, const macro::Cone &cone)
{
  const bool is_isotropic = cone.type == macro::ConeType::isotropic;
  if (!is_isotropic && !macro::has_dilatancy(cone.type))
    return face_violation(packing, v, cone.directions);
  const double d = static_cast<double>(packing.cells.dimension());
  const auto   s = [&](const Vector &x) {
    Eigen::MatrixXd values(1, 1);
    cone.dilatancy(x, values);
    return values(0, 0);
  };
  return largest_over_faces(packing, v, [&](const Eigen::Vector3d &area, const Eigen::Vector3d &a, const Vector &x, Index) {
    const double length = area.norm(), opening = length > 0. ? a.dot(area) / length : 0.;
    if (is_isotropic)
      return -opening;
    if (cone.type == macro::ConeType::dilatant)
      return s(x) * d * .5 * (a.norm() - opening) - (1. - s(x)) * opening;
    const double deviator = std::sqrt(std::max(0., .5 * (a.squaredNorm() + opening * opening) - opening * opening / d));
    return s(x) * std::sqrt(d * (d - 1.)) * deviator - opening;
  });
}
} // namespace moreau::homogenization
