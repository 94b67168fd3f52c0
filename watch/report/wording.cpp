#include "watch/report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stackx::watch {
namespace {

std::string percent_number(double share) {
  const double percent = 100 * share;
  return std::abs(percent) < 9.95 ? fmt::format("{:.1f}", percent) : fmt::format("{:.0f}", percent);
}

std::string ratio_number(double ratio) { return std::abs(ratio - 1) < 0.1 ? fmt::format("{:.3f}", ratio) : fmt::format("{:.2f}", ratio); }

}  // namespace

std::string interval_text(const analysis::Comparison& comparison) {
  if (!comparison.interval) return "x" + ratio_number(comparison.ratio);
  return fmt::format("x{} [{}, {}]", ratio_number(comparison.ratio), ratio_number(comparison.interval->low), ratio_number(comparison.interval->high));
}

std::string at_most(const analysis::Comparison& comparison) {
  if (!comparison.interval) return "";
  const double most = std::max(std::abs(1 - comparison.interval->low), std::abs(comparison.interval->high - 1));
  return fmt::format("within {}%", percent_number(most));
}

std::string faster_than(const analysis::Comparison& comparison) {
  using analysis::Verdict;
  const double ratio = comparison.ratio;
  const auto& interval = comparison.interval;
  if (comparison.verdict == Verdict::equivalent) return "as fast as";
  if (comparison.verdict == Verdict::unresolved) return "not told apart from";
  if (comparison.verdict == Verdict::faster && ratio >= 2)
    return fmt::format("{:.1f} times{} as fast as", ratio, interval ? fmt::format(" [{:.1f}, {:.1f}]", interval->low, interval->high) : "");
  if (comparison.verdict == Verdict::faster)
    return fmt::format("{}%{} faster than", percent_number(ratio - 1),
                       interval ? fmt::format(" [{}, {}]", percent_number(interval->low - 1), percent_number(interval->high - 1)) : "");
  return fmt::format("{}%{} slower than", percent_number(1 - ratio),
                     interval ? fmt::format(" [{}, {}]", percent_number(1 - interval->high), percent_number(1 - interval->low)) : "");
}

}  // namespace stackx::watch
