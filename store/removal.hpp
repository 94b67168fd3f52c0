// Results out of a store, in one transaction: those of campaigns, of a host, or older than a moment.
//
// Afterwards the store is what it would be had they never come: rows that only they shared (stacks, hosts with their names,
// contexts, ...) go with them, and sums are made again. A campaign of which nothing is left goes with its plan. Their result
// documents beside the store go before the transaction ends: those would come back with the next recovery. Killed at any moment, the
// store has all of them or none, and the same command again completes it; a document file that is gone already stands in the store
// as long. What other stores and files hold comes back when it is imported.
//
// Rejected: marking rows as removed, which every question would have to leave out; deleting through foreign keys, which reads all
// inspections for each shared row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "store/spool.hpp"

namespace stackx::store {

// All that is given must hold.
struct Removal {
  std::optional<std::vector<std::string>> campaigns = {};  // ids
  std::optional<std::string> host = {};                    // its name, or its fingerprint, or how that begins
  std::optional<std::int64_t> before = {};                 // finished before, ms since the epoch; what says no such time stays
};

struct Leaving {
  std::string campaign, project, created;  // "": what was measured in none
  std::uint64_t inspections = 0, failed = 0, of = 0;
  bool whole = false;  // nothing of the campaign is left: its plan goes, too
};

struct Removable {
  std::vector<Leaving> campaigns;  // the oldest first
  std::uint64_t inspections = 0, failed = 0, of = 0;  // `of`: that the store holds before
};

// By an id or how it begins, a campaign on a cluster by its (all starts of its blocks), else by the name of a project: all of it.
// Throws Error(bad_input) where there is none, or several ids begin so.
std::vector<std::string> campaigns_called(const std::filesystem::path& file, const std::string& name);

// What would go. Throws Error(bad_input) for a host that measured nothing.
Removable removable(const std::filesystem::path& file, const Removal& which);

// What went. The caller holds the campaigns, so that nobody runs them meanwhile.
Removable remove(const std::filesystem::path& file, const Removal& which, const Spool& spool);

}  // namespace stackx::store
