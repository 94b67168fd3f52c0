// Alternatives of Poetry as one range of PEP 440, which has no "or": what lies around all of them, without what lies between.
//
//   ^1.24 || ^2.0               >=1.24,<3                  nothing lies between
//   ~2.4 || ~2.7                >=2.4,<2.8,!=2.5.*,!=2.6.*
//   >=3.9,<3.9.1 || >3.9.1      >=3.9,!=3.9.1
// Rejected: the newest alternative alone, with which an answer would be about less than is allowed. What lies between two series of
// which nobody knows the last release (~1.26 || ^2.1: 1.27, 1.28, ...) has no such form.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stackx::specs {

// Of ranges of PEP 440, each with >=, >, <=, < and == alone. Nothing where no range of PEP 440 says the same.
std::optional<std::string> any_of_ranges(const std::vector<std::string>& ranges);

}  // namespace stackx::specs
