#include "analysis/ranking/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/published/workload_choice.hpp"
#include "analysis/ranking/bits.hpp"
#include "analysis/ranking/finals.hpp"
#include "analysis/ranking/amount_remark.hpp"
#include "analysis/ranking/placement.hpp"
#include "analysis/ranking/rates.hpp"
#include "analysis/statistics/paired_rounds.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

using Measurements = std::vector<const store::Measurement*>;

struct Candidate {
  const StackRates* rates;
  Recommendation row;
};

std::string hardware_of(const Measurements& measurements) {
  std::set<std::string> names;
  for (const auto* m : measurements) names.insert(m->microarchitecture);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Of the sums, where a sample was read.
void count_all(const Population& population, Recommendation& row) {
  const auto found = population.stacks.find(row.stack);
  if (found == population.stacks.end()) return;
  row.measured = found->second.ok;
  row.failures.assign(found->second.failures.begin(), found->second.failures.end());
}

Recommendation recommendation(const StackRates& rates_of, double confidence) {
  Recommendation row;
  row.stack = rates_of.stack;
  row.evidence = rates_of.here ? "measured" : "measured-elsewhere";
  const std::vector<double> values = rates(rates_of);
  row.inspections = row.measured = values.size();
  if (!values.empty()) {
    row.median = median(values);
    row.ci = median_interval(values, confidence);
    row.cv = cv(values);
  }
  std::map<std::string, std::size_t> failures;
  std::set<std::string> campaigns;
  for (const auto* m : rates_of.failed) {
    ++failures[specs::to_string(m->outcome)];
    campaigns.insert(m->campaign);
    row.reason = m->reason;
  }
  for (const Value& value : rates_of.values) campaigns.insert(value.measurement->campaign);
  campaigns.erase("");
  row.failures.assign(failures.begin(), failures.end());
  row.sources.assign(campaigns.begin(), campaigns.end());
  return row;
}


// sign_test_outside(), of few different counts: a ranking of 400 stacks asks 80,000 times, and each answer is a binomial tail.
class SignTests {
 public:
  explicit SignTests(double band) : band_(band) {}
  double outside(const std::vector<double>& logs) {
    const auto not_above = std::ranges::count_if(logs, [&](double v) { return v <= band_; });
    const auto not_below = std::ranges::count_if(logs, [&](double v) { return v >= -band_; });
    const auto against = static_cast<std::size_t>(std::min(not_above, not_below));
    const auto [known, is_new] = known_.try_emplace({logs.size(), against}, 1);
    if (is_new && !logs.empty()) known->second = two_sided_sign_test(against, logs.size());
    return known->second;
  }

 private:
  double band_;
  std::map<std::pair<std::size_t, std::size_t>, double> known_;
};

// What compare() says of one family of comparisons, as far as ranks need it: which are slower.
std::vector<bool> slower_of(const std::vector<std::vector<double>>& family, SignTests& tests, const Options& options) {
  std::vector<double> p;
  for (const auto& logs : family) p.push_back(tests.outside(logs));
  const Holm outside = holm(p, 1 - options.confidence);
  std::vector<bool> slower;
  for (std::size_t i = 0; i < family.size(); ++i)
    slower.push_back(outside.rejected[i] && (median(family[i]) > 0) == options.yardstick.smaller_is_better());
  return slower;
}

// By the stacks' own intervals, where they share no round.
bool is_clearly_worse(const Recommendation& row, const Recommendation& other, double delta, const specs::Yardstick& yardstick) {
  if (!row.ci || !other.ci) return false;
  return yardstick.smaller_is_better() ? row.ci->low > other.ci->high * (1 + delta) : row.ci->high * (1 + delta) < other.ci->low;
}

// Stack b against stack a above it, for all b: slower_below(a)[b - a - 1]. Without a shared round
// only the stacks' own intervals can speak.
std::vector<bool> slower_below(const std::vector<Candidate>& order, std::size_t above,
                               const std::vector<std::vector<double>>& family, SignTests& tests,
                               const Options& options) {
  std::vector<bool> slower = slower_of(family, tests, options);
  for (std::size_t i = 0; i < family.size(); ++i)
    if (family[i].empty())
      slower[i] = is_clearly_worse(order[above + 1 + i].row, order[above].row, options.delta, options.yardstick);
  return slower;
}

// Whether one of so many stacks below it can be shown to be slower at all: by its interval, or where all pairs that it can
// have agree. Of tens of thousands of stacks with an inspection or two none can, and nobody needs to look at each pair.
bool can_show(const Candidate& above, std::size_t below, const Options& options) {
  const double least_p = std::ldexp(2.0, -static_cast<int>(std::min<std::size_t>(above.rates->values.size(), 1000)));
  return above.row.ci || least_p <= 1.01 * (1 - options.confidence) / static_cast<double>(below);
}

// `order` is sorted by median. Ranks as ranking.hpp defines them; `versus_best` of all but the
// first.
void set_ranks(std::vector<Candidate>& order, const Options& options, const Finals& finals) {
  std::vector<const StackRates*> stacks;
  for (const Candidate& candidate : order) stacks.push_back(candidate.rates);
  const PairedRounds rounds(stacks, finals);
  SignTests tests(std::log1p(options.delta));
  std::vector<std::vector<bool>> below;
  for (std::size_t above = 0; above < order.size(); ++above) {
    if (above > 0 && !can_show(order[above], order.size() - above - 1, options)) {
      below.emplace_back();  // none
      continue;
    }
    std::vector<std::vector<double>> family;
    for (std::size_t i = above + 1; i < order.size(); ++i) family.push_back(rounds.logs(i, above));
    below.push_back(slower_below(order, above, family, tests, options));
    if (above > 0) continue;
    const auto versus_best = compare(family, options.delta, options.confidence, options.yardstick);
    for (std::size_t i = 0; i < versus_best.size(); ++i) order[i + 1].row.versus_best = versus_best[i];
  }
  std::size_t first = 0;  // of the current group
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t above = first; above < i; ++above)
      if (!below[above].empty() && below[above][i - above - 1]) {
        first = i;
        break;
      }
    order[i].row.rank = first + 1;
  }
}

