// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/contact_plots.h"

#include "app/input/text/words.h"
#include "app/output/plot.h"
#include "app/output/summary.h"
#include "app/output/table_text.h"

#include <ostream>

namespace moreau::app
{
using micro::ContactStatistics;
using micro::Index;
using micro::PressedContact;

const char *const force_header = "time,lower,upper,count,density", *const direction_header =
                                                                       "time,angle,count,count_density,force_density";

std::vector<PressedContact> pressed_contacts(const micro::ContactGraph &graph, const micro::Vector &p, const double least)
{
  std::vector<PressedContact> pressed;
  for (Index k = 0; k < graph.n_contacts(); ++k)
    if (const micro::Contact &contact = graph.contacts[k]; !graph.touches_wall(contact) && p(k) > least)
      pressed.push_back({contact.e, p(k)});
  return pressed;
}

std::vector<PressedContact> pressed_contacts(const micro::SphereMotion &motion)
{
  std::vector<PressedContact> pressed;
  for (const micro::MotionContact &contact : motion.contacts())
    if (contact.j < motion.spheres().size() && contact.impulse > 0.)
      pressed.push_back({contact.e, contact.impulse / motion.record().h});
  return pressed;
}

std::vector<std::string> force_rows(const ContactStatistics &statistics, const double time)
{
  std::vector<std::string> rows;
  for (const ContactStatistics::ForceBin &bin : statistics.forces)
    rows.push_back(
        joined({digits(time), digits(bin.lower), digits(bin.upper), std::to_string(bin.count), digits(bin.density)}, ","));
  return rows;
}

std::vector<std::string> direction_rows(const ContactStatistics &statistics, const double time)
{
  std::vector<std::string> rows;
  for (const ContactStatistics::DirectionBin &bin : statistics.directions)
    rows.push_back(joined(
        {digits(time), digits(bin.angle), std::to_string(bin.count), digits(bin.count_density), digits(bin.force_density)},
        ","));
  return rows;
}

nlohmann::ordered_json statistics_as_json(const ContactStatistics &statistics)
{
  const auto upper_triangle = [](const Eigen::MatrixXd &matrix) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (Index i = 0; i < matrix.rows(); ++i)
      for (Index j = i; j < matrix.cols(); ++j)
        list.push_back(number(matrix(i, j)));
    return list;
  };
  return {{"contacts", statistics.n},
          {"mean", number(statistics.mean)},
          {"largest", number(statistics.largest)},
          {"fabric", upper_triangle(statistics.fabric)},
          {"force_fabric", upper_triangle(statistics.force_fabric)}};
}

namespace
{
void write_lines(std::ostream &out, const std::string &header, const std::vector<std::string> &rows)
{
  out << header << '\n';
  for (const std::string &row : rows)
    out << row << '\n';
}
} // namespace

void write_contact_tables(const OutputDirectory &output, const ContactStatistics &statistics)
{
  output.write("contact_forces.csv", [&](std::ostream &out) { write_lines(out, force_header, force_rows(statistics, 0.)); });
  if (statistics.fabric.rows() > 1)
    output.write("contact_directions.csv",
                 [&](std::ostream &out) { write_lines(out, direction_header, direction_rows(statistics, 0.)); });
}

void draw_contacts(const ParameterFile &file, const OutputDirectory &output, const ContactStatistics &statistics,
                   const std::string &quantity, const double time, Log &log, const geometry::Progress &progress)
{
  if (statistics.n == 0)
    {
      log.line("no contact between spheres is pressed: there is no distribution of " + quantity + " to draw");
      return;
    }
  const Parameters &parameters = file.values();
  const bool        is_motion  = parameters.is_motion();
  const std::string unit       = is_motion ? " N" : " kg m/s";
  const std::string about      = title_of(file) + (is_motion ? ", t = " + short_number(time) + " s" : "") + ": " +
                            counted(statistics.n, "contact") + ", mean " + quantity + " " + rounded_number(statistics.mean) +
                            unit;
  const auto draw_one = [&](const std::string &name, const std::string &header, const std::vector<std::string> &rows,
                            const geometry::Progress &of_it) {
    Plot plot{name,
              {{"title", about},
               {"time", digits(time)},
               {"quantity", quantity},
               {"contacts", std::to_string(statistics.n)},
               {"dimension", std::to_string(parameters.dimension)}},
              {}};
    plot.formats = parameters.plot_formats;
    plot.table   = name + ".csv";
    return draw(
        plot, output.path(), name, [&](std::ostream &out) { write_lines(out, header, rows); }, of_it);
  };
  std::string complaint = draw_one("contact_forces", force_header, force_rows(statistics, time), progress.part(0., .5));
  if (complaint.empty() && !statistics.directions.empty())
    complaint = draw_one("contact_directions", direction_header, direction_rows(statistics, time), progress.part(.5, 1.));
  if (!complaint.empty())
    log.warn(complaint);
}
} // namespace moreau::app
