#include "analysis/prediction/rate_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "analysis/prediction/roofline.hpp"
#include "analysis/published/configuration.hpp"
#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {
namespace {

constexpr double length = 0.1;  // over which the weight falls by e
constexpr std::size_t near_shapes = 6;
constexpr double rounding = 1e-9;    // of distances, and shares of weight
constexpr double negligible = 1e-9;  // of the whole weight

struct Row {
  std::size_t observation = 0, configuration = 0, shape = 0, library = 0, hardware = 0;
  double log_rate = 0;
  double log_roof = 0;  // of the expected rate
  double gain = 0;      // log_rate - log_roof: minus the slowness
};

struct Candidate {  // of one shape's evidence
  std::size_t row = 0;
  double gain = 0;
  double distance = 0;  // of its shape
  double weight = 0;    // by that distance
};

constexpr std::size_t no_group = std::numeric_limits<std::size_t>::max();

struct Weighed {
  double gain = 0, weight = 0, distance = 0;
  std::size_t group = 0;
};

// The gain at half of the weight of all but one group; the mean of two if it lies between them.
std::optional<RateModel::Estimate> weighted_median(const std::vector<Weighed>& sorted,
                                                   std::size_t without = no_group) {
  double total = 0, distance = 0;
  for (const Weighed& one : sorted)
    if (one.group != without) total += one.weight, distance += one.weight * one.distance;
  if (!(total > 0)) return std::nullopt;
  double below = 0;
  std::optional<double> lower;
  for (const Weighed& one : sorted) {
    if (one.weight < negligible * total || one.group == without) continue;
    below += one.weight;
    if (below < (0.5 - rounding) * total) continue;
    const double gain = lower ? (*lower + one.gain) / 2 : one.gain;
    if (lower || below > (0.5 + rounding) * total)
      return RateModel::Estimate{gain, distance / total};
    lower = one.gain;
  }
  return RateModel::Estimate{lower.value_or(sorted.back().gain), distance / total};
}

struct Pair {  // of two configurations
  double distance = 0, weight = 0, hardware_distance = 0;
  bool same_types = false, same_library = false;
};

Pair pair_of(const Configuration& a, const Configuration& b) {
  const double apart = distance(a, b);
  return {apart, std::exp(-(apart + call_distance(a, b)) / length), hardware_distance(a, b),
          a.dtype == b.dtype && a.multiply == b.multiply, a.library.text == b.library.text};
}

// Numbers for keys, in the order in which they are first seen.
template <typename Key>
class Numbers {
 public:
  std::size_t of(const Key& key) {
    const auto [found, fresh] = numbers_.try_emplace(key, keys_.size());
    if (fresh) keys_.push_back(&found->first);
    return found->second;
  }
  std::size_t size() const { return keys_.size(); }
  const Key& key(std::size_t number) const { return *keys_[number]; }

 private:
  std::map<Key, std::size_t> numbers_;
  std::vector<const Key*> keys_;
};

std::vector<std::string> configuration_key(const Observation& of, const Library& library) {
  const auto text = [&](const char* name) {
    const auto found = of.workload->params.find(name);
    return found == of.workload->params.end() ? std::string() : found->second;
  };
  return {of.accelerator->name, library.text, library.release, text("dtype"), text("mul"), caller_from(*of.stack), of.result};
}

}  // namespace

std::string library_of(const specs::Stack& stack) { return library_from(stack).text; }

struct RateModel::Fit {
  Fit(std::string pi, const std::vector<Observation>& observations);

  void add(const Observation& observation);
  std::vector<Candidate> near(const Shape& shape) const;
  std::size_t group(LeaveOut what, std::size_t row) const;

  std::string pi;
  std::vector<Observation> observations;
  std::vector<Row> rows;
  std::vector<Configuration> configurations;
  Numbers<std::vector<std::string>> configuration_numbers;
  Numbers<Shape> shapes;
  Numbers<std::string> libraries, hardware;
  std::vector<std::vector<std::size_t>> rows_of_shape;
  std::vector<std::vector<Candidate>> candidates;  // by shape, by gain
  std::vector<Pair> pairs;                         // of configurations

  const Pair& pair(std::size_t a, std::size_t b) const {
    return pairs[a * configurations.size() + b];
  }
};

