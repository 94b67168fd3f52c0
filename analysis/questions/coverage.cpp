// coverage: what has been inspected, per hardware and workload.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analysis/questions/parts.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

struct Covered {
  std::int64_t hardware = 0, workload = 0;
  std::uint64_t ok = 0, failed = 0, series = 0;
  std::unordered_set<std::int64_t> stacks;
  std::map<std::string, std::size_t> versions;  // component -> how many of its versions
};

std::vector<Covered> groups_of(const store::Questions& store,
                             const std::vector<store::SeriesSums>& series) {
  std::map<std::pair<std::int64_t, std::int64_t>, Covered> groups;
  for (const store::SeriesSums& s : series) {
    if (s.ok + s.failed == 0) continue;
    const std::int64_t hardware = store.device(s.device).hardware;
    Covered& group = groups[{hardware, s.workload}];
    group.hardware = hardware;
    group.workload = s.workload;
    group.ok += s.ok;
    group.failed += s.failed;
    ++group.series;
    group.stacks.insert(s.stack);
  }
  std::vector<Covered> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  std::ranges::sort(result, {}, [&](const Covered& group) {
    return std::tuple(hardware_text(store.hardware(group.hardware)),
                      store.workload(group.workload).text());
  });
  return result;
}

// 64 groups at a time: a bit says which of them a stack, and so a version, is in.
void count_versions(const store::Questions& store, std::span<Covered> groups) {
  std::unordered_map<std::int64_t, std::uint64_t> stacks, versions;
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const std::int64_t stack : groups[g].stacks) stacks[stack] |= std::uint64_t{1} << g;
  std::int64_t last_stack = -1;
  std::uint64_t mask = 0;
  store.stack_versions([&](std::int64_t stack, std::int64_t version) {
    if (stack != last_stack) {
      const auto found = stacks.find(stack);
      mask = found == stacks.end() ? 0 : found->second;
      last_stack = stack;
    }
    if (mask != 0) versions[version] |= mask;
  });
  for (const store::VersionRow& version : store.versions())
    if (const auto found = versions.find(version.row); found != versions.end())
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (found->second >> g & 1) ++groups[g].versions[version.component];
}

AnswerField versions_field(const std::map<std::string, std::size_t>& versions) {
  std::vector<std::pair<std::string, std::size_t>> most(versions.begin(), versions.end());
  std::ranges::stable_sort(most, std::ranges::greater{}, &std::pair<std::string, std::size_t>::second);
  constexpr std::size_t few = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(few, most.size()); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", most[i].first, most[i].second);
  if (most.size() > few) text += fmt::format(", and {} more", most.size() - few);
  return {text, versions};
}

}  // namespace

Answer coverage(const store::Questions& store, const QuestionOptions& options) {
  std::vector<Covered> groups = groups_of(store, store.series(options.filter));
  Answer answer;
  answer.question = "coverage";
  answer.total = groups.size();
  std::uint64_t inspections = 0;
  for (const Covered& group : groups) inspections += group.ok + group.failed;
  answer.heading = groups.empty() ? "Nothing of this is measured."
                                  : fmt::format("Measured: {} of {} of hardware and workload.", counted(inspections, "inspection"),
                                                counted(groups.size(), "pair"));
  answer.caption =
      "n: inspections; versions: how many versions of each component the stacks hold. What share of a "
      "project's stacks that is: --project.";
  answer.columns = {{"hardware", "hardware"},       {"workload", "workload"},
                    {"stacks", "stacks", true},     {"inspections", "n", true},
                    {"failures", "fail", true},     {"versions", "versions"}};
  const std::size_t shown = shown_of(groups.size(), options.limit);
  for (std::size_t from = 0; from < shown; from += 64)
    count_versions(store, std::span(groups).subspan(from, std::min<std::size_t>(64, shown - from)));
  for (std::size_t i = 0; i < shown; ++i) {
    const Covered& group = groups[i];
    answer.rows.push_back({field(hardware_text(store.hardware(group.hardware))),
                           field(store.workload(group.workload).text()), field(group.stacks.size()),
                           field(group.ok + group.failed),
                           group.failed ? field(group.failed) : AnswerField{"", 0},
                           versions_field(group.versions)});
  }
  return answer;
}

}  // namespace stackx::analysis
