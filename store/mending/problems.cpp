#include "store/mending/problems.hpp"

#include "specs/format/json.hpp"
#include "store/damaged.hpp"

namespace stackx::store {
namespace {

std::string one_line(std::string text) {  // SQLite's own check writes several
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at)) text.replace(at, 1, "; ");
  return text;
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
    problem = one_line(specs::to_utf8(problem.substr(0, problem.find(". Nothing was changed."))));
  return problems;
}

}  // namespace stackx::store
