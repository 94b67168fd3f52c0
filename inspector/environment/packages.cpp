#include "inspector/environment/packages.hpp"

#include <filesystem>
#include <sstream>

#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"
#include "specs/format/names.hpp"

namespace stackx::inspector {
namespace {

constexpr std::string_view installed = "installed ";

}  // namespace

std::string Packages::query(const std::vector<std::string>& arguments) {
  Command command;
  command.argv = {"dpkg-query"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = tool_environment();
  command.environment["LC_ALL"] = "C";
  const auto finished = run(command);
  return finished.ok() ? finished.out : "";
}

std::optional<std::string> Packages::version(const std::string& package) {
  if (!specs::is_debian_package_name(package)) return std::nullopt;
  const auto [known, is_new] = versions_.try_emplace(package);
  if (is_new) {
    // One line an architecture; config files of a removed package have a version too.
    std::istringstream lines(
        query({"-W", "-f", "${db:Status-Status} ${Version}\\n", "--", package}));
    for (std::string line; std::getline(lines, line) && !known->second;) {
      if (line.starts_with(installed)) known->second = line.substr(installed.size());
    }
  }
  return known->second;
}

std::optional<std::string> Packages::owner(const std::string& file) {
  const auto [known, is_new] = owners_.try_emplace(file);
  if (!is_new) return known->second;
  // dpkg knows files by the path they were shipped with: /lib/... where /lib is now a link to
  // /usr/lib.
  std::vector<std::string> names{file};
  if (file.starts_with("/usr/")) names.push_back(file.substr(4));
  for (const auto& name : names) {
    if (name.find_first_of("*?[\\") != std::string::npos)
      continue;  // dpkg-query would match a pattern
    const auto line = query({"-S", "--", name});
    const auto colon = line.find(": ");
    if (colon == std::string::npos || line.starts_with("diversion")) continue;
    const auto package = line.substr(0, colon);
    known->second = package.substr(0, package.find_first_of(":,"));
    break;
  }
  return known->second;
}

}  // namespace stackx::inspector
