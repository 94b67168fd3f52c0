#include "advisor/check/misspelt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/check/world/python_world.hpp"
#include "advisor/facts/knowledge.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/hardware/accelerator.hpp"

namespace stackx::advisor {
namespace {

// One letter too few, too many or wrong, or two in each other's place. torchx, which goes on behind a name, and tensorly are packages.
bool is_slip_of(const std::string& name, const std::string& near) {
  if (name.starts_with(near)) return false;
  auto a = name, b = near;
  std::ranges::sort(a);
  std::ranges::sort(b);
  return specs::edit_distance(name, near) <= 1 || a == b;
}

std::string first_part(const std::string& name) { return name.substr(0, name.find('-')); }

// Packages that are there as source alone (cupy) have facts, and no releases.
bool is_named_in(const Knowledge& knowledge, const std::string& name) {
  const auto real = knowledge.real_name(name);
  return is_given(real) || knowledge.package(real) || !knowledge.about(real, specs::pep440_version("0")).note.empty();
}

}  // namespace

std::optional<std::string> misspelling_of(const std::string& name, const std::vector<std::string>& known) {
  auto near = specs::nearest(name, known);
  return near && specs::edit_distance(name, *near) <= (name.size() < 8 ? 1U : 2U) ? near : std::nullopt;
}

void refuse_misspelt(const std::vector<specs::PlacedDependency>& typed, const Knowledge& knowledge, const specs::Accelerators& accelerators) {
  std::vector<std::string> known;
  for (const auto& [dependency, place] : typed) {
    const auto& name = dependency.name;
    if (is_named_in(knowledge, name)) continue;
    if (accelerators.identify(name))
      throw bad_input(fmt::format("{0} is a GPU's name, not a package's; did you mean --hw {0}?", name));
    if (known.empty()) known = knowledge.names();
    const auto near = misspelling_of(name, known);
    if (near && !is_slip_of(name, *near)) continue;  // told of in the answer
    const bool of_a_family = std::ranges::any_of(known, [&](const auto& one) { return first_part(one) == first_part(name); });
    if (near && !of_a_family)
      throw bad_input(fmt::format("{0} is not known; did you mean {1}? (A package that is really called {0} is taken from a file: requirements.txt)",
                                  name, *near));
  }
}

}  // namespace stackx::advisor
