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
// The first leads: "numpy 2.2.1 -> 2.3.0 with scipy 1.14 -> 1.15"; "mkl 2026.2.0 instead of blis 0.9.0 with tbb 2023.2 added".
std::string text(const std::vector<Change>& changes);
std::string short_text(const std::vector<Change>& changes);  // of the first: "numpy 2.2.1 -> 2.3.0 (+1)", "mkl 2026.2.0 (+2)"
std::string company_of(const std::vector<Change>& changes);  // of the others: "scipy 1.14 -> 1.15"; "": none

}  // namespace stackx::watch
