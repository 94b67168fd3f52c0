// One start of a block, on its node: what a job calls.
//
// It looks what the node is and whether that was asked for, counts which rounds the block lacks, measures those in a plan of its
// own and delivers every document as it comes. Nothing is taken over from an earlier start but the count: an inspection of
// another node, or of another boot, is no half of this one's round. Nodes fetch nothing where the head has staged
// (stage.hpp). Of a block with several nodes it is called on each: the first does all this, the others what it tells them
// (together.hpp), and deliver nothing. SIGTERM (preemption) and SIGUSR2 (the wall time is near) end it between two inspections.
#pragma once

#include <filesystem>
#include <string>

#include "campaigns/cluster/place.hpp"
#include "workspace/context.hpp"

namespace stackx::campaigns::cluster {

struct BlockOptions {
  fs::path campaign;     // a directory with campaign.json and the target's files (place.hpp)
  std::string target;
  std::uint64_t block = 0;
  std::string attempt;   // the scheduler's word for this start; it need not be unique
  std::string job;       // as the scheduler's programs take it
  fs::path spool;        // the campaign's directory on the spool, where that is another; empty: `campaign`
  std::string send;      // a URL instead
  double patience = 600; // seconds to wait at the end for what cannot be delivered
  // Of a block with several nodes: where its first node awaits the others ("n1:29400"), which of them this one is, from 0, and for
  // how many seconds they wait for one another. They know each other by $STACKX_MEETING, else by the campaign's id.
  std::string meet;
  std::uint64_t worker = 0;
  double meet_patience = 600;
};

struct BlockEnd {
  AttemptState state = AttemptState::complete;
  std::string reason;
  std::uint64_t rounds = 0, missing = 0;  // that were complete when it ended; that its block lacks yet
  std::size_t undelivered = 0;            // documents, which lie in `kept`
  fs::path kept;
  bool is_environment = false;            // of `failed`: this machine is to blame (no engine, no space)
};

// Throws Error for what no node can do anything about: a campaign that is not there, a target that it has not.
BlockEnd run_block(const BlockOptions& options, const workspace::Context& context);

}  // namespace stackx::campaigns::cluster