RateModel::Fit::Fit(std::string name, const std::vector<Observation>& all) : pi(std::move(name)) {
  for (const Observation& observation : all)
    if (observation.workload->pi == pi) add(observation);
  for (const Configuration& a : configurations)
    for (const Configuration& b : configurations) pairs.push_back(pair_of(a, b));
  rows_of_shape.resize(shapes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows_of_shape[rows[i].shape].push_back(i);
  for (std::size_t s = 0; s < shapes.size(); ++s) candidates.push_back(near(shapes.key(s)));
}

void RateModel::Fit::add(const Observation& observation) {
  const auto operation = operation_of(*observation.workload);
  if (!operation || !(observation.rate > 0)) return;
  const Library library = library_from(*observation.stack);
  Row row;
  row.configuration = configuration_numbers.of(configuration_key(observation, library));
  if (row.configuration == configurations.size())
    configurations.push_back(
        configuration_from(*observation.workload, *observation.accelerator, *observation.stack, observation.result));
  const Configuration& configuration = configurations[row.configuration];
  if (!(configuration.peak > 0 && configuration.bandwidth > 0)) return;
  row.shape = shapes.of(shape_from(*observation.workload));
  row.library = libraries.of(library.text);
  row.hardware = hardware.of(family_of(*observation.accelerator));
  row.log_rate = std::log(observation.rate);
  row.log_roof =
      std::log(operation->flop / 1e9 /
               expected_seconds(*operation, {configuration.peak, configuration.bandwidth}));
  row.gain = row.log_rate - row.log_roof;
  row.observation = observations.size();
  observations.push_back(observation);
  rows.push_back(row);
}

// The results for the shape itself, if there are, and for the shapes nearest to it.
std::vector<Candidate> RateModel::Fit::near(const Shape& shape) const {
  std::vector<std::pair<double, std::size_t>> order;
  bool known = false;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    order.emplace_back(distance(shape, shapes.key(s)), s);
    known = known || order.back().first == 0;
  }
  std::ranges::sort(order);
  const std::size_t most = near_shapes + (known ? 1 : 0);
  std::vector<Candidate> result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [distance, near] = order[i];
    // Of shapes that are equally far all or none: which comes first is no reason.
    if (i >= most && distance > order[most - 1].first + rounding) break;
    for (const std::size_t row : rows_of_shape[near])
      result.push_back({row, rows[row].gain, distance, std::exp(-distance / length)});
  }
  std::ranges::stable_sort(result, {}, &Candidate::gain);
  return result;
}

std::size_t RateModel::Fit::group(LeaveOut what, std::size_t row) const {
  switch (what) {
    case LeaveOut::shape:
      return rows[row].shape;
    case LeaveOut::library:
      return rows[row].library;
    case LeaveOut::hardware:
      return rows[row].hardware;
  }
  return row;
}

RateModel::RateModel(std::string pi, const std::vector<Observation>& observations)
    : fit_(std::make_unique<Fit>(std::move(pi), observations)) {}
RateModel::~RateModel() = default;
RateModel::RateModel(RateModel&&) noexcept = default;

const std::string& RateModel::pi() const { return fit_->pi; }
std::size_t RateModel::size() const { return fit_->rows.size(); }
const Observation& RateModel::observation(std::size_t row) const { return fit_->observations[row]; }
double RateModel::log_rate(std::size_t row) const { return fit_->rows[row].log_rate; }
std::size_t RateModel::group(LeaveOut what, std::size_t row) const {
  return fit_->group(what, row);
}

std::size_t RateModel::groups(LeaveOut what) const {
  switch (what) {
    case LeaveOut::shape:
      return fit_->shapes.size();
    case LeaveOut::library:
      return fit_->libraries.size();
    case LeaveOut::hardware:
      return fit_->hardware.size();
  }
  return 0;
}

std::string RateModel::group_name(LeaveOut what, std::size_t group) const {
  if (what == LeaveOut::library) return fit_->libraries.key(group);
  if (what == LeaveOut::hardware) return fit_->hardware.key(group);
  return fmt::format("{}", group);
}

