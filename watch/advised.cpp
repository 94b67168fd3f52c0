#include "watch/advised.hpp"

#include <algorithm>

#include "analysis/ranking/ranking.hpp"

namespace stackx::watch {

specs::Stack held_by(const PastCampaign& campaign) {
  const auto newcomers = campaign.newcomers();
  const auto settling = campaign.settled();
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
  const bool is_broken = history.last() && history.last()->settled().advised_failed && !history.last()->blames_program();
  const auto broken = is_broken ? std::optional(history.last()->advised()) : std::nullopt;
  const auto ranked = [&](const std::function<bool(const store::Measurement&)>& wanted) {
    std::vector<store::Measurement> counting;
    for (const auto& one : history.measurements())
      if (counts(one.stack) && one.stack != broken && wanted(one)) counting.push_back(one);
    analysis::Options options;
    options.delta = rule.delta;
    options.this_host = this_host;
    options.drift = false;
    return counting.empty() ? analysis::Ranking{} : analysis::rank(counting, counting.front().workload, options);
  };
  const auto all = ranked([](const auto&) { return true; });
  const auto answer = [&](const analysis::Recommendation& row) { return Advised{row.stack, true, row.median, all.unit}; };
  const auto row_of = [](const analysis::Ranking& ranking, const specs::Stack& stack) {
    return std::ranges::find(ranking.recommendations, stack, &analysis::Recommendation::stack);
  };
  if (history.last()) {
    const auto held = held_by(*history.last());
    const auto since = ranked([&](const auto& one) { return history.later().contains(one.campaign); });
    const auto own = row_of(since, held);
    const bool is_beaten = own != since.recommendations.end() && own->rank > since.recommendations.front().rank;
    if (is_beaten) return answer(*row_of(all, since.recommendations.front().stack));
    if (const auto row = row_of(all, held); row != all.recommendations.end()) return answer(*row);
  }
  if (!all.recommendations.empty()) return answer(all.recommendations.front());
  auto newest = space.newest([&](const specs::Stack& stack) { return !history.only_failed(stack) && stack != broken && counts(stack); });
  if (!newest) return std::nullopt;
  return Advised{*std::move(newest), false, std::nullopt, {}};
}

}  // namespace stackx::watch
