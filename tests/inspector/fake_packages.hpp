// Packages that own what the test says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "inspector/environment/packages.hpp"

namespace stackx::inspector::testing {

class FakePackages : public Packages {
 public:
  std::map<std::string, std::string> owners, versions;

 protected:
  std::string query(const std::vector<std::string>& arguments) override {
    const auto& asked = arguments.back();
    if (arguments[0] == "-S") return owners.contains(asked) ? owners[asked] + ": " + asked : "";
    return versions.contains(asked) ? "installed " + versions[asked] + "\n" : "";
  }
};

}  // namespace stackx::inspector::testing
