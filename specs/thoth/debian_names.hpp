// Names of RPM packages -> names of Debian packages (format stackx/debian-names/1, data/debian-names.json).
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace stackx::specs {

struct DebianNames {
  std::map<std::string, std::string> names;       // "which" -> "debianutils"
  std::map<std::string, std::string> not_needed;  // "python3-pip" -> why not
};

DebianNames load_debian_names(const std::filesystem::path& file);

}  // namespace stackx::specs
