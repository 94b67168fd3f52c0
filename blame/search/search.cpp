#include "blame/search/search.hpp"

#include <algorithm>
#include <cmath>

#include "specs/random.hpp"

namespace stackx::blame {
namespace {

// The search's own errors cost rounds, never a wrong claim.
constexpr double steering_alpha = 0.002, halving_alpha = 0.02;
constexpr std::size_t ends_rounds = 12, halving_rounds = 24, wide_rounds = 24, enough_rounds = 30, few_inspections = 200, most_attempts = 3, most_ways = 5;

struct Stopped {};  // no round more

void add_new(std::vector<Subset>& stacks, const Subset& stack) {
  if (std::ranges::find(stacks, stack) == stacks.end()) stacks.push_back(stack);
}

class Search {
 public:
  Search(const Lattice& lattice, const Settings& settings, const Ask& ask) : lattice_(lattice), settings_(settings), ask_(ask) {}

  Answer run() {
    try {
      answer_.complete = settle() && settled_;
    } catch (const Stopped&) {
      answer_.narrowed = narrowing_;
    }
    finish();
    return std::move(answer_);
  }

 private:
  struct Segment {
    Subset low, high;
  };
  using Found = std::optional<Segment>;  // where something else has an effect

  double edge() const { return std::log1p(settings_.delta); }

  void round(Stage stage, const std::vector<Subset>& stacks) {
    answer_.out_of_budget = rounds_.inspections() + stacks.size() > settings_.most_inspections;
    if (answer_.out_of_budget) throw Stopped();
    const auto values = ask_(stage, stacks);
    if (!values) throw Stopped();
    rounds_.add(stacks, *values);
  }

  bool settle() {
    const auto none = lattice_.none(), all = lattice_.all();
    all_stacks_ = lattice_.stacks(settings_.few);
    if (!all_stacks_.empty()) {
      for (std::size_t group = 0; group < lattice_.size(); ++group) suspects_.push_back({group});
      if (!ends_run()) return true;
      return !prove();
    }
    if (!ends_run()) return true;
    bool differ = tell_ends_apart();
    for (std::size_t attempt = 0; attempt < most_attempts; ++attempt) {
      auto found = differ ? Found(Segment{none, all}) : Found();
      do {
        if (found) suspects_.push_back(narrow(*found, attempt));
        found = prove();
      } while (found && suspects_.size() < settings_.most_suspects);
      if (!differ && suspects_.empty()) return true;  // nothing hides
      if (std::ranges::any_of(suspects_, [&](const auto& suspect) { return has_effect(suspect); })) return true;
      suspects_.clear();  // a step that was none: another way
      differ = rounds_.estimate(none, all, steering_alpha).is_shown(edge());
    }
    return false;
  }

  bool has_effect(const Groups& groups) const {
    return std::ranges::any_of(answer_.suspects, [&](const Suspect& suspect) {
      return suspect.groups == groups && suspect.role != Suspect::Role::none;
    });
  }

  // Two rounds of both ends; false if one of them does not run.
  bool ends_run() {
    const std::vector<Subset> ends{lattice_.none(), lattice_.all()};
    while (rounds_.size() < 2) round(Stage::ends, ends);
    if (rounds_.is_broken(ends[0])) return answer_.kind = Answer::Kind::old_fails, false;
    if (rounds_.is_broken(ends[1])) return answer_.kind = Answer::Kind::new_fails, false;
    return true;
  }

  bool tell_ends_apart() {
    const std::vector<Subset> ends{lattice_.none(), lattice_.all()};
    while (true) {
      const auto estimate = rounds_.estimate(ends[0], ends[1], steering_alpha);
      if (estimate.rounds >= 3 && estimate.is_shown(edge())) return true;
      if (rounds_.size() >= ends_rounds) return false;
      if (estimate.rounds >= 6 && estimate.low() > -edge() && estimate.high() < edge()) return false;
      round(Stage::ends, ends);
    }
  }

