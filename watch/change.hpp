// What turns one stack into another, a component at a time, and how it is told: "numpy 2.2.1 -> 2.3.0".
#pragma once

#include <string>
#include <vector>

#include "specs/catalog/stack.hpp"

namespace stackx::watch {

struct Change {
  std::string component, before, after;  // before or after "": it has none
  bool operator==(const Change&) const = default;
};

std::vector<Change> changes(const specs::Stack& before, const specs::Stack& after);  // by component

std::string text(const Change& change);
std::string text(const std::vector<Change>& changes);  // "numpy 2.2.1 -> 2.3.0 with scipy 1.14 -> 1.15"

}  // namespace stackx::watch
