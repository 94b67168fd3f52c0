#include "analysis/ranking/race.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {
namespace {

constexpr std::uint64_t first_look = 2;  // rounds before anything can leave
constexpr double few_pairs = 5;          // below, nobody is given up as a tie
constexpr double odd_spread = 0.01;  // an arm's own spread counts if chance gives it this seldom

// Paired log ratios leader / arm over the rounds that both have.
std::vector<double> behind(const Table& rates, std::size_t arm, std::size_t leader,
                           std::uint64_t rounds, std::uint64_t from = 0) {
  std::vector<double> result;
  for (std::uint64_t r = from; r < rounds; ++r)
    if (rates[arm][r] && rates[leader][r]) result.push_back(*rates[leader][r] - *rates[arm][r]);
  return result;
}

// Sum of squares and degrees of freedom of the noise of log rates, from the steps that arms made
// between successive rounds, less the step that all made.
struct Scale {
  double squares = 0, freedom = 0;

  void add(const Table& rates, std::uint64_t round) {
    std::vector<double> steps;
    for (const auto& arm : rates)
      if (arm[round - 1] && arm[round]) steps.push_back(*arm[round] - *arm[round - 1]);
    if (steps.size() < 2) return;
    const double common = mean(steps);
    for (const double step : steps) squares += (step - common) * (step - common) / 2;
    freedom += static_cast<double>(steps.size() - 1);
  }

  double variance() const { return squares / freedom; }
  // Steps share a round with the step before: their squares are correlated by 1/4, which leaves two
  // thirds of the degrees of freedom.
  double effective_freedom(std::uint64_t rounds) const {
    return rounds > 2 ? std::max(1.0, freedom / 1.5) : freedom;
  }
};

// The share of the error that look `look` (from 1) may spend: looks 1, 2 to 3, 4 to 7, 8 to 15 a fifth
// a group, all later groups together the last fifth. Most of a field leaves early, and the leader's
// neighbours around the tenth round; a/2, a/6, a/12, ... would leave little for those.
double share(std::uint64_t look) {
  const int group = std::bit_width(look) - 1;
  const double of_group = group < 4 ? 0.2 : 0.2 / ((group - 3) * (group - 2));
  return of_group / static_cast<double>(std::uint64_t{1} << group);
}

// How many standard errors an arm must be behind at this look, at error `a` over all looks.
double quantile(std::uint64_t look, double freedom, double a) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t(freedom), a * share(look)));
}

// Whether pairs with variance `own` (n - 1 degrees of freedom) spread more than the pooled scale.
bool spreads_more(double own, double pooled, std::size_t n) {
  const double freedom = static_cast<double>(n - 1);
  return own > pooled &&
         own * freedom / pooled > boost::math::quantile(boost::math::complement(
                                      boost::math::chi_squared(freedom), odd_spread));
}

double lower_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

class Field {
 public:
  Field(const Table& rates, const specs::StrategySpec& strategy, std::uint64_t most_rounds)
      : rates_(rates), strategy_(strategy), most_rounds_(most_rounds) {
    for (std::size_t arm = 0; arm < rates.size(); ++arm) race_.running.push_back(arm);
    const double pairs = std::max<double>(1, static_cast<double>(rates.size()) - 1);
    pair_error_ = strategy.error / pairs;
  }

  // Looks at the field after `rounds` rounds.
  void look(std::uint64_t rounds) {
    if (rounds >= 2) scale_.add(rates_, rounds - 1);
    if (rounds < first_look) return;
    drop_failing(rounds);
    if (race_.running.size() < 2) return;
    if (!(scale_.freedom > 0)) return;
    const std::size_t leader = this->leader(rounds);
    usual_ = {2 * scale_.variance(), errors_behind(rounds, scale_.effective_freedom(rounds))};
    const std::size_t known = race_.eliminations.size();
    std::vector<std::size_t> left{leader};
    hopeless_ = true;
    for (const std::size_t arm : race_.running) {
      if (arm == leader) continue;
      const Gap found = gap(arm, leader, rounds);
      if (found.enough()) {
        race_.eliminations.push_back({arm, leader, rounds - 1, found.lead, found.bound, false});
        continue;
      }
      left.push_back(arm);
      hopeless_ = hopeless_ && !found.may_be_enough(most_rounds_);
    }
    std::ranges::sort(left);
    race_.running = left;
    // Those that leave at one look: the farthest behind first, so that the closest comes back first.
    const auto first = race_.eliminations.begin() + static_cast<std::ptrdiff_t>(known);
    std::stable_sort(first, race_.eliminations.end(),
                     [](const auto& a, const auto& b) { return a.behind > b.behind; });
  }

  // Whether racing on would tell: more run than the finals take, and one of them may yet leave.
  bool goes_on() const { return race_.running.size() > strategy_.finalists && !hopeless_; }
  Race race() && { return std::move(race_); }

