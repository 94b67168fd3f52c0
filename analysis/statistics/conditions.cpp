#include "analysis/statistics/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/ranking/rates.hpp"
#include "analysis/statistics/median_polish.hpp"
#include "specs/random.hpp"

namespace stackx::analysis {
namespace {

constexpr double much_steal = 0.01;
constexpr std::size_t most_used = 1000;  // half a million pairs

constexpr int most_robust_steps = 8;

// Equal conditions stay equal: what rounding leaves of their difference is no slope to divide by.
double without_dust(double value) { return std::nearbyint(value * 1e9) / 1e9; }

using Cells = std::vector<const Condition*>;
using Values = std::vector<double>;

// What one slope is made of: campaigns one after another, each sorted by arm and round.
struct Study {
  std::vector<Cells> campaigns;
  Values condition, log_rate;  // of all cells, as they are
  std::size_t arms = 0, rounds = 0;

  std::size_t lost() const { return arms + rounds - campaigns.size(); }
};

template <typename Key>
std::size_t count_different(const Cells& cells, Key key) {
  std::set<std::decay_t<decltype(key(*cells.front()))>> different;
  for (const auto* cell : cells) different.insert(key(*cell));
  return different.size();
}

std::size_t count_arms(const Cells& cells) {
  return count_different(cells, [](const Condition& c) { return c.arm; });
}
std::size_t count_rounds(const Cells& cells) {
  return count_different(cells, [](const Condition& c) { return c.round; });
}

// Campaigns with at least two arms and two rounds; of an arm's round one inspection.
Study gather(const std::vector<Condition>& inspections, bool of_steal) {
  std::map<std::string, std::map<std::pair<std::string, std::uint64_t>, const Condition*>> all;
  for (const auto& c : inspections)
    if (!of_steal || c.steal) all[c.campaign].emplace(std::pair(c.arm, c.round), &c);
  Study study;
  for (const auto& [campaign, by_place] : all) {
    Cells cells;
    for (const auto& [place, cell] : by_place) cells.push_back(cell);
    const auto arms = count_arms(cells), rounds = count_rounds(cells);
    if (arms < 2 || rounds < 2) continue;
    study.arms += arms;
    study.rounds += rounds;
    for (const auto* cell : cells) {
      study.condition.push_back(of_steal ? *cell->steal : cell->load);
      study.log_rate.push_back(cell->log_rate);
    }
    study.campaigns.push_back(std::move(cells));
  }
  return study;
}

struct Places {  // the row and column of each cell
  std::vector<std::size_t> arm, round;
  std::size_t arms = 0, rounds = 0;
};

Places places_of(const Cells& cells) {
  std::map<std::uint64_t, std::size_t> columns;
  for (const auto* cell : cells) columns.emplace(cell->round, 0);
  Places places;
  for (auto& [round, column] : columns) column = places.rounds++;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    places.arms += i == 0 || cells[i]->arm != cells[i - 1]->arm;
    places.arm.push_back(places.arms - 1);
    places.round.push_back(columns.at(cells[i]->round));
  }
  return places;
}

// Takes each arm's (or round's) mean away; the largest.
double sweep(Values& values, const std::vector<std::size_t>& groups, std::size_t count) {
  Values sums(count), numbers(count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[groups[i]] += values[i];
    ++numbers[groups[i]];
  }
  double largest = 0;
  for (std::size_t g = 0; g < count; ++g)
    largest = std::max(largest, std::abs(sums[g] /= std::max(numbers[g], 1.0)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= sums[groups[i]];
  return largest;
}

// What the least-squares levels of arms and rounds leave; a single step each where no cell is
// absent.
Values without_levels(Values values, const Places& places) {
  for (int step = 0; step < 100; ++step) {
    const double arms = sweep(values, places.arm, places.arms);
    if (sweep(values, places.round, places.rounds) + (step > 0 ? arms : 0) < 1e-9) break;
  }
  return values;
}

// Wild values, drawn in to four standard deviations from where median polish expects them.
Values tamed(const Values& values, const Places& places) {
  Table table(places.arms, std::vector<std::optional<double>>(places.rounds));
  for (std::size_t i = 0; i < values.size(); ++i) table[places.arm[i]][places.round[i]] = values[i];
  const auto rest = median_polish(table).residuals;
  const double most = 4 * scaled_mad(rest);
  Values result = values;
  if (most > 0)
    for (std::size_t i = 0; i < values.size(); ++i)
      result[i] += std::clamp(rest[i], -most, most) - rest[i];
  return result;
}

// What levels that wild values do not move leave of all values, the wild ones too.
Values without_robust_levels(const Values& values, const Places& places) {
  const auto kept = tamed(values, places);
  auto result = without_levels(kept, places);
  for (std::size_t i = 0; i < values.size(); ++i) result[i] += values[i] - kept[i];
  return result;
}

template <typename Fit>
Values by_campaign(const Study& study, const Values& values, Fit fit) {
  Values result;
  auto from = values.begin();
  for (const auto& cells : study.campaigns) {
    const auto to = from + static_cast<std::ptrdiff_t>(cells.size());
    const auto own = fit(Values(from, to), places_of(cells));
    result.insert(result.end(), own.begin(), own.end());
    from = to;
  }
  return result;
}

// A seeded choice of as many cells as pairs can be made of in reasonable time.
std::vector<std::size_t> chosen(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> places(n);
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (n <= most_used) return places;
  specs::Random random(seed);
  for (std::size_t i = 0; i < most_used; ++i) std::swap(places[i], places[i + random.below(n - i)]);
  places.resize(most_used);
  return places;
}

Values at(const Values& values, const std::vector<std::size_t>& places) {
  Values result;
  for (const auto place : places) result.push_back(values[place]);
  return result;
}

bool all_finite(const Values& values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// The slope and the levels of arms and rounds hang together: what steal costs is not wild, and a
// round in which many were hit is low because of it. So each is fitted with the other's last value
// taken out, in turns. None of loads that nobody can add up.
std::optional<Slope> fit(const Study& study, double confidence, std::uint64_t seed) {
  const auto places = chosen(study.condition.size(), seed);
  auto x = at(by_campaign(study, study.condition, without_levels), places);
  for (double& value : x) value = without_dust(value);
  if (!all_finite(x)) return std::nullopt;
  const auto lost = study.lost() * places.size() / study.condition.size();
  double slope = 0;
  std::optional<Slope> rest;
  for (int step = 0; step < most_robust_steps; ++step) {
    auto y = study.log_rate;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= slope * study.condition[i];
    const auto left = at(by_campaign(study, y, without_robust_levels), places);
    if (!all_finite(left)) return std::nullopt;
    rest = theil_sen(x, left, confidence, lost);
    if (!rest) return std::nullopt;
    if (rest->interval) {
      rest->interval->low += slope;
      rest->interval->high += slope;
    }
    const double change = rest->slope;
    rest->slope = slope += change;
    if (rest->interval && std::abs(change) <= 0.01 * (rest->interval->high - rest->interval->low))
      break;
  }
  return rest;
}

void describe(const std::vector<Condition>& inspections, Conditions& result) {
  result.inspections = inspections.size();
  for (const auto& c : inspections) {
    result.with_steal += c.steal.has_value();
    result.stolen += c.steal.value_or(0) > much_steal;
    result.most_steal = std::max(result.most_steal, c.steal.value_or(0));
  }
  const auto [least, most] = std::ranges::minmax(inspections, {}, &Condition::load);
  result.least_load = least.load;
  result.most_load = most.load;
}

// A slope of the log per `unit` as a change in percent, "-0.9% rate [-1.1%, -0.6%]".
std::string change(const Slope& slope, double unit) {
  const auto percent = [&](double s) { return 100 * std::expm1(s * unit); };
  if (!slope.interval)
    return fmt::format("{:+.2f}% rate, too few inspections for an interval", percent(slope.slope));
  const bool shown = slope.interval->low > 0 || slope.interval->high < 0;
  return fmt::format("{:+.2f}% rate [{:+.2f}%, {:+.2f}%]{}", percent(slope.slope),
                     percent(slope.interval->low), percent(slope.interval->high),
                     shown ? "" : ", no effect shown");
}

std::string basis(const Conditions& conditions, const Slope& slope) {
  return fmt::format("n={}{} inspections of {} arms in {} rounds, within rounds", slope.n,
                     slope.n == most_used ? fmt::format(" of {}", conditions.inspections) : "",
                     conditions.arms, conditions.rounds);
}

}  // namespace

std::vector<Condition> conditions_of(const std::vector<const store::Measurement*>& measurements) {
  std::vector<Condition> result;
  for (const auto* m : measurements) {
    const auto rate = log_rate(*m);
    if (m->campaign.empty() || !rate) continue;
    result.push_back({m->campaign, m->arm, m->round, *rate, m->steal, m->load_1m});
  }
  return result;
}

Conditions study(const std::vector<Condition>& inspections, double confidence, std::uint64_t seed) {
  Conditions result;
  if (inspections.empty()) return result;
  describe(inspections, result);
  for (const bool of_steal : {true, false}) {
    const Study study = gather(inspections, of_steal);
    if (study.campaigns.empty()) continue;
    result.arms = std::max(result.arms, study.arms);
    result.rounds = std::max(result.rounds, study.rounds);
    (of_steal ? result.steal : result.load) = fit(study, confidence, seed);
  }
  return result;
}

std::vector<std::string> lines(const Conditions& conditions) {
  std::vector<std::string> result;
  if (conditions.inspections == 0) return result;
  std::string steal = "steal: ";
  if (conditions.with_steal == 0)
    steal += fmt::format("not told in {} inspections", conditions.inspections);
  else if (conditions.most_steal == 0)
    steal += fmt::format("none in {} inspections", conditions.with_steal);
  else {
    // A step that lies within what was seen.
    const double step = conditions.most_steal >= 0.01 ? 0.01 : 0.001;
    if (conditions.steal && conditions.most_steal >= step)
      steal += fmt::format("+{:g} percentage point: {} ({}); ", 100 * step, change(*conditions.steal, step),
                           basis(conditions, *conditions.steal));
    steal += fmt::format(
        "{:.1f}% of {} inspections had more than 1%, at most {:.1f}%",
        100.0 * static_cast<double>(conditions.stolen) / static_cast<double>(conditions.with_steal),
        conditions.with_steal, 100 * conditions.most_steal);
  }
  result.push_back(steal);
  std::string load = "load: ";
  if (conditions.load) {  // a step that lies within what was seen
    const double step = conditions.most_load - conditions.least_load >= 1 ? 1 : 0.1;
    load += fmt::format(
        "+{:g}: {} ({}; it moves slowly, so what else drifts within a round counts in it); ", step,
        change(*conditions.load, step), basis(conditions, *conditions.load));
  }
  load += fmt::format("{:.2f} to {:.2f} over one minute when inspections began",
                      conditions.least_load, conditions.most_load);
  result.push_back(load);
  return result;
}

}  // namespace stackx::analysis
