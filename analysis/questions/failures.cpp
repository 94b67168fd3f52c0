// failures: which component versions' inspections fail, and how.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "analysis/questions/parts.hpp"
#include "analysis/text/words.hpp"
#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {
namespace {

using Outcomes = std::map<std::string, std::uint64_t>;

struct Tally {
  std::uint64_t inspections = 0, failed = 0, stacks = 0, failing = 0;
  Outcomes outcomes;

  void add(const Tally& other) {
    inspections += other.inspections;
    failed += other.failed;
    stacks += other.stacks;
    failing += other.failing;
    for (const auto& [outcome, count] : other.outcomes) outcomes[outcome] += count;
  }
};

struct VersionTally {
  std::string component, version;
  Tally tally;
  Interval share;
};

std::unordered_map<std::int64_t, Tally> by_stack(const store::Questions& store,
                                                 const std::vector<store::SeriesSums>& series) {
  std::unordered_map<std::int64_t, Tally> stacks;
  std::unordered_map<std::int64_t, std::int64_t> failing;  // series -> stack
  for (const store::SeriesSums& s : series) {
    if (s.ok + s.failed == 0) continue;
    Tally& tally = stacks[s.stack];
    tally.inspections += s.ok + s.failed;
    tally.failed += s.failed;
    if (s.failed > 0) failing.emplace(s.row, s.stack);
  }
  if (!failing.empty())
    for (const store::FailureSums& f : store.failures())
      if (const auto found = failing.find(f.series); found != failing.end())
        stacks[found->second].outcomes[f.outcome] += f.inspections;
  for (auto& [stack, tally] : stacks) {
    tally.stacks = 1;
    tally.failing = tally.failed > 0 ? 1 : 0;
  }
  return stacks;
}

std::unordered_map<std::int64_t, Tally> by_version(
    const store::Questions& store, const std::unordered_map<std::int64_t, Tally>& stacks) {
  std::unordered_map<std::int64_t, Tally> versions;
  const Tally* last = nullptr;
  std::int64_t last_stack = -1;
  store.stack_versions([&](std::int64_t stack, std::int64_t version) {
    if (stack != last_stack) {
      const auto found = stacks.find(stack);
      last = found == stacks.end() ? nullptr : &found->second;
      last_stack = stack;
    }
    if (last != nullptr) versions[version].add(*last);
  });
  return versions;
}

double share_of(const Tally& tally) {
  return tally.inspections == 0
             ? 0
             : static_cast<double>(tally.failed) / static_cast<double>(tally.inspections);
}

std::string outcomes_text(const Outcomes& outcomes) {
  std::string text;
  for (const auto& [outcome, count] : outcomes)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, outcome);
  return text;
}

// A failed inspection whose outcome is "ok" has no rate.
AnswerField outcomes_field(const Outcomes& outcomes) {
  nlohmann::json value = nlohmann::json::object();
  for (const auto& [outcome, count] : outcomes) value[outcome] = count;
  return {outcomes_text(outcomes), std::move(value)};
}

std::string percents(const Interval& share) {
  return fmt::format("[{:.1f}%, {:.1f}%]", 100 * share.low, 100 * share.high);
}

std::vector<AnswerColumn> failures_columns() {
  using For = AnswerColumn::For;
  return {{"component", "component"},
          {"version", "version"},
          {"failed", "failed", true},
          {"inspections", "of", true},
          {"share", "share", true},
          {"interval", "95% CI", true, For::people},
          {"share_low", "", true, For::programs},
          {"share_high", "", true, For::programs},
          {"others_text", "other versions", true, For::people},
          {"others_failed", "", true, For::programs},
          {"others_inspections", "", true, For::programs},
          {"failing_stacks", "stacks failing", true},
          {"stacks", "of", true},
          {"outcomes", "how", false}};
}

}  // namespace

Answer failures(const store::Questions& store, const QuestionOptions& options) {
  const auto stacks = by_stack(store, store.series(options.filter));
  const auto tallies = by_version(store, stacks);
  std::vector<VersionTally> rows;
  std::map<std::string, Tally> components;
  Tally all;
  for (const auto& [stack, tally] : stacks) all.add(tally);
  for (const store::VersionRow& version : store.versions()) {
    const auto found = tallies.find(version.row);
    if (found == tallies.end()) continue;
    components[version.component].add(found->second);
    const auto& named = options.filter.components;
    if (!named.empty() && std::ranges::none_of(named, [&](const auto& c) {
          return c.name == version.component && c.holds(version.version);
        }))
      continue;
    const Tally& tally = found->second;
    if (tally.failed > 0)
      rows.push_back({version.component, version.version, tally,
                      clopper_pearson(tally.failed, tally.inspections, options.confidence)});
  }
  // The surest first: the share that is failed at the least.
  std::ranges::sort(rows, {}, [](const VersionTally& row) {
    return std::tuple(-row.share.low, row.component, row.version);
  });
  Answer answer;
  answer.question = "failures";
  answer.columns = failures_columns();
  answer.total = rows.size();
  answer.none_is_good = all.inspections > 0;
  answer.heading = all.inspections == 0 ? "Nothing of this is measured."
                   : all.failed == 0    ? fmt::format("Nothing failed: {} of {}.", counted(all.inspections, "inspection"),
                                                      counted(all.stacks, "stack"))
                                        : fmt::format("{} of {} inspections failed, {} of {} stacks; by component version.", all.failed,
                                                      all.inspections, all.failing, all.stacks);
  answer.caption =
      "95% CI: Clopper-Pearson's, of the share, for inspections like these: those of one stack tend to "
      "fail together, so look at how many stacks fail, too. other versions: of the same component.";
  const std::size_t shown = shown_of(rows.size(), options.limit);
  for (std::size_t i = 0; i < shown; ++i) {
    const VersionTally& row = rows[i];
    const Tally& of_component = components[row.component];
    const Tally others{of_component.inspections - row.tally.inspections,
                       of_component.failed - row.tally.failed, 0, 0, {}};
    answer.rows.push_back(
        {field(row.component), field(row.version), field(row.tally.failed),
         field(row.tally.inspections), share_field(share_of(row.tally)), {percents(row.share)},
         number_field(row.share.low), number_field(row.share.high),
         {others.inspections == 0 ? "none"
                                  : fmt::format("{:.1f}% of {}", 100 * share_of(others),
                                                others.inspections)},
         field(others.failed), field(others.inspections), field(row.tally.failing),
         field(row.tally.stacks), outcomes_field(row.tally.outcomes)});
  }
  return answer;
}

}  // namespace stackx::analysis
