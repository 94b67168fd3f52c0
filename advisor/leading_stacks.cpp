#include "advisor/leading_stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/published/workload_choice.hpp"

namespace stackx::advisor {
namespace {

using Series = std::vector<store::SeriesSums>;

struct Group {  // the series of one stack
  Series series;
  double log_rate = 0;
  bool measured = false;
};

std::uint64_t inspections(const Series& all) {
  std::uint64_t sum = 0;
  for (const auto& series : all) sum += series.ok + series.failed;
  return sum;
}

std::map<specs::Workload, analysis::WorkloadTally> tally(const store::Questions& questions,
                                                         const Series& all) {
  std::map<std::int64_t, std::set<std::int64_t>> able;
  std::map<std::int64_t, std::uint64_t> measured;
  for (const auto& series : all) {
    measured[series.workload] += series.ok + series.failed;
    if (series.ok > 0) able[series.workload].insert(series.stack);
  }
  std::map<specs::Workload, analysis::WorkloadTally> result;
  for (const auto& [row, count] : measured)
    result[questions.workload(row)] = {able[row].size(), count};
  return result;
}

void weigh(Group& group, const store::Questions& questions, const std::string& this_host) {
  const auto here = [&](const store::SeriesSums& series) {
    return questions.device(series.device).name == this_host;
  };
  if (std::ranges::any_of(group.series, here))
    std::erase_if(group.series, [&](const auto& series) { return !here(series); });
  double sum = 0, weight = 0;
  for (const auto& series : group.series) {
    if (!series.median) continue;
    sum += static_cast<double>(series.ok) * std::log(*series.median);
    weight += static_cast<double>(series.ok);
  }
  group.measured = weight > 0;
  if (group.measured) group.log_rate = sum / weight;
}

std::vector<Group> by_rate(const store::Questions& questions, const Series& all,
                           const std::string& this_host) {
  std::map<std::int64_t, Group> groups;
  for (const auto& series : all) groups[series.stack].series.push_back(series);
  std::vector<Group> result;
  for (auto& [stack, group] : groups) {
    weigh(group, questions, this_host);
    result.push_back(std::move(group));
  }
  std::ranges::stable_sort(result, [](const Group& a, const Group& b) {
    return std::pair(a.measured, a.log_rate) > std::pair(b.measured, b.log_rate);
  });
  return result;
}

}  // namespace

std::optional<LeadingStacks> leading_stacks(const store::Questions& questions,
                                            const specs::Workload& asked, const std::string& hw,
                                            const store::WhoseResults& whose,
                                            const std::string& this_host, const Wanted& wanted) {
  store::QuestionFilter filter;
  filter.workload = asked;
  filter.hardware = hw;
  filter.whose = whose;
  Series all = questions.series(filter);
  if (wanted.most == 0 || inspections(all) < enough_to_choose) return std::nullopt;

  LeadingStacks result;
  result.workload = analysis::choose_workload(tally(questions, all), asked, result.notes);
  std::erase_if(all, [&](const auto& series) {
    return questions.workload(series.workload) != result.workload;
  });
  const std::vector<Group> groups = by_rate(questions, all, this_host);
  std::size_t shown = 0;
  while (shown < std::min(wanted.most, groups.size()) &&
         (shown < wanted.least || result.measurements.size() < a_moment)) {
    for (const auto& series : groups[shown].series)
      std::ranges::move(questions.inspections(series), std::back_inserter(result.measurements));
    ++shown;
  }
  if (shown < groups.size())
    result.notes.push_back(
        fmt::format("{} stacks were measured, in {} inspections; compared are the {} with the "
                    "highest medians (--rows N: N of them, 0: all)",
                    groups.size(), inspections(all), shown));
  return result;
}

}  // namespace stackx::advisor
