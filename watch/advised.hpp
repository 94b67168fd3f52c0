// Which stack a project is advised now, from what was measured for it alone.
//
// As `advise` ranks it: the stack that leads all valid ones (analysis/ranking). Of those that tie with the leader the one
// stays that the last pass held, so that noise between equal stacks is no news; where nothing valid was measured it is the
// newest valid stack that has not failed. Rejected: the leader by its median alone, which changes from pass to pass.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "watch/history.hpp"
#include "watch/settling.hpp"
#include "watch/space.hpp"

namespace stackx::watch {

struct Advised {
  specs::Stack stack;
  bool measured = false;         // else it is the newest, and nothing is known of its speed
  std::optional<double> median;  // of its rate
  std::string unit;
};

// The one that a pass's campaign ends with: the newcomer that was shown to be the fastest, else the stack that was advised.
specs::Stack held_by(const PastCampaign& campaign, const SettlingRule& rule);

// Of the stacks that `counts` takes. Nothing where there is none.
std::optional<Advised> advised(const History& history, const Space& space, const SettlingRule& rule, const std::string& this_host,
                               const std::function<bool(const specs::Stack&)>& counts);

}  // namespace stackx::watch
