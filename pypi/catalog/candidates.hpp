// Which files of a listing are candidates for the targets, as pip decides for each of them; and why others are not.
//
// Left out: files that their listing lies about, versions that no catalog can name, files uploaded on or after a date,
// files whose Requires-Python excludes the target, and versions outside of the ranges asked for. Yanked versions (unless
// asked for by `==`) and pre-releases (unless they are allowed, named by a range, or all that there is) must be named by
// who requires them (specs/catalog/by_name.hpp). Then `Files` decides:
//   wheels   versions with a wheel for the target: what runs without building
//   sdists   also versions with a source archive: what pip would build
//   any      also versions with wheels for other Pythons alone: the catalog says that they need one of those
// The facts of a version without a wheel for the target come from another wheel, preferably one for its platform
// and a late Python, else from the source archive. A version is kept if it serves one target at least.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pypi/catalog/targets.hpp"
#include "pypi/index/listing.hpp"
#include "specs/catalog/by_name.hpp"
#include "specs/version/specifier.hpp"

namespace stackx::pypi {

enum class Files { wheels, sdists, any };

struct Rules {
  Files files = Files::wheels;
  std::string before = {};  // RFC 3339 date or time; "" for no limit
  bool prereleases = false;
  bool sources = false;    // name source archives, to be built where no wheel serves a target
  std::size_t newest = 0;  // versions of a dependency for each requirement on it; 0: all (closure.hpp)
};

// What a version has for one target.
struct Serving {
  std::size_t target;          // of Targets
  File file;                   // states the facts: the best wheel for the target, else another file
  bool fits = true;            // that wheel
  std::optional<File> source;  // where no wheel fits
};

struct Candidate {
  specs::Version version;                 // in normal form
  std::vector<Serving> servings;          // one at least, targets ascending
  std::vector<std::string> pythons = {};  // not empty: only for these, as specifiers ("==3.6.*")
  specs::ByName by_name = specs::ByName::no;
};

struct LeftOut {
  std::string version;  // or the file's name, where it gives none
  std::string reason;
  std::string to_have = {};  // what would have it in: "import with --pre"; "" if nothing is known
};

struct Candidates {
  std::vector<Candidate> kept;    // oldest version first
  std::vector<LeftOut> left_out;  // in the same order
};

// What the user asked of a project: versions in any of these ranges. None: nothing, all serve.
using Ranges = std::vector<specs::SpecifierSet>;

// `name` is normalised; `asked` has the ranges for each target.
Candidates choose(const std::string& name, const Listing& listing, const std::vector<Ranges>& asked,
                  const Targets& targets, const Rules& rules);

}  // namespace stackx::pypi
