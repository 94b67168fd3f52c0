// One pass of the head over a campaign: ask the schedulers, take in what has come, see what is missing, submit that.
//
// The head keeps nothing in mind between two passes, so it may be killed, run from cron, or twice at a time: all that it needs
// are the store, the spool and the schedulers' queues. The queues are asked before the spool is read: what ended between the
// two has left its documents. What a queue does not know (the controller is down) is unknown, and unknown submits nothing. A
// block is given up after so many submissions that brought no round (`attempts`), and that is said; `again` forgets them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "campaigns/cluster/head/collect.hpp"
#include "campaigns/cluster/head/standing.hpp"
#include "campaigns/cluster/scheduler.hpp"

namespace stackx::campaigns::cluster {

struct TargetView {
  std::string name;
  bool on_slurm = true;
  Standing standing;
  std::uint64_t waves = 0;                                         // begun
  Blocks done, running, waiting, held, missing, given_up, unknown;  // of these waves, each block in one
  Blocks submitted;                                                // by this pass
  Queue queue;
  std::vector<Attempt> attempts;     // starts that did not end well
  std::string refused;               // why this pass submitted nothing of what is missing; ""
  std::vector<std::string> remarks;  // of the strategy
  std::size_t arms = 0;              // of the last wave
  bool finished = false;             // nothing runs, nothing is missing, and the strategy has what it wants
  std::size_t blocks() const;        // all of them
};

struct View {
  bool spool_is_there = true, cancelled = false;
  Collected collected;
  std::vector<TargetView> targets;
  bool finished() const;
  bool has_given_up() const;
  bool was_refused() const;
};

struct PassOptions {
  bool submit = false;  // what is missing
  bool again = false;   // also blocks that were given up
};

View pass(const specs::ClusterCampaign& campaign, const fs::path& root, const fs::path& program, store::Store& store,
          const PassOptions& options, const std::function<void(std::uint64_t documents)>& progress = {});

}  // namespace stackx::campaigns::cluster