double score(const Recommendation& row, const Options& options) {
  const bool less = options.yardstick.smaller_is_better();
  if (options.objective == Objective::rate) return less ? -row.median : row.median;
  if (!row.cv) return -HUGE_VAL;  // one inspection says nothing about stability
  if (options.objective == Objective::stability) return -*row.cv;
  return less ? -row.median * (1 + 2 * *row.cv) : row.median * (1 - 2 * *row.cv);
}

void sort_rows(std::vector<Recommendation>& rows, const Options& options) {
  std::ranges::stable_sort(rows, [&](const Recommendation& a, const Recommendation& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    return score(a, options) > score(b, options);
  });
}

void note_limits(const Ranking& ranking, const Rates& all, std::vector<std::string>& notes) {
  const auto& rows = ranking.recommendations;
  const std::size_t least = least_values(ranking.confidence);
  const auto few = std::ranges::count_if(rows, [](const auto& row) { return !row.ci; });
  const auto elsewhere = std::ranges::count(rows, "measured-elsewhere", &Recommendation::evidence);
  const auto apart = std::ranges::count_if(
      rows, [](const auto& row) { return row.versus_best && row.versus_best->pairs == 0; });
  const auto missed = std::ranges::count_if(ranking.failed, [](const auto& row) { return row.measured > 0; });
  if (ranking.population) notes.push_back(explanation(*ranking.population));
  if (missed > 0)
    notes.push_back(fmt::format("{} ended well at times, but in no inspection that was read: --read 0",
                                counted(static_cast<std::size_t>(missed), "stack")));
  if (few > 0)
    notes.push_back(
        fmt::format("{} of {} stacks have fewer than {} inspections: too few for a {:g}% interval "
                    "of the median",
                    few, rows.size(), least, 100 * ranking.confidence));
  if (elsewhere > 0)
    notes.push_back(
        fmt::format("{} of {} stacks were measured on another host only", elsewhere, rows.size()));
  if (apart > 0)
    notes.push_back(fmt::format(
        "{} of {} stacks share no round with the best: run them in one campaign for a verdict",
        apart, rows.size()));
  if (all.without_unit > 0)
    notes.push_back(
        ranking.yardstick.is_rate()
            ? fmt::format("{} inspections were left out: no rate in {} follows from what they report",
                          all.without_unit, ranking.unit)
            : fmt::format("{} were left out: they do not tell {}", counted(all.without_unit, "inspection"), ranking.yardstick.noun()));
  if (!ranking.amount_remark.empty()) notes.push_back(ranking.amount_remark);
  if (rows.size() > 2)
    notes.push_back(
        "the best was picked from the same rounds it is compared in and owes part of its lead to "
        "luck: "
        "measure a narrow lead again in fresh rounds");
}

}  // namespace