  // The group that makes the largest step on a way through the segment; several, where no stack between them runs.
  Groups narrow(Segment segment, std::uint64_t seed) {
    for (std::size_t ways = 0; ways < most_ways;) {
      narrowing_ = lattice_.way(segment.low, segment.high, settings_.seed + seed + ways);
      if (narrowing_.size() == 1) return narrowing_;
      const auto middle = middle_of(segment.low, narrowing_);
      if (!middle) {  // nothing runs on this way
        ++ways;
        continue;
      }
      if (const auto left = larger_step_is_left(segment, *middle))
        (*left ? segment.high : segment.low) = *middle;
    }
    std::ranges::sort(narrowing_);
    return narrowing_;
  }

  // As near to the half as there is a stack that was not seen to fail.
  std::optional<Subset> middle_of(const Subset& low, const Groups& way) const {
    std::vector<Subset> prefixes;
    Subset prefix = low;
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      prefix[way[i]] = true;
      prefixes.push_back(prefix);
    }
    const auto half = (prefixes.size() - 1) / 2;
    for (std::size_t off = 0; off < prefixes.size(); ++off)
      for (const auto at : {half + off, half - off})
        if (at < prefixes.size() && !rounds_.is_broken(prefixes[at])) return prefixes[at];
    return std::nullopt;
  }

  // Nothing: the middle does not run.
  std::optional<bool> larger_step_is_left(const Segment& segment, const Subset& middle) {
    const auto first = rounds_.size();
    while (true) {
      round(Stage::halves, {segment.low, middle, segment.high});
      if (rounds_.is_broken(middle)) return std::nullopt;
      const auto left = rounds_.estimate(segment.low, middle, halving_alpha, first);
      const auto right = rounds_.estimate(middle, segment.high, halving_alpha, first);
      const bool is_left = std::abs(left.log) >= std::abs(right.log);
      const auto& larger = is_left ? left : right;
      if (larger.is_shown(0.3 * std::abs(larger.log)) || rounds_.size() - first >= halving_rounds) return is_left;
    }
  }

  // The claims of a proof, in one order: total, rest without and with the suspects, together, low and high of each suspect,
  // splits.
  struct Proof {
    std::vector<Subset> stacks;
    std::vector<Claim> claims;
    std::vector<Segment> elsewhere;  // where an effect is that of nobody suspected
  };

  Proof proof() const {
    const auto none = lattice_.none(), all = lattice_.all();
    Groups suspected;
    for (const auto& groups : suspects_) suspected.insert(suspected.end(), groups.begin(), groups.end());
    const auto with = lattice_.with(none, suspected), without = lattice_.without(all, suspected);
    Proof proof;
    proof.claims = {{none, all}, {none, without}, {with, all}, {none, with}};
    for (const auto& groups : suspects_) {
      const auto low = lattice_.with(none, groups), high = lattice_.without(all, groups);
      proof.claims.push_back({lattice_.without(low, groups), low});
      proof.claims.push_back({high, lattice_.with(high, groups)});
    }
    if (!suspects_.empty() && all_stacks_.empty()) proof.elsewhere = {{none, without}, {with, all}};
    if (suspects_.empty())
      for (const auto& split : lattice_.separating()) {
        proof.claims.push_back({none, split});
        proof.elsewhere.push_back({none, split});
        proof.elsewhere.push_back({split, all});
      }
    proof.stacks = {none, all};
    for (const auto& [a, b] : proof.claims) {
      add_new(proof.stacks, a);
      add_new(proof.stacks, b);
    }
    for (const auto& stack : all_stacks_) add_new(proof.stacks, stack);
    std::erase_if(proof.stacks, [&](const Subset& stack) { return rounds_.is_broken(stack); });
    return proof;
  }

