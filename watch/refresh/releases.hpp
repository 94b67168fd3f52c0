// Releases that a hand-written catalog does not know yet, as an overlay over it.
//
// Whoever wrote down that "mkl 2026.2.0" is a wheel whose library lies in lib/ need not do so again for 2026.3.0: a component
// whose newest version is a wheel of the index gains what the index has released since. Such a version is taken to be like the
// newest that is known (requirements, settings, library), with its own file, and numbers that follow the version follow it
// (it provides blas 0.3.35 where 0.3.34.481 provides 0.3.34). It is taken only where its metadata requires what the known one's
// requires; else it is left to whoever keeps the catalog, and named. What the library then says of itself is checked by every
// inspection, as ever. Rejected: adding all that the index has to such catalogs; what is older was left out by somebody.
#pragma once

#include <string>
#include <vector>

#include "pypi/index/index.hpp"
#include "specs/format/json.hpp"

namespace stackx::watch {

struct NewReleases {
  specs::Json overlay;               // stackx/catalog/1; null where there is nothing new
  std::vector<std::string> added;    // "mkl 2026.3.0"
  std::vector<std::string> skipped;  // "mkl 2027.0: it requires other packages than 2026.2.0 does"
};

NewReleases new_releases(const specs::Node& catalog, pypi::Index& index, const std::string& platform, const std::string& today);

// "0.3.35" of 0.3.35.1.0, where 0.3.34 was that of 0.3.34.481.3; `text` itself where it does not follow the version.
std::string following(const std::string& text, const std::string& of_version, const std::string& now);

}  // namespace stackx::watch
