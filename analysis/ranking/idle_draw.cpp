#include "analysis/ranking/idle_draw.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::analysis {
namespace {

// "40%", "31 to 41%"
std::string shares_text(const std::vector<double>& shares) {
  const auto [least, most] = std::ranges::minmax(shares);
  const auto low = fmt::format("{:.0f}", 100 * least), high = fmt::format("{:.0f}", 100 * most);
  return low == high ? high + "%" : low + " to " + high + "%";
}

}  // namespace

std::string idle_draw_text(const std::vector<const store::Measurement*>& measurements, const specs::Yardstick& yardstick) {
  if (yardstick.word() != "energy") return "";
  std::vector<double> shares;
  std::size_t gross = 0;
  for (const auto* m : measurements) {
    if (m->outcome != specs::Outcome::ok || !m->amounts.contains("energy")) continue;
    if (m->idle_share)
      shares.push_back(*m->idle_share);
    else
      ++gross;
  }
  if (shares.empty()) return gross == 0 ? "" : "idle draw is in the energy: nothing tells how much it is";
  const auto taken = fmt::format("idle draw, {} of all that was drawn, is taken off the energy", shares_text(shares));
  if (gross == 0) return taken;
  return fmt::format("{} of {} inspections; in that of {} it still is, and they look worse for it", taken, shares.size(), gross);
}

}  // namespace stackx::analysis
