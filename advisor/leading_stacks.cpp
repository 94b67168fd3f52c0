#include "advisor/leading_stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

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

std::uint64_t rows(const Series& all) {  // sentinels too
  std::uint64_t sum = 0;
  for (const auto& series : all) sum += series.inspections;
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

// Devices of this host: it is one itself, or they are GPUs that were in it.
class Here {
 public:
  Here(const store::Questions& questions, const std::string& host) : questions_(questions), host_(host) {}
  bool operator()(const store::SeriesSums& series) {
    const auto [known, is_new] = devices_.try_emplace(series.device, false);
    if (is_new)
      known->second = questions_.device(series.device).name == host_ || questions_.host_of(series.device) == host_;
    return known->second;
  }

 private:
  const store::Questions& questions_;
  const std::string& host_;
  std::map<std::int64_t, bool> devices_;
};

void weigh(Group& group, Here& is_here) {
  const auto here = [&](const store::SeriesSums& series) { return is_here(series); };
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

// All inspections of the stacks, as their ranking counts them; sentinels are not counted.
analysis::Population population_of(const store::Questions& questions, std::span<const Group> groups,
                                   const store::Excerpt& excerpt) {
  analysis::Population result{excerpt.inspections, excerpt.measurements.size(), excerpt.sampling->each,
                              excerpt.sampling->seed, {}};
  std::map<std::int64_t, analysis::Tally*> by_series;
  for (const Group& group : groups)
    for (const auto& series : group.series) {
      auto& tally = result.stacks[questions.stack(series.stack).stack];
      tally.ok += series.ok;
      by_series[series.row] = &tally;
    }
  for (const auto& failed : questions.failures())
    if (const auto found = by_series.find(failed.series); found != by_series.end())
      found->second->failures[failed.outcome] += failed.inspections;
  return result;
}

std::vector<Group> by_rate(const store::Questions& questions, const Series& all,
                           const std::string& this_host) {
  std::map<std::int64_t, Group> groups;
  for (const auto& series : all) groups[series.stack].series.push_back(series);
  Here here(questions, this_host);
  std::vector<Group> result;
  for (auto& [stack, group] : groups) {
    weigh(group, here);
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
                                            const std::string& this_host, const Wanted& wanted,
                                            const store::Sampling& sampling) {
  store::QuestionFilter filter;
  filter.workload = asked;
  filter.hardware = hw;
  filter.whose = whose;
  Series all = questions.series(filter);
  const bool much = sampling.most > 0 && rows(all) > sampling.most;
  if (wanted.most == 0 ? !much : inspections(all) < enough_to_choose) return std::nullopt;

  LeadingStacks result;
  result.workload = analysis::choose_workload(tally(questions, all), asked, result.notes);
  std::erase_if(all, [&](const auto& series) {
    return questions.workload(series.workload) != result.workload;
  });
  const std::vector<Group> groups = by_rate(questions, all, this_host);
  Series read;
  std::size_t shown = 0;
  while (shown < (wanted.most == 0 ? groups.size() : std::min(wanted.most, groups.size())) &&
         (wanted.most == 0 || shown < wanted.least || rows(read) < a_moment)) {
    std::ranges::copy(groups[shown].series, std::back_inserter(read));
    ++shown;
  }
  if (sampling.most > 0 && rows(read) > sampling.most) {
    auto excerpt = questions.excerpt(read, sampling);
    if (excerpt.sampling) result.population = population_of(questions, std::span(groups).first(shown), excerpt);
    result.measurements = std::move(excerpt.measurements);
  } else {
    for (const auto& series : read)
      std::ranges::move(questions.inspections(series), std::back_inserter(result.measurements));
  }
  if (shown < groups.size())
    result.notes.push_back(
        fmt::format("{} stacks were measured, in {} inspections; compared are the {} with the "
                    "highest medians (--rows N: N of them, 0: all)",
                    groups.size(), inspections(all), shown));
  return result;
}

}  // namespace stackx::advisor
