#include "advisor/candidate/driver_rows.hpp"

#include <algorithm>

#include "advisor/candidate/newest_candidate.hpp"
#include "specs/catalog/driver.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {

std::vector<DriverRow> driver_rows(const Knowledge& knowledge, const Wish& wish, const Candidate& newest,
                                   std::size_t most) {
  if (newest.least_driver.empty() || !wish.question.driver.empty() || !wish.question.gpu) return {};
  std::vector<DriverRow> rows{{newest.least_driver, newest}};
  const auto* package = knowledge.package(wish.root);
  const auto since =
      knowledge.drivers().since(wish.question.gpu->compute_capability, wish.question.gpu->first_driver);  // older ones do not know the GPU
  std::vector<specs::Version> levels;
  for (const auto& release : package->releases) {
    const auto build = knowledge.about(wish.root, release.version, "", wish.question.machine).built_for;
    if (!build || build->cuda.empty() || build->for_cpus()) continue;
    if (const auto least = knowledge.drivers().least(build->cuda, build->reach(wish.question.gpu->compute_capability)))
      levels.push_back(std::max(specs::pep440_version(*least), specs::pep440_version(since.value_or("0"))));
  }
  std::ranges::sort(levels, std::ranges::greater());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  for (const auto& level : levels) {
    if (rows.size() >= most) break;
    if (!(level < specs::pep440_version(rows.back().driver))) continue;
    auto older = wish;
    older.question.driver = level.text() + (specs::is_branch(level.text()) ? ".0" : "");  // the least of it
    auto candidate = newest_candidate(knowledge, older);
    if (!candidate) break;  // nor with an older one: what an old driver runs, newer ones run
    if (candidate->version != rows.back().candidate.version)
      rows.push_back({level.text(), std::move(*candidate)});
  }
  if (rows.size() == 1) rows.clear();
  return rows;
}

}  // namespace stackx::advisor