namespace {

void set_days(const Measurements& measurements, Ranking& ranking) {
  constexpr std::size_t day = 10;
  for (const auto* one : measurements) {
    const auto on = one->finished.substr(0, day);
    if (on.empty()) continue;
    if (ranking.first_day.empty() || on < ranking.first_day) ranking.first_day = on;
    ranking.last_day = std::max(ranking.last_day, on);
  }
}

}  // namespace

Ranking rank(const std::vector<store::Measurement>& measurements, const specs::Workload& workload,
             const Options& options) {
  Ranking ranking;
  ranking.workload = choose_workload(measurements, workload, ranking.notes);
  ranking.delta = options.delta;
  ranking.confidence = options.confidence;
  Measurements selected;
  for (const store::Measurement& m : measurements)
    if (m.workload == ranking.workload) selected.push_back(&m);
  if (const auto& sha256 = ranking.workload.program; !sha256.empty() && !selected.empty())
    ranking.program = specs::PiProgram{false, selected.front()->pi_path, sha256};
  ranking.hw = hardware_of(selected);
  set_days(selected, ranking);
  const Rates all = collect(selected, options.this_host, options.yardstick);
  ranking.yardstick = options.yardstick;
  ranking.unit = unit_in_words(all.unit, ranking.workload);
  ranking.without_unit = all.without_unit;
  ranking.amount_remark = amount_remark(selected, options.yardstick);
  ranking.population = options.population;

  std::vector<Candidate> order;
  for (const StackRates& stack : all.stacks) {
    Recommendation row = recommendation(stack, options.confidence);
    if (ranking.population) count_all(*ranking.population, row);
    if (!stack.values.empty())
      order.push_back({&stack, std::move(row)});
    else if (!stack.failed.empty())
      ranking.failed.push_back(std::move(row));
  }
  // Equal medians keep the order of the stacks' components.
  const double sign = options.yardstick.smaller_is_better() ? 1 : -1;
  std::ranges::stable_sort(order, {}, [&](const Candidate& c) { return sign * c.row.median; });
  // A race is run by rates: of anything else all its rounds count, and who left it is not behind.
  const RaceEnds races = options.yardstick.is_rate() ? race_ends(selected, options.races) : RaceEnds{};
  set_ranks(order, options, races.finals);
  for (Candidate& candidate : order) candidate.row.left_race = races.left.contains(candidate.row.stack.id());
  for (Candidate& candidate : order) ranking.recommendations.push_back(std::move(candidate.row));
  sort_rows(ranking.recommendations, options);
  ranking.sentinels = sentinels(all, options.delta, options.confidence);
  std::ranges::move(lines(ranking.sentinels, options.confidence), std::back_inserter(ranking.notes));
  if (options.drift) ranking.drifts = drift(all, options.confidence);
  std::ranges::move(lines(ranking.drifts, options.confidence), std::back_inserter(ranking.notes));
  ranking.nodes = nodes(all, options.delta, options.confidence);
  if (ranking.nodes) std::ranges::move(lines(*ranking.nodes), std::back_inserter(ranking.notes));
  ranking.across_nodes = across_nodes(ranking, all);
  std::ranges::copy(ranking.across_nodes, std::back_inserter(ranking.notes));
  ranking.unsteady = unsteady_stacks(all, StackNames(ranking));
  std::ranges::copy(ranking.unsteady, std::back_inserter(ranking.notes));
  note_limits(ranking, all, ranking.notes);
  return ranking;
}

std::map<std::string, std::string> common_components(const Ranking& ranking) {
  std::map<std::string, std::string> common;
  bool first = true;
  for (const auto* rows : {&ranking.recommendations, &ranking.failed})
    for (const Recommendation& row : *rows) {
      if (first) common = row.stack.components;
      first = false;
      std::erase_if(common, [&](const auto& entry) {
        const auto found = row.stack.components.find(entry.first);
        return found == row.stack.components.end() || found->second != entry.second;
      });
    }
  return common;
}

std::size_t Recommendation::failed() const {
  std::size_t total = 0;
  for (const auto& [outcome, count] : failures) total += count;
  return total;
}

}  // namespace stackx::analysis
