// Campaigns of our own, backtested: what is chosen after one half of the rounds, against what the other half measured.
// Recorded rates, a stack a line (JSON Lines): { "campaign", "workload", "stack", "gflop_s": one a round, null where it
// failed }; in the order of the plan.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stackx::bench {

struct CampaignAnswer {
  std::string campaign;
  std::size_t stacks = 0, tied = 0;  // tied: those that share the first rank
  struct Choice {
    std::string strategy, stack;
    double regret = 0;  // best median of the other half / the chosen one's - 1
  };
  // The first of the ranking, as advise answers; of those that share its rank the newest version of the same library,
  // its settings left alone; the newest of what the first in the list is; the first in the list.
  std::vector<Choice> choices;
};

std::vector<CampaignAnswer> backtest_campaigns(const std::filesystem::path& file);  // throws on a bad file
std::string campaign_table(const std::vector<CampaignAnswer>& answers);

}  // namespace stackx::bench
