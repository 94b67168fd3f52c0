// What packages somebody has or wants, from any file that Python people keep that in.
//
//   requirements.txt                                     what is asked for; what is not from an index is skipped
//   Pipfile, pyproject.toml                              what is asked for, and from which indexes (package_sources.hpp); what
//                                                        comes from elsewhere is skipped
//   Amun                                                 what is asked for (specs/python/project.hpp)
//   Pipfile.lock, pylock.toml                            what was chosen (specs/python/lock_file.hpp)
//   uv.lock, poetry.lock                                 TOML: [[package]] with name and version; what comes from a path or
//                                                        repository is skipped; what is there twice has the markers that tell
//                                                        the platforms apart; where extras do, of uv those that are asked for
//                                                        say which is meant, and it is skipped where none does
//   environment.yml                                      conda: the list under `pip:`, and `python=3.11`; conda's own
//                                                        packages are other builds than the index's and are skipped
//   pip freeze                                           a text; what was installed from elsewhere (-e, NAME @ URL) is skipped
// Nothing is lost silently: what is skipped is named.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "specs/python/project.hpp"

namespace stackx::specs {

struct OwnIndex {
  std::string name, url;  // as the file calls it; url "": it does not say where that is
};

struct PackageList {
  std::vector<PlacedDependency> dependencies, constraints;
  std::optional<SpecifierSet> python;  // that the file asks for
  std::vector<std::string> skipped;    // "mylib (from a path)"
  std::map<std::string, std::vector<std::string>> hashes = {};  // of a lock: package -> SHA-256 of its files
  std::string index = {};  // that the file names in place of the usual one: a URL
  std::vector<std::string> extra_indexes = {};
  std::vector<std::string> first_indexes = {};      // what one of these has is taken from it alone
  std::vector<PlacedDependency> meant = {};  // conda's own packages, as an index calls them: other builds
  std::string conda_cuda = {};                   // that these are for: "11.8"
  std::map<std::string, OwnIndex> own_index = {};   // package -> the only one that it is taken from
  std::vector<PlacedDependency> overrides = {};  // of uv: in place of what any package asks of these
};

// `python` "": locks that need one for their markers take `usual_python`, and so do sources. Extras and groups of the context
// are those of pyproject.toml, Pipfile and uv.lock. Throws Error(bad_input) for what is none of these.
PackageList read_package_list(const std::filesystem::path& file, const PythonContext& context,
                              const std::string& usual_python);
// Of a file in the form of requirements.txt, whatever its name.
PackageList read_requirements_list(const std::filesystem::path& file);
// uv.lock and poetry.lock: what they name is for all platforms and has no hashes by environment.
bool is_for_all_platforms(const std::filesystem::path& file);
PackageList parse_freeze(std::string_view text, const std::string& name);
// "requests[security]==2.31" of the component requests+security.
std::string exact_requirement(const std::string& component, const std::string& version);

}  // namespace stackx::specs
