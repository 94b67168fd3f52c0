// Which files of a listing are candidates for a target, one a version, as pip decides; and why others are not.
//
// Left out: files uploaded on or after a date, files whose Requires-Python excludes the target, yanked ones (unless
// the version is asked for by `==`), versions outside of the range asked for, and pre-releases, unless they are
// allowed, named by the range, or all that there is. Then `Files` decides:
//   wheels   versions with a wheel for the target: what runs without building
//   sdists   also versions with a source archive: what pip would build
//   any      also versions with wheels for other Pythons alone: the catalog says that they need one of those
// The facts of a version without a wheel for the target come from another wheel, preferably one for its platform
// and a late Python, else from the source archive.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pypi/listing.hpp"
#include "specs/wheel_target.hpp"
#include "specs/specifier.hpp"

namespace stackx::pypi {

enum class Files { wheels, sdists, any };

struct Rules {
  Files files = Files::wheels;
  std::string before;  // RFC 3339 date or time; "" for no limit
  bool prereleases = false;
};

struct Candidate {
  specs::Version version;  // in normal form
  File file;
  bool fits = true;                       // a wheel for the target
  std::vector<std::string> pythons = {};  // not empty: only for these, as specifiers ("==3.6.*")
};

struct LeftOut {
  std::string version;  // or the file's name, where it gives none
  std::string reason;
};

struct Candidates {
  std::vector<Candidate> kept;    // oldest version first
  std::vector<LeftOut> left_out;  // in the same order
};

// `name` is normalised; `range` is what the user asked of it.
Candidates choose(const std::string& name, const Listing& listing, const specs::SpecifierSet& range,
                  const specs::Target& target, const Rules& rules);

}  // namespace stackx::pypi
