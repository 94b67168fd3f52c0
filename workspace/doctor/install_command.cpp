#include "workspace/doctor/install_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "inspector/process/process.hpp"

namespace stackx::workspace {

std::string install_command(const std::string& packages) {
  constexpr std::pair<const char*, const char*> managers[] = {
      {"apt-get", "apt-get install"}, {"dnf", "dnf install"}, {"zypper", "zypper install"}, {"pacman", "pacman -S"}, {"apk", "apk add"}};
  for (const auto& [program, command] : managers)
    if (!inspector::find_program(program).empty())
      return fmt::format("{}{} {}", ::geteuid() == 0 ? "" : "sudo ", command, packages);
  return fmt::format("Have {} installed: packages of the system", packages);
}

}  // namespace stackx::workspace
