// The filters of `stackx query`, as they are written on the command line.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "store/questions/questions.hpp"

namespace stackx::cli {

// What the catalogs that come with stackx say about components: enough to know how versions compare
// and which components have no upgrades. Read without their versions, in about 5 ms.
struct ComponentKinds {
  std::map<std::string, specs::Versioning> versioning;  // where it is not pep440
  std::set<std::string> no_upgrades;                    // settings and hardware
};
ComponentKinds read_component_kinds(const std::filesystem::path& data_directory);

// "numpy", "numpy>=2", "libopenblas0 >= 0.3.21" (under the component's own versioning). A version that
// the scheme cannot read is in no set but "*". Throws Error(bad_input).
store::ComponentFilter parse_component_filter(const std::string& text, const ComponentKinds& kinds);

// "30d" (h, d, w), "2026-01-31" or "2026-01-31T12:00:00Z", in ms since the epoch. Throws
// Error(bad_input), which names the option.
std::int64_t parse_since(const std::string& text, std::chrono::system_clock::time_point now, const std::string& option = "--since");

}  // namespace stackx::cli
