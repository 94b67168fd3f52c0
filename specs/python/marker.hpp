// Environment markers (PEP 508, PEP 751): `python_version < "3.8" and extra == "gpu"`.
//
// A comparison with python_version, python_full_version, implementation_version or platform_release
// is one of versions where the other side makes a specifier, else one of texts; of texts only ==,
// != and in / not in (substrings) can say more than "equal", as PyPI's `packaging` (26.3) has it.
// `extra` compares normalised names. `extras` and `dependency_groups` are sets, asked for members:
// "gpu" in extras. Legacy spellings (os.name, python_implementation) are read and written anew.
//
// Stricter than `packaging`, which finds these only on evaluating: two literals, a set that is not
// asked for membership, ~= and === where no versions are compared. Both sides may be variables.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "specs/version/version.hpp"

namespace stackx::specs {

struct MarkerEnvironment {
  std::map<std::string, std::string, std::less<>> variables;     // absent: ""
  std::set<std::string, std::less<>> extras, dependency_groups;  // normalised names

  // CPython `version` ("3.7", "3.11.4"; without a third number the first release, like pip's
  // --python-version) on "linux x86_64", "macos arm64", "windows amd64" (also with '_' or '-').
  // Kernel release and version are "": a stack is not bound to one. Throws bad_input.
  static MarkerEnvironment for_python(std::string_view version, std::string_view platform);
};

class Marker {
 public:
  static std::expected<Marker, ParseError> parse(std::string_view text);

  bool holds(const MarkerEnvironment& environment) const;
  std::string text() const;  // normal form; parses to an equal marker

 private:
  struct Tree;  // immutable and shared: a copy is a pointer
  friend class MarkerParser;
  explicit Marker(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}
  std::shared_ptr<const Tree> tree_;
};

}  // namespace stackx::specs