std::optional<RateModel::Estimate> RateModel::estimate(const specs::Workload& workload,
                                                       const specs::Accelerator& accelerator,
                                                       const specs::Stack& stack,
                                                       std::vector<Support>* support) const {
  const Fit& fit = *fit_;
  const auto operation = operation_of(workload);
  const Configuration asked = configuration_from(workload, accelerator, stack);
  if (workload.pi != fit.pi || !operation || !(asked.peak > 0 && asked.bandwidth > 0))
    return std::nullopt;
  std::vector<Pair> apart;
  for (const Configuration& one : fit.configurations) apart.push_back(pair_of(asked, one));

  std::vector<Weighed> weighed;
  const std::vector<Candidate> near = fit.near(shape_from(workload));
  double total = 0;
  for (const Candidate& one : near) {
    const Pair& pair = apart[fit.rows[one.row].configuration];
    weighed.push_back({one.gain, pair.weight * one.weight, pair.distance + one.distance, 0});
    total += weighed.back().weight;
  }
  auto result = weighted_median(weighed);
  if (!result) return std::nullopt;
  result->log_rate +=
      std::log(operation->flop / 1e9 / expected_seconds(*operation, {asked.peak, asked.bandwidth}));
  if (support != nullptr) {
    for (std::size_t i = 0; i < near.size(); ++i)
      support->push_back({near[i].row, weighed[i].weight / total, weighed[i].distance});
    std::ranges::stable_sort(*support, std::ranges::greater{}, &Support::share);
  }
  return result;
}

LeaveOut RateModel::novelty(const specs::Workload& workload, const specs::Accelerator& accelerator,
                            const specs::Stack& stack) const {
  const Configuration asked = configuration_from(workload, accelerator, stack);
  bool hardware = false, library = false;
  for (const Row& row : fit_->rows) {
    const Configuration& one = fit_->configurations[row.configuration];
    if (one.accelerator->name != accelerator.name || one.multiply != asked.multiply) continue;
    hardware = true;
    if (!asked.library.text.empty() && one.library.text != asked.library.text) continue;
    library = true;
  }
  return !hardware ? LeaveOut::hardware : !library ? LeaveOut::library : LeaveOut::shape;
}

RateModel::LeftOut RateModel::leave_out(std::size_t row, LeaveOut what) const {
  const Fit& fit = *fit_;
  const Row& target = fit.rows[row];
  const std::size_t own = fit.group(what, row);
  std::vector<Weighed> weighed;
  weighed.reserve(fit.candidates[target.shape].size());
  std::vector<double> weight_of(what == LeaveOut::shape ? 0 : groups(what));
  double total = 0;
  for (const Candidate& one : fit.candidates[target.shape]) {
    const Pair& pair = fit.pair(target.configuration, fit.rows[one.row].configuration);
    const double weight = pair.weight * one.weight;
    const std::size_t group = fit.group(what, one.row);
    if (group == own || weight == 0) continue;
    weighed.push_back({one.gain, weight, pair.distance + one.distance, group});
    total += weight;
    if (what != LeaveOut::shape) weight_of[group] += weight;
  }
  const auto estimate = [&](std::size_t without) {
    auto result = weighted_median(weighed, without);
    if (result) result->log_rate += target.log_roof;
    return result;
  };
  LeftOut result{estimate(no_group), {}};
  for (std::size_t other = 0; other < weight_of.size(); ++other)
    if (weight_of[other] > negligible * total) result.without.emplace_back(other, estimate(other));
  return result;
}

std::optional<RateModel::Naive> RateModel::naive(std::size_t row, LeaveOut what) const {
  const Fit& fit = *fit_;
  const Row& target = fit.rows[row];
  const double peak = fit.configurations[target.configuration].peak;
  const std::size_t own = fit.group(what, row);
  std::tuple<double, double, bool> nearest{};
  std::vector<double> rates, scaled;
  for (const Candidate& one : fit.candidates[target.shape]) {
    const std::size_t other = fit.rows[one.row].configuration;
    const Pair& pair = fit.pair(target.configuration, other);
    if (!pair.same_types || fit.group(what, one.row) == own) continue;
    const std::tuple<double, double, bool> apart{one.distance, pair.hardware_distance,
                                                 !pair.same_library};
    if (!rates.empty() && apart > nearest) continue;
    if (rates.empty() || apart < nearest) rates.clear(), scaled.clear(), nearest = apart;
    rates.push_back(fit.rows[one.row].log_rate);
    scaled.push_back(rates.back() + std::log(peak / fit.configurations[other].peak));
  }
  if (rates.empty()) return std::nullopt;
  return Naive{median(rates), median(scaled)};
}

}  // namespace stackx::analysis
