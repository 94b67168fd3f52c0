#include "store/mending/problems.hpp"

#include <set>
#include <string_view>

#include "specs/format/json.hpp"
#include "store/damaged.hpp"

namespace stackx::store {
namespace {

std::string one_line(std::string text) {  // SQLite's own check writes several
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at)) text.replace(at, 1, "; ");
  return text;
}

// A reader's words about what it met, which was JSON once.
std::string without_reader(std::string text) {
  if (const auto at = text.find("[json.exception."); at != text.npos) text.replace(at, text.npos, "a document in it is no JSON any more");
  return text;
}

// What several parts of a check come upon is one problem.
std::vector<std::string> once_each(const std::vector<std::string>& problems) {
  std::vector<std::string> result;
  std::set<std::string_view> seen;
  for (const auto& problem : problems)
    if (seen.insert(problem).second) result.push_back(problem);
  return result;
}

}  // namespace

std::vector<std::string> problems_of(const std::filesystem::path& file, Thoroughness thoroughness,
                                     const CheckProgress& progress) {
  std::vector<std::string> problems;
  try {
    const auto store = Store::open(file, Mode::read_only);
    problems = store.check(thoroughness, progress);
    (void)store.campaigns();  // columns that nothing else reads: the schema itself may be damaged
    (void)store.sources();
  } catch (const Damaged& error) {
    problems.emplace_back(error.what());
  }
  for (std::string& problem : problems)
    problem = without_reader(one_line(specs::to_utf8(problem.substr(0, problem.find(". Nothing was changed.")))));
  return once_each(problems);
}

}  // namespace stackx::store
