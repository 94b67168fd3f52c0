#include "advisor/check/nearest/near_releases.hpp"

#include <algorithm>

#include "advisor/check/nearest/with_code.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {

std::vector<const specs::PackageRelease*> releases_towards(const Knowledge& knowledge, const Question& question, const Extras& extras,
                                                           const std::string& name, const std::string& from, const std::string& newest) {
  constexpr std::size_t most = 8;
  const auto* package = knowledge.package(name);
  const auto lacks_extra = [&](const specs::PackageRelease& release) {
    return std::ranges::any_of(question.asked, [&](const auto& placed) {
      return knowledge.real_name(placed.dependency.name) == name && std::ranges::any_of(placed.dependency.extras, [&](const auto& extra) {
               return !knowledge.requirements(name, release) || !extras.failure(*package, release, extra).empty();
             });
    });
  };
  // By PTX of years before the GPU, which the libraries beside it need not have.
  const auto compiles_first = [&](const specs::PackageRelease& release) {
    const auto build = knowledge.about(name, release.version, "", question.machine).built_for;
    return question.gpu && build && build->vendor() == "nvidia" &&
           build->reach(question.gpu->compute_capability) == specs::GpuBuild::Reach::ptx;
  };
  const auto released = [](const std::string& text) { return specs::pep440_version(specs::public_version(text)); };
  std::vector<const specs::PackageRelease*> result;
  for (const auto& release : package->releases) {  // from the oldest on
    const auto& text = release.version.text();
    const bool between = released(text) > released(from) && released(text) < released(newest);
    if (!between || release.yanked || release.version.is_prerelease()) continue;
    if (!has_code_for(knowledge, name, release, question) || compiles_first(release) || lacks_extra(release)) continue;
    const bool same_series = !result.empty() && specs::minor_release(result.back()->version.text()) == specs::minor_release(text);
    if (same_series && specs::is_local(text) && !specs::is_local(result.back()->version.text())) continue;
    if (same_series) result.pop_back();
    if (result.size() == most) break;
    result.push_back(&release);
  }
  return result;
}

}  // namespace stackx::advisor
