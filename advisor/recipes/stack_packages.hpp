// The Python packages of a stack, as Python's own tools name them.
//
// A component of the ecosystem "pypi", or one with wheels or source archives, is a package; what an artifact calls it
// (`package`, `package_version`) beats the component's name. "requests+security" is the extra of requests.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/python/build_index.hpp"

namespace stackx::advisor {

struct StackPackage {
  std::string version;                 // "": none is known, and `range` is what was asked for
  std::set<std::string> extras;
  std::vector<specs::Artifact> files;  // wheels and source archives that the catalog knows of it
  bool root = false;                   // asked for, not only required by another
  std::optional<specs::BuildIndex> index = {};  // that has this build; nothing: the one that pip knows
  std::string range = {};  // as the user wrote it: ">=1.21,<2"; "": any

  std::string versions() const;  // "==0.6.2"; the range of what is not pinned, or ""

  std::set<std::string> hashes() const;  // "sha256:..." of its files
};
using StackPackages = std::map<std::string, StackPackage>;

// `roots`: components asked for; where none of them is a package, all packages are.
StackPackages stack_packages(const specs::Stack& stack, const specs::Catalog& catalog,
                             const std::set<std::string>& roots);

std::string requirement_text(const std::string& name, const StackPackage& package);  // "jax[cuda12]==0.6.2"

// Both as Python's tools read them, for files whose readers would see more in `1;x` than a version. Throw
// Error(bad_input) naming what it is. Of what is not pinned the range is held against it.
void check_python_name(const std::string& name);
void check_python_version(const std::string& name, const std::string& version);
void check_python_versions(const std::string& name, const StackPackage& package);

}  // namespace stackx::advisor