  // Nothing: proved, or as far as rounds go; else where somebody else has an effect.
  Found prove() {
    const auto what = proof();
    const auto first = rounds_.size();
    // Claims on one stack and itself are none.
    std::vector<Claim> claims;
    for (const auto& claim : what.claims)
      if (claim.without != claim.with && !is_listed(claims, claim)) claims.push_back(claim);
    auto alpha = settings_.error / static_cast<double>(std::size_t{2} << std::min<std::size_t>(looks_, 40));
    const auto most = std::min(settings_.most_rounds, suspects_.empty()      ? wide_rounds
                                                      : all_stacks_.empty() ? settings_.most_rounds
                                                                            : few_inspections / all_stacks_.size());
    auto look = fewest_rounds(claims.size(), alpha);
    while (true) {
      round(suspects_.empty() ? Stage::hidden : Stage::proof, what.stacks);
      const auto done = rounds_.size() - first;
      if (suspects_.size() < settings_.most_suspects)
        if (const auto found = surprise(what, first)) return drop_idle(what, first), found;
      if (done < look) continue;
      const auto effects = judge(rounds_, first, claims, settings_.delta, alpha);
      ++looks_;
      take(what, claims, effects);
      settled_ = is_settled();
      if (settled_ || done >= most || (done >= enough_rounds && suspects_are_decided())) return std::nullopt;
      alpha /= 2;
      look = std::max(fewest_rounds(claims.size(), alpha), done + (done + 1) / 2);
      look = std::min(look, std::max(most, fewest_rounds(claims.size(), alpha)));
    }
  }

  static bool is_listed(const std::vector<Claim>& claims, const Claim& claim) {
    return std::ranges::any_of(claims, [&](const Claim& one) { return one.without == claim.without && one.with == claim.with; });
  }

  // What is small beside the effect that was found already is told, not sought.
  Found surprise(const Proof& what, std::size_t first) const {
    const auto size_of = [&](const Claim& claim) { return std::abs(rounds_.estimate(claim.without, claim.with, steering_alpha, first).log); };
    const double least = suspects_.empty() ? edge() : std::max(edge(), 0.15 * std::max(size_of(what.claims[0]), size_of(what.claims[3])));
    Found found;
    double most = 0;
    for (const auto& segment : what.elsewhere) {
      const auto estimate = rounds_.estimate(segment.low, segment.high, steering_alpha / static_cast<double>(what.elsewhere.size()), first);
      if (estimate.rounds < 3 || !estimate.is_shown(least) || std::abs(estimate.log) <= most) continue;
      most = std::abs(estimate.log);
      found = segment;
    }
    return found;
  }

  // Suspects that plainly do nothing beside what was found elsewhere: the halves misled.
  void drop_idle(const Proof& what, std::size_t first) {
    const auto idle = [&](const Claim& claim, double least) {
      const auto estimate = rounds_.estimate(claim.without, claim.with, halving_alpha, first);
      return estimate.rounds > 0 && std::max(-estimate.low(), estimate.high()) < least;
    };
    double largest = 0;
    for (std::size_t i = 0; i < 3; ++i)
      largest = std::max(largest, std::abs(rounds_.estimate(what.claims[i].without, what.claims[i].with, halving_alpha, first).log));
    std::vector<Groups> kept;
    for (std::size_t i = 0; i < suspects_.size(); ++i)
      if (!idle(what.claims[4 + 2 * i], largest / 2) || !idle(what.claims[5 + 2 * i], largest / 2)) kept.push_back(suspects_[i]);
    suspects_ = std::move(kept);
  }

  void take(const Proof& what, const std::vector<Claim>& claims, const std::vector<Effect>& effects) {
    const auto of = [&](std::size_t place) {
      const auto& wanted = what.claims[place];
      for (std::size_t i = 0; i < claims.size(); ++i)
        if (claims[i].without == wanted.without && claims[i].with == wanted.with) return effects[i];
      Effect nothing;
      nothing.interval = specs::Interval{};
      return nothing;
    };
    answer_.total = of(0);
    answer_.rest_low = of(1);
    answer_.rest_high = of(2);
    answer_.together = of(3);
    answer_.suspects.clear();
    for (std::size_t i = 0; i < suspects_.size(); ++i) answer_.suspects.push_back({suspects_[i], of(4 + 2 * i), of(5 + 2 * i)});
    for (auto& suspect : answer_.suspects) suspect.role = role(suspect);
    answer_.hidden = suspects_.empty() ? lattice_.separating().size() : 0;
    splits_.assign(effects.begin() + static_cast<std::ptrdiff_t>(suspects_.empty() ? 1 : effects.size()), effects.end());
    std::ranges::stable_sort(answer_.suspects, {}, [](const Suspect& suspect) {
      return std::pair(suspect.role == Suspect::Role::none, -std::abs(suspect.log()));
    });
  }

