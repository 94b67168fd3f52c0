#include "cli/resolve/python_of_project.hpp"

#include <algorithm>

#include "advisor/check/world/pythons.hpp"
#include "campaigns/python_project.hpp"
#include "specs/python/wheel_target.hpp"

namespace stackx::cli {

std::string python_for(const specs::PythonProject& project) {
  const auto here = campaigns::measured_python("");
  const auto allows = [&](const std::string& python) {
    return !project.python || project.python->dependency.versions.contains(specs::Target(python, "linux x86_64").python_version());
  };
  if (allows(here)) return here;
  const auto found = std::ranges::find_if(advisor::known_pythons(), allows);
  return found == advisor::known_pythons().end() ? here : *found;
}

}  // namespace stackx::cli
