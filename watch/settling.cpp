#include "watch/settling.hpp"

#include <algorithm>
#include <map>

namespace stackx::watch {

using specs::Outcome;

namespace {

struct ArmHistory {
  std::map<std::uint64_t, double> log_rates;  // by round
  std::size_t failures = 0;
  bool is_unbuildable = false;
  Outcome outcome = Outcome::ok;  // of the last failure
  std::string reason;

  bool is_broken() const { return log_rates.empty() && (is_unbuildable || failures >= 2); }
};

std::vector<ArmHistory> histories(const std::vector<ArmResult>& results, std::size_t newcomers, std::uint64_t rounds) {
  std::vector<ArmHistory> all(newcomers + 1);
  for (const auto& one : results) {
    if (one.arm >= all.size() || one.round >= rounds) continue;
    auto& arm = all[one.arm];
    if (one.outcome == Outcome::ok && one.log_rate) {
      arm.log_rates[one.round] = *one.log_rate;
      continue;
    }
    ++arm.failures;
    arm.is_unbuildable |= has_no_environment(one.outcome);
    arm.outcome = one.outcome;
    arm.reason = one.reason;
  }
  return all;
}

std::vector<double> paired(const ArmHistory& newcomer, const ArmHistory& advised, std::uint64_t rounds) {
  std::vector<double> logs;
  for (const auto& [round, log] : newcomer.log_rates)
    if (const auto other = advised.log_rates.find(round); round < rounds && other != advised.log_rates.end())
      logs.push_back(log - other->second);
  return logs;
}

void fail(Standing& standing, const ArmHistory& arm) {
  standing.state = Standing::State::failed;
  standing.outcome = arm.outcome;
  standing.reason = arm.reason;
}

// One look at those that are open, as one family.
void look(const std::vector<ArmHistory>& arms, std::uint64_t rounds, bool is_first, bool is_last, double error, const SettlingRule& rule,
          std::vector<Standing>& standings) {
  std::vector<std::size_t> open;
  std::vector<std::vector<double>> family;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    if (standings[i].state != Standing::State::open) continue;
    open.push_back(i);
    family.push_back(paired(arms[i + 1], arms[0], rounds));
  }
  if (open.empty()) return;
  const auto compared = analysis::compare(family, rule.delta, 1 - error);
  for (std::size_t k = 0; k < open.size(); ++k) {
    auto& standing = standings[open[k]];
    standing.comparison = compared[k];
    standing.rounds = rounds;
    if (compared[k].verdict != analysis::Verdict::unresolved)
      standing.state = Standing::State::settled;
    else if (is_last || (!is_first && (!compared[k].further_rounds || rounds + *compared[k].further_rounds > rule.most_rounds)))
      standing.state = Standing::State::hopeless;
  }
}

}  // namespace

bool has_no_environment(Outcome outcome) {
  switch (outcome) {
    case Outcome::build_failed:
    case Outcome::hash_mismatch:
    case Outcome::build_timed_out:
    case Outcome::disk_full:
    case Outcome::unsupported:
    case Outcome::too_large: return true;
    default: return false;
  }
}

bool Settling::has_open() const {
  return std::ranges::any_of(newcomers, [](const auto& one) { return one.state == Standing::State::open; });
}

std::vector<std::uint64_t> looks(std::size_t newcomers, const SettlingRule& rule) {
  std::vector<std::uint64_t> result;
  if (rule.looks_once) return {rule.most_rounds};
  std::uint64_t next = analysis::fewest_rounds(std::max<std::size_t>(newcomers, 1), 1 - rule.error / 2);
  for (; next < rule.most_rounds; next *= 2) result.push_back(next);
  result.push_back(rule.most_rounds);
  return result;
}

Settling settle(const std::vector<ArmResult>& results, std::size_t newcomers, std::uint64_t rounds, const SettlingRule& rule) {
  Settling settling{std::vector<Standing>(newcomers), std::nullopt};
  const auto arms = histories(results, newcomers, rounds);
  for (std::size_t i = 0; i < newcomers; ++i)
    if (arms[i + 1].is_broken()) fail(settling.newcomers[i], arms[i + 1]);
  if (arms[0].is_broken()) fail(settling.advised_failed.emplace(), arms[0]);
  double error = rule.error;
  const auto all = looks(newcomers, rule);
  for (const auto after : all) {
    if (!rule.looks_once) error /= 2;
    if (after > rounds) break;
    look(arms, after, after == all.front(), after == rule.most_rounds, error, rule, settling.newcomers);
  }
  for (std::size_t i = 0; i < newcomers; ++i)  // what is known before the first look, and since the last
    if (auto& one = settling.newcomers[i]; one.state == Standing::State::open) {
      one.comparison = analysis::compare({paired(arms[i + 1], arms[0], rounds)}, rule.delta, 1 - rule.error).front();
      one.comparison.verdict = analysis::Verdict::unresolved;
      one.rounds = one.comparison.pairs;
    }
  return settling;
}

std::vector<std::size_t> arms_of_round(const std::vector<ArmResult>& results, std::size_t newcomers, std::uint64_t round,
                                       const SettlingRule& rule) {
  if (round >= rule.most_rounds || (newcomers == 0 && round >= looks(0, rule).front())) return {};
  const auto settling = settle(results, newcomers, round, rule);
  if (settling.advised_failed || (newcomers > 0 && !settling.has_open())) return {};
  std::vector<std::size_t> running{0};
  for (std::size_t i = 0; i < newcomers; ++i)
    if (settling.newcomers[i].state == Standing::State::open) running.push_back(i + 1);
  return running;
}

SettlingProgress progress_of(const std::vector<ArmResult>& results, std::size_t newcomers, const SettlingRule& rule) {
  std::map<std::uint64_t, std::vector<std::size_t>> ran;
  for (const auto& one : results) ran[one.round].push_back(one.arm);
  SettlingProgress progress;
  for (;; ++progress.rounds) {
    const auto wanted = arms_of_round(results, newcomers, progress.rounds, rule);
    progress.is_complete = wanted.empty();
    const auto& there = ran[progress.rounds];
    const bool all = std::ranges::all_of(wanted, [&](auto arm) { return std::ranges::find(there, arm) != there.end(); });
    if (wanted.empty() || !all) return progress;
  }
}

}  // namespace stackx::watch
