// Names that completions offer and the program knows: what `stackx completion names` prints, in some milliseconds, since a
// shell asks at a key. So none comes from the store.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::cli::manual {

struct Name {
  std::string name;  // as it is typed: letters, digits and signs that mean nothing to a shell
  std::string what;  // "Tesla V100 SXM2 16GB and 7 more"
};

// `host`, families, models, processors, microarchitectures and their aliases.
std::vector<Name> hardware_names(const std::filesystem::path& data_directory);
// Families and aliases. `begun` is what stands there: behind "matmul:" what parameters there are ("matmul:m="), behind
// "matmul:dtype=" its values.
std::vector<Name> workload_names(const std::filesystem::path& data_directory, std::string_view begun);
// Catalogs that come with stackx.
std::vector<Name> catalog_names(const std::filesystem::path& data_directory);

}  // namespace stackx::cli::manual
