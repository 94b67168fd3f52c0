// What the tests of all versionings share. Errors, orders and equalities are checked over lists.
#pragma once

#include <string>
#include <vector>

#include "specs/version/version.hpp"

namespace stackx::tests {

specs::Version make_version(const std::string& text, specs::Versioning scheme);  // throws on errors

// -1, 0 or 1.
int sign(std::partial_ordering order);
int sign(long long order);

// Every pair of an ascending list, in both directions.
void check_ascending(const std::vector<std::string>& texts, specs::Versioning scheme);
// All are one version, and hash alike.
void check_equal(const std::vector<std::string>& texts, specs::Versioning scheme);
// The text is no version: at this column, for a reason that contains `part`.
void check_error(const std::string& text, specs::Versioning scheme, std::size_t column,
                 const std::string& part);

}  // namespace stackx::tests
