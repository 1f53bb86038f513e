// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef MOREAU_APP_OUTPUT_GNUPLOT_H
#define MOREAU_APP_OUTPUT_GNUPLOT_H

#include <array>
#include <filesystem>
#include <string>

/// What pictures drawn by gnuplot have in common.
namespace moreau::app
{
/// Colours that colour-blind readers tell apart (Okabe and Ito).
inline constexpr std::array plot_colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

/// 'text' of gnuplot, in which nothing but quotation marks has a meaning.
std::string quoted(const std::string &text);

/// Runs the script, which writes a PNG to its standard output, and puts that into the file, complete or not at all. Returns
/// one sentence saying why there is no picture, empty where there is one.
std::string draw_by_gnuplot(const std::string &script, const std::filesystem::path &png);
} // namespace moreau::app

#endif
