#include "inspector/meters/energy_trace.hpp"

#include <algorithm>

namespace stackx::inspector {

void EnergyTrace::add(std::int64_t at_ns, double joules) {
  if (last_ && *last_ != joules && (updates_.empty() || at_ns > updates_.back().at_ns)) updates_.push_back({at_ns, joules});
  last_ = joules;
}

std::optional<std::int64_t> EnergyTrace::last_update() const {
  return updates_.empty() ? std::nullopt : std::optional(updates_.back().at_ns);
}

double EnergyTrace::joules_at(std::int64_t at_ns) const {
  const auto after = std::ranges::lower_bound(updates_, at_ns, {}, &Update::at_ns);
  if (after == updates_.begin() || after->at_ns == at_ns) return after->joules;
  const auto before = std::prev(after);
  const double share = static_cast<double>(at_ns - before->at_ns) / static_cast<double>(after->at_ns - before->at_ns);
  return before->joules + share * (after->joules - before->joules);
}

std::optional<Drawn> EnergyTrace::between(std::int64_t begin_ns, std::int64_t end_ns) const {
  if (updates_.empty() || begin_ns > end_ns || begin_ns < updates_.front().at_ns || end_ns > updates_.back().at_ns)
    return std::nullopt;
  const auto inside = std::ranges::count_if(updates_, [&](const Update& one) { return one.at_ns > begin_ns && one.at_ns <= end_ns; });
  return Drawn{joules_at(end_ns) - joules_at(begin_ns), static_cast<std::uint64_t>(inside)};
}

std::optional<double> EnergyTrace::least_watts(std::int64_t window_ns) const {
  constexpr std::ptrdiff_t fewest = 4;  // steps in it: a counter that moves once a second says nothing of half of one
  std::optional<double> least;
  for (auto from = updates_.begin(), to = from; from != updates_.end(); ++from) {
    while (to != updates_.end() && to->at_ns - from->at_ns < window_ns) ++to;
    if (to == updates_.end()) break;
    if (to - from < fewest) continue;
    const double watts = (to->joules - from->joules) * 1e9 / static_cast<double>(to->at_ns - from->at_ns);
    least = std::min(least.value_or(watts), watts);
  }
  return least;
}

}  // namespace stackx::inspector
