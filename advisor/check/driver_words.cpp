#include "advisor/check/driver_words.hpp"

#include <fmt/format.h>

#include "advisor/check/judge.hpp"
#include "advisor/check/world/demands.hpp"
#include "specs/catalog/driver.hpp"
#include "specs/catalog/open.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {

std::string drivers_in_words(const PythonWorld& world, specs::Catalog chosen, const Question& question) {
  const auto found = chosen.components.find("driver");
  if (found == chosen.components.end()) return "";
  auto project = world.project;
  if (specs::is_branch(question.driver) && question.driver.size() < 7) {
    const auto end = std::to_string(std::stoi(question.driver) + 1);
    project.hardware.erase("driver");
    project.requires_.push_back(needs("driver", specs::range_or_any(fmt::format(">={},<{}", question.driver, end))));
    for (const auto& edge : {question.driver, end}) specs::add_open(found->second, edge);
  }
  return specs::ranges_in_words(found->second, possible_versions(project, chosen, "driver"));
}

std::string where_in_the_branch(const std::string& drivers, const Question& question) {
  if (!specs::is_branch(question.driver) || !drivers.starts_with(">=")) return "";
  const auto first = drivers.substr(2, drivers.find_first_of(", ") - 2);
  return specs::is_newer(first, question.driver) ? fmt::format(" (from {} on)", first) : "";
}

}  // namespace stackx::advisor
