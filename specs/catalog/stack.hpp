// A stack: the chosen version of every component, and its id.
#pragma once

#include <map>
#include <string>

namespace stackx::specs {

struct Stack {
  std::map<std::string, std::string> components;  // component -> version, as the catalog writes it

  std::string id() const;  // SHA-256 of the canonical JSON of {component: version}, 64 hex digits
  std::string short_id() const;  // the first 12
  auto operator<=>(const Stack&) const = default;
};

}  // namespace stackx::specs