  // Those left, and the last that left until there are enough.
  std::vector<std::size_t> finalists() const {
    std::vector<std::size_t> result = race_.running;
    for (auto last = race_.eliminations.rbegin();
         last != race_.eliminations.rend() && result.size() < strategy_.finalists; ++last)
      if (!last->failed) result.push_back(last->arm);
    std::ranges::sort(result);
    return result;
  }

 private:
  std::size_t values(std::size_t arm, std::uint64_t rounds) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        rates_[arm].begin(), rates_[arm].begin() + static_cast<std::ptrdiff_t>(rounds),
        [](const auto& value) { return value.has_value(); }));
  }

  void drop_failing(std::uint64_t rounds) {
    std::erase_if(race_.running, [&](std::size_t arm) {
      const bool fails = values(arm, rounds) + 2 <= rounds;
      if (fails) race_.eliminations.push_back({arm, arm, rounds - 1, 0, 0, true});
      return fails;
    });
  }

  // The arm that is ahead of all others on the rounds it shares with each.
  std::size_t leader(std::uint64_t rounds) const {
    std::size_t best = race_.running.front();
    for (const std::size_t arm : race_.running) {
      const std::vector<double> logs = behind(rates_, best, arm, rounds);
      if (!logs.empty() && mean(logs) > 0) best = arm;
    }
    return best;
  }

  double errors_behind(std::uint64_t rounds, double freedom) const {
    return quantile(rounds - first_look + 1, freedom, pair_error_);
  }

  // How far an arm is behind the leader, and how far it would have to be.
  struct Gap {
    double pairs = 0, lead = 0, standard_error = 0, bound = HUGE_VAL;
    bool steady = false;  // its lower-median pair is behind by half as much, too

    bool enough() const { return steady && lead > bound; }
    // Whether it could be enough within so many rounds, were the true lead two standard errors larger.
    bool may_be_enough(std::uint64_t rounds) const {
      const double hoped = lead + 2 * standard_error;
      return pairs < few_pairs ||
             (hoped > 0 && pairs * std::pow(bound / hoped, 2) <= static_cast<double>(rounds));
    }
  };

  Gap gap(std::size_t arm, std::size_t leader, std::uint64_t rounds) const {
    const std::vector<double> logs = behind(rates_, arm, leader, rounds);
    Gap result;
    result.pairs = static_cast<double>(logs.size());
    if (logs.size() < first_look) return result;
    Yardstick yardstick = usual_;
    if (const double own = std::pow(*standard_deviation(logs), 2);
        spreads_more(own, usual_.variance, logs.size()))
      yardstick = {own, errors_behind(rounds, result.pairs - 1)};
    result.standard_error = std::sqrt(yardstick.variance / result.pairs);
    result.bound = yardstick.errors * result.standard_error;
    result.lead = mean(logs);
    result.steady = lower_median(logs) >= result.lead / 2;
    return result;
  }

  const Table& rates_;
  const specs::StrategySpec& strategy_;
  std::uint64_t most_rounds_;
  double pair_error_ = 0;
  bool hopeless_ = false;  // nobody who runs is expected to leave before the rounds are used up
  Scale scale_;
  struct Yardstick {
    double variance = 0;  // of one paired log ratio
    double errors = 0;    // how many standard errors behind is enough
  } usual_;
  Race race_;
};

}  // namespace

Race race(const Table& log_rates, const specs::StrategySpec& strategy, std::uint64_t most_rounds) {
  const std::uint64_t rounds = log_rates.empty() ? 0 : log_rates.front().size();
  Field field(log_rates, strategy, most_rounds);
  std::uint64_t round = 0;
  while (round < std::min(rounds, most_rounds) && field.goes_on()) field.look(++round);
  const bool over = !field.goes_on() || round >= most_rounds;
  const std::vector<std::size_t> finalists = field.finalists();
  Race result = std::move(field).race();
  if (!over) return result;
  result.finals = round;
  result.finalists = finalists;
  const bool worth_it = finalists.size() > 1 && rounds < round + strategy.final_rounds;
  result.running = worth_it ? finalists : std::vector<std::size_t>{};
  return result;
}

std::vector<Finalist> finals(const Table& log_rates, const Race& race, double delta,
                             double confidence) {
  std::vector<Finalist> result;
  if (!race.finals) return result;
  for (const std::size_t arm : race.finalists) {
    std::vector<double> rates;
    for (std::uint64_t round = *race.finals; round < log_rates[arm].size(); ++round)
      if (const auto& rate = log_rates[arm][round]) rates.push_back(*rate);
    if (!rates.empty()) result.push_back({arm, median(rates), rates.size(), {}});
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &Finalist::log_rate);
  std::vector<std::vector<double>> family;
  for (std::size_t i = 1; i < result.size(); ++i)
    family.push_back(
        behind(log_rates, result[i].arm, result[0].arm, log_rates[0].size(), *race.finals));
  const auto comparisons = compare(family, delta, confidence);
  for (std::size_t i = 1; i < result.size(); ++i) result[i].versus_first = comparisons[i - 1];
  return result;
}

}  // namespace stackx::analysis
