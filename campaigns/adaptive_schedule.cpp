#include "campaigns/adaptive_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/effects/learn.hpp"
#include "analysis/ranking/precision.hpp"
#include "analysis/ranking/race.hpp"
#include "analysis/ranking/rates.hpp"

namespace stackx::campaigns {
namespace {

using Kind = specs::StrategySpec::Kind;
using Places = std::vector<std::size_t>;

constexpr double schedule_confidence = 0.95;

std::optional<double> log_rate(const specs::Inspection& inspection) {
  store::Measurement measurement;
  measurement.outcome = inspection.outcome;
  measurement.samples_ns = inspection.samples_ns;
  measurement.work = inspection.work;
  return analysis::log_rate(measurement);
}

// One workload's arms and what was measured of them.
struct Field {
  std::vector<std::size_t> arms;    // places in the plan, without sentinels
  analysis::Table log_rates;        // [arm][round]
  std::vector<std::size_t> failed;  // inspections of each that gave no rate
};

// The results so far, as tables of complete rounds.
class Results {
 public:
  explicit Results(const specs::Plan& plan) : plan_(plan) {
    for (std::size_t place = 0; place < plan.arms.size(); ++place)
      places_[plan.arms[place].label] = place;
  }

  void add(const specs::Inspection& inspection) {
    const auto place = places_.find(inspection.arm);
    if (place != places_.end()) rates_[{place->second, inspection.round}] = log_rate(inspection);
  }

  // By workload, in the plan's order.
  std::vector<Field> fields(std::uint64_t rounds) const {
    std::map<specs::Workload, std::size_t> known;
    std::vector<Field> fields;
    for (std::size_t place = 0; place < plan_.arms.size(); ++place) {
      const specs::Arm& arm = plan_.arms[place];
      if (arm.sentinel) continue;
      const auto [found, is_new] = known.emplace(arm.workload, fields.size());
      if (is_new) fields.emplace_back();
      Field& field = fields[found->second];
      field.arms.push_back(place);
      field.log_rates.push_back(row(place, rounds));
      field.failed.push_back(failures(place, rounds));
    }
    return fields;
  }

  // Places of sentinels with those they repeat.
  std::vector<std::pair<std::size_t, std::size_t>> sentinels() const {
    std::vector<std::pair<std::size_t, std::size_t>> result;
    for (std::size_t place = 0; place < plan_.arms.size(); ++place) {
      const std::string& label = plan_.arms[place].label;
      if (!plan_.arms[place].sentinel) continue;
      const auto original = places_.find(label.substr(0, label.rfind('+')));
      if (original != places_.end()) result.emplace_back(place, original->second);
    }
    return result;
  }

 private:
  std::vector<std::optional<double>> row(std::size_t place, std::uint64_t rounds) const {
    std::vector<std::optional<double>> result(rounds);
    for (std::uint64_t round = 0; round < rounds; ++round)
      if (const auto found = rates_.find({place, round}); found != rates_.end())
        result[round] = found->second;
    return result;
  }

  std::size_t failures(std::size_t place, std::uint64_t rounds) const {
    std::size_t count = 0;
    for (auto at = rates_.lower_bound({place, 0});
         at != rates_.end() && at->first < std::pair(place, rounds); ++at)
      count += !at->second;
    return count;
  }

  const specs::Plan& plan_;
  std::map<std::string, std::size_t> places_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::optional<double>> rates_;
};

std::string text(const analysis::Comparison& c, const std::string& unit) {
  const std::string interval =
      c.interval ? fmt::format(" [{:.3f}, {:.3f}]", c.interval->low, c.interval->high) : "";
  return fmt::format("{} ×{:.3f}{}, n={} fresh {}s", analysis::to_string(c.verdict), c.ratio,
                     interval, c.pairs, unit);
}

std::string name(const specs::Plan& plan, std::size_t place) { return plan.arms[place].label; }

class Adaptive : public Schedule {
 public:
  Adaptive(const specs::Plan& plan, std::string unit)
      : plan_(plan), unit_(std::move(unit)), results_(plan) {}

  void add(const specs::Inspection& inspection) override { results_.add(inspection); }
  std::uint64_t most_rounds() const override { return plan_.campaign.rounds; }

  std::vector<std::size_t> arms(std::uint64_t round) override {
    if (round >= most_rounds()) return {};
    std::set<std::size_t> running;
    for (const Field& field : results_.fields(round))
      for (const std::size_t index : choose(field, round)) running.insert(field.arms[index]);
    for (const auto& [sentinel, original] : results_.sentinels()) {
      if (!running.empty() && keeps_sentinels(round)) running.insert(original);
      if (running.contains(original)) running.insert(sentinel);
    }
    return {running.begin(), running.end()};
  }

  std::vector<std::string> remarks() override { return std::exchange(remarks_, {}); }

 protected:
  // Which of the field's arms (by their place in it) run in `round`.
  virtual Places choose(const Field& field, std::uint64_t round) = 0;
  // Whether sentinels and their originals run in `round` whatever happens to the originals.
  virtual bool keeps_sentinels(std::uint64_t /*round*/) { return false; }

