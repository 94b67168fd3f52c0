// Which stack a project is advised now, from what was measured for it alone.
//
// The one that the last pass's campaign ended with, for its verdicts are made to be looked at again and again (settling.hpp).
// It stays where nothing ran in that campaign, which says nothing of it (PastCampaign::blames_program).
// It goes where a campaign that `inspect` or a cluster ran since shows another to be faster (analysis/ranking), where it is
// not valid any more, or did not run in that campaign. Then, and before the first pass, it is the stack that leads all valid ones, as `advise`
// ranks them; where none was measured, the newest valid stack that has not failed.
// Rejected: always the leader of all measurements. Of equal stacks another one leads after every pass, and a ranking that is
// looked at after each of them calls one of them faster in the end.
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
specs::Stack held_by(const PastCampaign& campaign);

// Of the stacks that `counts` takes. Nothing where there is none.
std::optional<Advised> advised(const History& history, const Space& space, const SettlingRule& rule, const std::string& this_host,
                               const std::function<bool(const specs::Stack&)>& counts);

}  // namespace stackx::watch
