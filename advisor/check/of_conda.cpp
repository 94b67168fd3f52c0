#include "advisor/check/of_conda.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/frameworks.hpp"
#include "advisor/facts/torch_companions.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

class IndexForConda {
 public:
  IndexForConda(const OfConda& conda, const Knowledge& knowledge, Question& question) : conda_(conda), knowledge_(knowledge), question_(question) {}

  void run() {
    const bool alone = question_.asked.empty();
    if (conda_.meant.empty() || (!alone && !brings_a_framework())) return;
    question_.in_place_of = fmt::format("{} has conda's own packages, which are other builds than the package index's, and not known here; {}",
                                        conda_.file, alone ? "what the index calls so" : "with what the index calls so");
    question_.remarks.push_back(fmt::format("stackx advise --project {} says what of the index would do", conda_.file));
    for (const auto& placed : conda_.meant)
      if (!is_asked(placed)) question_.asked.push_back(for_its_cuda(placed));
  }

 private:
  bool is_asked(const specs::PlacedDependency& placed) const {
    return std::ranges::any_of(question_.asked, [&](const auto& one) {
      return knowledge_.real_name(one.dependency.name) == knowledge_.real_name(placed.dependency.name);
    });
  }

  bool brings_a_framework() const {
    return std::ranges::any_of(conda_.meant, [&](const auto& placed) { return is_framework(placed.dependency.name) && !is_asked(placed); });
  }

  // Some Python that is meant has a wheel of it.
  bool installs(const specs::PackageRelease& release) const {
    return std::ranges::any_of(known_pythons(), [&](const auto& python) {
      if (!question_.python.empty() && python != question_.python) return false;
      const specs::Target target(question_.release_of(python), "linux " + question_.machine);
      return (!question_.pythons || target.is_within(*question_.pythons)) &&
             std::ranges::any_of(release.wheels, [&](const auto& tags) { return target.rank(tags).has_value(); });
    });
  }

  // The newest build for conda's CUDA, where PyTorch's index has one.
  specs::PlacedDependency for_its_cuda(specs::PlacedDependency placed) {
    auto& dependency = placed.dependency;
    const auto* package = is_of_pytorch(dependency.name) ? knowledge_.package(dependency.name) : nullptr;
    if (!package || conda_.cuda.empty()) return placed;
    auto label = "cu" + conda_.cuda;
    std::erase(label, '.');
    for (auto release = package->releases.rbegin(); release != package->releases.rend(); ++release) {
      const auto version = release->version.text();
      if (specs::local_label(version) != label || release->yanked || !dependency.versions.contains(release->version) || !installs(*release)) continue;
      dependency.versions = specs::range_or_any("==" + version);
      return placed;
    }
    question_.remarks.push_back(fmt::format("no build of {} for CUDA {} is known on PyTorch's indexes; the usual one is judged", dependency.name, conda_.cuda));
    return placed;
  }

  const OfConda& conda_;
  const Knowledge& knowledge_;
  Question& question_;
};

}  // namespace

void ask_of_the_index(const OfConda& conda, const Knowledge& knowledge, Question& question) { IndexForConda(conda, knowledge, question).run(); }

}  // namespace stackx::advisor
