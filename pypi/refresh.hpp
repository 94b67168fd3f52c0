// One package as an index has it today (specs/package/package.hpp), of which an earlier state is known.
//
// The listing is asked for "only if it changed", metadata only of releases that are new: a run without news is one small
// request. Kept are releases with a wheel for Linux or a source archive; pre-releases are not. One file of a release is
// asked for its metadata: the wheel for the newest Python on x86-64, which is the one that pip would take; source
// archives are megabytes and are not read. `as_of` is the day of reading, news or not: rejected to move it only with the
// facts, after which answers called facts old that had just been read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pypi/index/index.hpp"
#include "specs/package/package.hpp"

namespace stackx::pypi {

struct Refreshed {
  specs::Package package;
  std::vector<std::string> added, withdrawn;  // versions: new, and no longer there or yanked since
  bool changed = false;                       // in more than the day of reading
  std::vector<std::string> unread;  // "1.2.0: reason": whose metadata could not be had
};

// Which releases are to be kept, and so asked for their metadata, of those that there are, oldest first: an answer for each.
using Wanted = std::function<std::vector<bool>(const std::vector<specs::Version>& versions)>;

// `source`: the index in a person's words. A listing without releases of a package that had some is a broken mirror's: an
// error. Nothing where the index knows no such project. `today`: "2026-11-22". Throws as Index does.
std::optional<Refreshed> refresh(const std::string& name, const std::optional<specs::Package>& before,
                                 const std::string& today, Index& index, const Wanted& wanted = {},
                                 const std::string& source = "PyPI");

}  // namespace stackx::pypi
