#include "specs/catalog/first_driver.hpp"

#include <algorithm>

#include "specs/version/version_text.hpp"

namespace stackx::specs {

std::string FirstDriver::in_branch_of(std::string_view driver) const {
  const auto branch = major_release(driver);
  if (major_release(since) == branch) return since;
  const auto found = std::ranges::find_if(also, [&](const auto& one) { return major_release(one) == branch; });
  return found == also.end() ? "" : *found;
}

bool FirstDriver::is_older(std::string_view driver) const {
  if (since.empty()) return false;
  if (const auto first = in_branch_of(driver); !first.empty()) return is_newer(first, driver);
  const auto after = [&](const std::string& one) { return is_newer(driver, one); };
  return !after(since) || !std::ranges::all_of(also, after);
}

}  // namespace stackx::specs
