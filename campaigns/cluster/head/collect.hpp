// Takes what blocks have left on the spool into the store: every document once, whoever wrote it and however late.
//
// A start is a campaign of its own, and documents are addressed by their content: taking in twice changes nothing, in any
// order, and killed at any moment it goes on where it was. Starts of which the store has everything are not looked into again;
// of the others only files that the store lacks are read. Nothing on the spool is changed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "campaigns/cluster/place.hpp"
#include "store/store.hpp"

namespace stackx::campaigns::cluster {

struct Collected {
  std::uint64_t documents = 0;       // new in the store: inspections and plans
  std::uint64_t starts = 0;          // that were looked into
  std::vector<std::string> remarks;  // files that are damaged or refused, a line each, with the file
  bool whole = true;                 // the spool was there to the end
  std::vector<Attempt> attempts;     // what starts say of themselves: those that did not end well, or are under way
};

Collected collect(const specs::ClusterCampaign& campaign, const fs::path& root, store::Store& store,
                  const std::function<void(std::uint64_t documents)>& progress = {});

}  // namespace stackx::campaigns::cluster