  static Suspect::Role role(const Suspect& suspect) {
    if (suspect.low.shown && suspect.high.shown && suspect.low.log * suspect.high.log > 0) return Suspect::Role::culprit;
    return suspect.low.shown || suspect.high.shown ? Suspect::Role::together : Suspect::Role::none;
  }

  // What is bounded well below this does not matter beside what was found.
  double small() const {
    double most = answer_.total.shown ? std::abs(answer_.total.log) : 0;
    for (const auto& suspect : answer_.suspects)
      if (suspect.role != Suspect::Role::none) most = std::max(most, std::abs(suspect.log()));
    return std::max(2 * edge(), 0.5 * most);
  }

  bool is_decided(const Effect& effect) const { return effect.shown || effect.rounds == 0 || effect.is_within(small()); }

  bool suspects_are_decided() const {
    return !answer_.suspects.empty() && is_decided(answer_.total) && std::ranges::all_of(answer_.suspects, [&](const Suspect& suspect) {
      return is_decided(suspect.low) && is_decided(suspect.high);
    });
  }

  bool is_settled() const {
    return is_decided(answer_.total) && is_decided(answer_.rest_low) && is_decided(answer_.rest_high) &&
           (answer_.suspects.empty() || suspects_are_decided()) &&
           std::ranges::all_of(splits_, [&](const Effect& effect) { return is_decided(effect); });
  }

  void finish() {
    const auto has = [](const Suspect& suspect) { return suspect.role != Suspect::Role::none; };
    if (answer_.kind == Answer::Kind::none && (answer_.total.shown || std::ranges::any_of(answer_.suspects, has)))
      answer_.kind = Answer::Kind::difference;
    if (answer_.total.rounds == 0) {  // stopped early: what the rounds of the search say, unproved
      const auto logs = rounds_.logs(lattice_.none(), lattice_.all());
      const auto estimate = rounds_.estimate(lattice_.none(), lattice_.all(), settings_.error);
      answer_.total.log = estimate.median;
      answer_.total.rounds = logs.size();
    }
    std::vector<bool> suspected(lattice_.size(), false);
    for (const auto& suspect : answer_.suspects)
      for (const auto group : suspect.groups) suspected[group] = true;
    for (std::size_t group = 0; group < lattice_.size(); ++group)
      if (!suspected[group]) answer_.rest.push_back(group);
    answer_.noise = rounds_.noise();
    answer_.rounds = rounds_.size();
    answer_.inspections = rounds_.inspections();
    answer_.stacks = rounds_.stacks();
  }

  const Lattice& lattice_;
  const Settings& settings_;
  const Ask& ask_;
  Rounds rounds_;
  std::vector<Subset> all_stacks_;  // where they are few
  std::vector<Groups> suspects_;
  std::vector<Effect> splits_;
  Groups narrowing_;
  std::size_t looks_ = 0;
  bool settled_ = false;  // every claim of the last proof is decided
  Answer answer_;
};

}  // namespace

Answer search(const Lattice& lattice, const Settings& settings, const Ask& ask) { return Search(lattice, settings, ask).run(); }

Next next(const Lattice& lattice, const Settings& settings, const std::vector<MeasuredRound>& history) {
  Next next;
  next.answer = search(lattice, settings, [&](Stage stage, const std::vector<Subset>& stacks) -> std::optional<Rounds::Values> {
    if (next.used < history.size() && history[next.used].stacks == stacks) return history[next.used++].values;
    next.stage = stage;
    next.stacks = stacks;
    return std::nullopt;
  });
  return next;
}

std::size_t usual_inspections(const Lattice& lattice, const Settings& settings) {
  Settings unbounded = settings;
  unbounded.most_inspections = Settings().most_inspections;
  std::vector<std::size_t> counts;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    specs::Random random(seed);
    const auto culprit = random.below(lattice.size());
    const auto answer = search(lattice, unbounded, [&](Stage, const std::vector<Subset>& stacks) {
      Rounds::Values values;
      for (const auto& stack : stacks) values.push_back((stack[culprit] ? -0.2 : 0.0) + 0.02 * (random.unit() - 0.5));
      return std::optional(std::move(values));
    });
    counts.push_back(answer.inspections);
  }
  std::ranges::sort(counts);
  return counts[counts.size() / 2];
}

}  // namespace stackx::blame
