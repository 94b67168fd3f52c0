#include "advisor/check/world/pythons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "specs/error.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

// A release that a target could install: within the range, with a wheel for it.
bool suits(const specs::PackageRelease& release, const specs::SpecifierSet& versions, const specs::Target& target) {
  if (!versions.contains(release.version)) return false;
  if (specs::is_local(release.version.text()) && !specs::is_local(versions.text())) return false;
  if (release.yanked && specs::single_version(versions).empty()) return false;
  if (!target.is_within(specs::range_or_any(release.requires_python))) return false;
  if (release.wheels.empty()) return release.source;
  return std::ranges::any_of(release.wheels, [&](const auto& tags) { return target.rank(tags).has_value(); });
}

// Facts may name the Pythons on which it is of use. They are gathered for a release that suits, not for each that is passed over.
bool is_usable(const Knowledge& knowledge, const std::string& name, const specs::PackageRelease& release, const std::string& python) {
  const auto pythons = knowledge.about(name, release.version).pythons;
  return pythons.empty() || std::ranges::find(pythons, python) != pythons.end();
}

}  // namespace

const std::vector<std::string>& known_pythons() {
  static const std::vector<std::string> pythons{"3.15", "3.14", "3.13", "3.12", "3.11", "3.10", "3.9",
                                                "3.8",  "3.7",  "3.6",  "3.5",  "3.4",  "2.7"};
  return pythons;
}

void refuse_free_threaded(const std::string& python) {
  if (python.size() < 2 || !python.ends_with('t') || python.find_first_not_of("0123456789.") != python.size() - 1) return;
  throw bad_input(fmt::format("--python {0}: free-threaded builds of Python take other wheels, which are not known here; --python {1} is the usual build",
                              python, python.substr(0, python.size() - 1)));
}

bool leaves_out(const Knowledge& knowledge, const Question& question, const std::string& here, const std::string& there) {
  const auto environment = [&](const std::string& one) { return specs::Target(question.release_of(one), "linux " + question.machine).environment(); };
  const auto now = environment(here), then = environment(there);
  return std::ranges::any_of(question.asked, [&](const auto& placed) {
    return knowledge.package(knowledge.real_name(placed.dependency.name)) && placed.dependency.holds(now) && !placed.dependency.holds(then);
  });
}

std::vector<std::string> pythons_from(const std::string& python, std::vector<std::string> pythons) {
  const auto place = [](const std::string& one) { return std::ranges::find(known_pythons(), one) - known_pythons().begin(); };
  std::ranges::stable_sort(pythons, {}, [&](const auto& one) { return std::abs(place(one) - place(python)); });
  return pythons;
}

std::vector<std::string> likely_pythons(const Knowledge& knowledge, const Question& question) {
  static const std::vector<std::string> usual{"3.12", "3.11", "3.13", "3.10", "3.14", "3.9", "3.15",
                                              "3.8",  "3.7",  "3.6",  "3.5",  "3.4", "2.7"};
  struct Rated {
    std::vector<int> places;  // of each package: how many of its releases are as old or older; 0: none for this Python
    std::string python;
  };
  std::vector<Rated> all;
  for (const auto& python : usual) {
    const specs::Target target(question.release_of(python), "linux " + question.machine);
    if (question.pythons && !target.is_within(*question.pythons)) continue;
    Rated rated{{0}, python};
    const bool installs_nothing = std::ranges::none_of(question.asked, [&](const auto& placed) { return placed.dependency.holds(target.environment()); });
    if (installs_nothing && !question.asked.empty()) continue;  // by markers
    for (const auto& placed : question.asked) {
      if (!placed.dependency.holds(target.environment())) continue;
      const auto* package = knowledge.package(knowledge.real_name(placed.dependency.name));
      if (!package) continue;
      int place = 0;
      for (int i = static_cast<int>(package->releases.size()); i > 0 && place == 0; --i)
        if (const auto& release = package->releases[static_cast<std::size_t>(i - 1)];
            suits(release, placed.dependency.versions, target) && is_usable(knowledge, package->name, release, python))
          place = i;
      if (place == 0) --rated.places.front();
      rated.places.push_back(place);
    }
    all.push_back(std::move(rated));
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Rated::places);
  std::vector<std::string> pythons;
  for (auto& one : all) pythons.push_back(std::move(one.python));
  return pythons;
}

}  // namespace stackx::advisor
