#include "specs/catalog/by_name.hpp"

#include "specs/version/specifier.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::specs {

const char* to_string(ByName by_name) {
  switch (by_name) {
    case ByName::no:
      return "no";
    case ByName::prerelease:
      return "pre-release";
    case ByName::yanked:
      return "yanked";
  }
  return "?";
}

bool brings(const SpecifierSet& range, const Version& version, ByName by_name, bool alone) {
  switch (by_name) {
    case ByName::no:
      return true;
    case ByName::prerelease:
      return alone || (!range.is_any() && range.contains(version, Prereleases::by_rule));
    case ByName::yanked:
      return is_pin(range);
  }
  return false;
}

}  // namespace stackx::specs