  const specs::StrategySpec& strategy() const { return plan_.campaign.strategy; }
  void say(std::string line) { remarks_.push_back(std::move(line)); }

  const specs::Plan& plan_;
  const std::string unit_;

 private:
  Results results_;
  std::vector<std::string> remarks_;
};

class Precision : public Adaptive {
 public:
  using Adaptive::Adaptive;

 protected:
  Places choose(const Field& field, std::uint64_t round) override {
    const Places left = analysis::unsettled(field.log_rates, strategy().width, schedule_confidence);
    if (left.size() != last_[field.arms.front()] && round > 0)
      say(fmt::format("{} {}: {} of {} arms do not have an interval of {:g}% yet", unit_, round,
                      left.size(), field.arms.size(), 100 * strategy().width));
    last_[field.arms.front()] = left.size();
    return left;
  }

 private:
  std::map<std::size_t, std::size_t> last_;
};

class Learn : public Adaptive {
 public:
  using Adaptive::Adaptive;

 protected:
  Places choose(const Field& field, std::uint64_t) override {
    Places able;  // what failed twice will not teach anything the third time
    std::vector<specs::Stack> stacks;
    std::vector<std::vector<double>> rates;
    for (std::size_t i = 0; i < field.arms.size(); ++i) {
      if (field.failed[i] >= 2) continue;
      able.push_back(i);
      stacks.push_back(plan_.arms[field.arms[i]].stack);
      rates.emplace_back();
      for (const auto& rate : field.log_rates[i])
        if (rate) rates.back().push_back(*rate);
    }
    Places batch = analysis::next_batch(stacks, rates, strategy().batch);
    for (std::size_t& place : batch) place = able[place];
    return batch;
  }
};

class Race : public Adaptive {
 public:
  using Adaptive::Adaptive;
  std::uint64_t most_rounds() const override {
    return plan_.campaign.rounds + strategy().final_rounds;
  }

 protected:
  Places choose(const Field& field, std::uint64_t round) override {
    const auto race = analysis::race(field.log_rates, strategy(), plan_.campaign.rounds);
    announce(field, race, round);
    if (!race.finals) racing_until_ = round + 1;
    return race.running;
  }
  bool keeps_sentinels(std::uint64_t round) override { return round < racing_until_; }

 private:
  void announce(const Field& field, const analysis::Race& race, std::uint64_t round) {
    std::size_t& known = known_[field.arms.front()];
    if (race.eliminations.size() > known) {
      const auto& last = race.eliminations.back();
      say(fmt::format("{} {}: {} left the race (the last, {}, {}), {} go on", unit_, round,
                      race.eliminations.size() - known, name(plan_, field.arms[last.arm]),
                      !last.failed ? fmt::format("{:.1f}% behind {}; {:.1f}% are enough",
                                                 100 * -std::expm1(-last.behind),
                                                 name(plan_, field.arms[last.leader]),
                                                 100 * -std::expm1(-last.bound))
                                   : "failed twice",
                      field.arms.size() - race.eliminations.size()));
      known = race.eliminations.size();
    }
    if (race.finals && *race.finals == round && race.running.size() > 1)
      say(fmt::format("finals: {} arms run {} fresh {}s", race.running.size(),
                      strategy().final_rounds, unit_));
  }

  std::map<std::size_t, std::size_t> known_;  // eliminations told of, by the field's first arm
  std::uint64_t racing_until_ = 0;
};

}  // namespace

std::unique_ptr<Schedule> make_schedule(const specs::Plan& plan, const std::string& unit) {
  switch (plan.campaign.strategy.kind) {
    case Kind::precision:
      return std::make_unique<Precision>(plan, unit);
    case Kind::race:
      return std::make_unique<Race>(plan, unit);
    case Kind::learn:
      return std::make_unique<Learn>(plan, unit);
    case Kind::fixed:
      break;
  }
  return std::make_unique<FixedSchedule>(plan);
}

std::vector<std::string> final_lines(const specs::Plan& plan,
                                     const std::vector<specs::Inspection>& inspections,
                                     double delta, const std::string& unit) {
  if (plan.campaign.strategy.kind != Kind::race) return {};
  Results results(plan);
  std::uint64_t rounds = 0;
  for (const auto& inspection : inspections) {
    results.add(inspection);
    rounds = std::max(rounds, inspection.round + 1);
  }
  std::vector<std::string> lines;
  for (const Field& field : results.fields(rounds)) {
    const auto race = analysis::race(field.log_rates, plan.campaign.strategy, plan.campaign.rounds);
    const auto places = analysis::finals(field.log_rates, race, delta, schedule_confidence);
    for (const auto& place : places)
      if (place.versus_first)
        lines.push_back(fmt::format("finals: {} against {}: {}",
                                    name(plan, field.arms[places.front().arm]),
                                    name(plan, field.arms[place.arm]), text(*place.versus_first, unit)));
  }
  return lines;
}

}  // namespace stackx::campaigns
