// What lies between two ends of Python packages (blame/between/between.hpp).
//
// An extra is in force for a version where its own end asks for it (blame/between/asked_extras.hpp). A requirement on what neither end has
// is nobody's: it is optional on this platform, or was left out.
#pragma once

#include "blame/between/between.hpp"
#include "blame/ends/end.hpp"
#include "blame/between/locked_package.hpp"

namespace stackx::blame {

struct PackagesContext {
  std::string usual_python = "3.12";      // where neither end names one
  std::string platform = "linux x86_64";  // or "manylinux_2_36_x86_64"
};

// Everything from the index: offline with a cache that has it. The catalog has all packages of both ends with
// their files, and `python`. Throws Error(bad_input) for what the index does not have (blame/between/locked_package.hpp).
Between between_packages(End old_end, End new_end, pypi::Index& index, const PackagesContext& context = {});

// The same from what is known, with no extras but those that the ends state: `locked` has every package of both ends on each of
// `pythons`.
Between between_locked(const End& old_end, const End& new_end, const Pythons& pythons, const LockedPackages& locked);

}  // namespace stackx::blame
