#include "advisor/project_coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace stackx::advisor {
namespace {

using analysis::Answer;
using analysis::AnswerField;
using For = analysis::AnswerColumn::For;

struct Inspected {
  std::vector<specs::Stack> stacks;  // of the project
  std::size_t others = 0;            // stacks that are none of the project's
  std::uint64_t inspections = 0;     // of the project's
};

Inspected inspected(const store::Questions& store, const store::QuestionFilter& filter,
                    const workspace::Loaded& loaded) {
  std::unordered_map<std::int64_t, std::uint64_t> rows;
  for (const store::SeriesSums& s : store.series(filter))
    if (s.ok + s.failed > 0) rows[s.stack] += s.ok + s.failed;
  Inspected result;
  for (const auto& [row, count] : rows) {
    const specs::Stack& stack = store.stack(row).stack;
    if (resolver::violation(loaded.project, loaded.catalog, stack)) {
      ++result.others;
      continue;
    }
    result.stacks.push_back(stack);
    result.inspections += count;
  }
  return result;
}

using Versions = std::map<std::string, std::set<std::string>>;

Versions versions_of(const std::vector<specs::Stack>& stacks) {
  Versions versions;
  for (const specs::Stack& stack : stacks)
    for (const auto& [name, version] : stack.components) versions[name].insert(version);
  return versions;
}

std::size_t pairs_of(const std::vector<specs::Stack>& stacks) {
  std::set<std::array<std::string_view, 4>> pairs;
  for (const specs::Stack& stack : stacks)
    for (auto a = stack.components.begin(); a != stack.components.end(); ++a)
      for (auto b = std::next(a); b != stack.components.end(); ++b)
        pairs.insert({a->first, a->second, b->first, b->second});
  return pairs.size();
}

// Those in at least one stack.
std::map<std::string, std::vector<std::string>> valid_versions(const resolver::Resolver& resolver) {
  std::map<std::string, std::vector<std::string>> valid;
  for (const auto& [name, versions] : resolver.shares())
    for (const auto& [version, count] : versions)
      if (count > 0) valid[name].push_back(version);
  return valid;
}

void add_row(analysis::Answer& answer, const std::string& what, std::size_t part, const resolver::BigInt& whole,
             const std::vector<std::string>& missing = {}) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / whole.convert_to<double>();
  constexpr std::size_t few = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(few, missing.size()); ++i)
    text += (i == 0 ? "" : ", ") + missing[i];
  if (missing.size() > few) text += fmt::format(", and {} more", missing.size() - few);
  // Whole numbers may be longer than 64 bits: as text, as `resolve --count` has them.
  answer.rows.push_back({analysis::field(what), analysis::field(part), {workspace::grouped(whole), whole.str()},
                         {fmt::format("{:.4g}%", 100 * share), share}, {text, missing}});
}

}  // namespace

analysis::Answer project_coverage(const store::Questions& store, const analysis::QuestionOptions& options,
                        const workspace::Loaded& loaded) {
  const resolver::Resolver resolver(loaded.project, loaded.catalog);
  const Inspected found = inspected(store, options.filter, loaded);
  const Versions versions = versions_of(found.stacks);
  const auto valid = valid_versions(resolver);
  analysis::Answer answer;
  answer.question = "coverage";
  answer.heading = fmt::format("Project {}: {} inspections of its stacks.", loaded.project.name,
                               found.inspections);
  answer.caption =
      "valid: what the project allows, exactly; a pair of versions is valid if some stack holds both.";
  answer.columns = {{"what", ""},
                    {"inspected", "inspected", true},
                    {"valid", "valid", true},
                    {"share", "share", true},
                    {"missing", "not yet"}};
  add_row(answer, "stacks", found.stacks.size(), resolver.count());
  std::size_t all = 0, seen = 0;
  for (const auto& [name, list] : valid) {
    all += list.size();
    if (const auto known = versions.find(name); known != versions.end()) seen += known->second.size();
  }
  add_row(answer, "versions of components", seen, all);
  add_row(answer, "pairs of versions", pairs_of(found.stacks), resolver.cover(2, 1).combinations);
  for (const auto& [name, list] : valid) {
    const auto known = versions.find(name);
    std::vector<std::string> missing;
    for (const std::string& version : list)
      if (known == versions.end() || !known->second.contains(version)) missing.push_back(version);
    add_row(answer, name, list.size() - missing.size(), list.size(), missing);
  }
  answer.total = answer.rows.size();
  if (options.limit != 0 && answer.rows.size() > options.limit) answer.rows.resize(options.limit);
  answer.summary = {{"project", loaded.project.name},
                    {"inspections", found.inspections},
                    {"other_stacks", found.others}};
  if (found.others > 0)
    answer.notes.push_back(fmt::format(
        "{} other stacks that match the filters were inspected, which are none of the project's",
        found.others));
  return answer;
}

}  // namespace stackx::advisor
