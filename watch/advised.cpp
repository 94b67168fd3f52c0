#include "watch/advised.hpp"

#include <algorithm>

#include "analysis/ranking/ranking.hpp"

namespace stackx::watch {

specs::Stack held_by(const PastCampaign& campaign, const SettlingRule& rule) {
  const auto newcomers = campaign.newcomers();
  const auto settling = settle(campaign.results, newcomers.size(), campaign.progress.rounds, rule);
  const specs::Stack* best = &campaign.advised();
  double most = 1;
  for (std::size_t i = 0; i < newcomers.size(); ++i) {
    const auto& one = settling.newcomers[i];
    if (!one.is(analysis::Verdict::faster) || one.comparison.ratio <= most) continue;
    best = &newcomers[i];
    most = one.comparison.ratio;
  }
  return *best;
}

std::optional<Advised> advised(const History& history, const Space& space, const SettlingRule& rule, const std::string& this_host,
                               const std::function<bool(const specs::Stack&)>& counts) {
  std::vector<store::Measurement> counting;
  for (const auto& one : history.measurements())
    if (counts(one.stack)) counting.push_back(one);
  if (!counting.empty()) {
    analysis::Options options;
    options.delta = rule.delta;
    options.this_host = this_host;
    options.drift = false;
    const auto ranking = analysis::rank(counting, counting.front().workload, options);
    const auto& rows = ranking.recommendations;
    if (!rows.empty()) {
      const auto held = history.last() ? std::optional(held_by(*history.last(), rule)) : std::nullopt;
      const auto kept = std::ranges::find_if(rows, [&](const auto& row) { return held && row.stack == *held && row.rank == rows.front().rank; });
      const auto& row = kept == rows.end() ? rows.front() : *kept;
      return Advised{row.stack, true, row.median, ranking.unit};
    }
  }
  auto newest = space.newest([&](const specs::Stack& stack) { return !history.only_failed(stack) && counts(stack); });
  if (!newest) return std::nullopt;
  return Advised{*std::move(newest), false, std::nullopt, {}};
}

}  // namespace stackx::watch
