// Plots of values for a terminal: box plots of several series, and a strip of paired ratios.
//
// Every value is on the plot: outliers are marks, never cut off by the axis. Unicode where the
// locale is UTF-8, else ASCII. Lines end in "\n", hold no trailing blanks and are at most `width`
// columns wide (40 at least); names are shortened to fit, control characters in them are replaced.
// Values that are not finite are not drawn and not counted in n.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {

enum class Characters { unicode, ascii };
Characters characters_of_locale();  // $LC_ALL, else $LC_CTYPE, else $LANG, as setlocale(3) reads

struct Series {
  std::string name;
  std::vector<double> values;
};

// Tukey's box plots, one line a series, on a common linear axis: the box from the first to the
// third quartile, the median, whiskers to the farthest value within 1.5 times the box's length of
// the box, every value beyond as an outlier.
std::string box_plots(const std::vector<Series>& series, std::size_t width, const std::string& unit,
                      Characters characters = characters_of_locale());

// Ratios of two stacks round by round, given as logs; below them their median with its interval
// (of the ratio, as Comparison::interval has it) and the band from 1/(1+delta) to 1+delta inside of
// which a difference does not matter. The axis is logarithmic: x1/1.1 is as far from 1 as x1.1.
std::string ratio_plot(const std::vector<double>& log_ratios, const Interval& interval,
                       double delta, std::size_t width,
                       Characters characters = characters_of_locale());

}  // namespace stackx::analysis
