#include "analysis/effects/learn.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "analysis/effects/additive_model.hpp"

namespace stackx::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Index = Eigen::Index;

struct Variances {
  double effect = 0.3 * 0.3;           // of a version
  double deviation = 0.03 * 0.03;      // of an arm from the sum of its effects
  double inspection = 0.03 * 0.03;     // of an inspection from its arm
  static constexpr double level = 100;  // of the intercept: nothing is known about it
};

// Pooled over the arms that ran more than once.
void set_inspection_variance(const std::vector<std::vector<double>>& log_rates, Variances& found) {
  constexpr double least = 5;  // degrees of freedom
  double squares = 0, freedom = 0;
  for (const auto& values : log_rates)
    if (const auto deviation = values.size() > 1 ? standard_deviation(values) : std::nullopt) {
      squares += *deviation * *deviation * static_cast<double>(values.size() - 1);
      freedom += static_cast<double>(values.size() - 1);
    }
  if (freedom >= least) found.inspection = squares / freedom;
}

Variances variances(const std::vector<specs::Stack>& arms,
                    const std::vector<std::vector<double>>& log_rates) {
  Variances found;
  set_inspection_variance(log_rates, found);
  std::vector<specs::Stack> stacks;
  std::vector<double> values;
  double per_value = 0;  // of the inspections' variance, in the value of an arm
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (log_rates[i].empty()) continue;
    stacks.push_back(arms[i]);
    values.push_back(median(log_rates[i]));
    per_value += 1 / static_cast<double>(log_rates[i].size());
  }
  constexpr double enough = 5;
  if (stacks.empty()) return found;
  const AdditiveModel model(stacks, values);
  const auto n = static_cast<double>(stacks.size());
  if (n - model.effective_parameters() < enough) return found;
  const double noise = model.noise() * model.noise();
  found.effect = model.effect_deviation() * model.effect_deviation();
  found.deviation = noise - found.inspection * per_value / n;
  // Rounded times can agree to the last digit; nothing is that exact.
  const double floor = std::max(1e-10, 0.01 * noise);
  found.effect = std::max(found.effect, floor);
  found.deviation = std::max(found.deviation, floor);
  found.inspection = std::max(found.inspection, floor);
  return found;
}

class Picker {
 public:
  Picker(const std::vector<specs::Stack>& arms, const std::vector<std::vector<double>>& log_rates)
      : variances_(variances(arms, log_rates)), runs_(arms.size(), 0), taken_(arms.size(), false) {
    const DesignMatrix design(arms);
    const Index p = static_cast<Index>(design.columns()) + 1;
    VectorXd prior = VectorXd::Constant(p, variances_.effect);
    prior[p - 1] = Variances::level;
    covariance_ = prior.asDiagonal();
    for (const auto& arm : arms) {
      std::vector<Index> row{p - 1};
      for (const std::size_t column : design.row(arm).columns)
        row.push_back(static_cast<Index>(column));
      rows_.push_back(std::move(row));
    }
    for (std::size_t arm = 0; arm < arms.size(); ++arm)
      if (!log_rates[arm].empty()) run(arm, log_rates[arm].size());
  }

  std::size_t pick() {
    std::size_t best = rows_.size();
    double most = 0;
    for (std::size_t arm = 0; arm < rows_.size(); ++arm) {
      if (taken_[arm]) continue;
      const double variance = variance_of(arm);
      const bool none = best == rows_.size();
      const bool equal = !none && std::abs(variance - most) <= 1e-9 * most;
      if (none || (equal ? runs_[arm] < runs_[best] : variance > most))
        best = arm, most = variance;
    }
    taken_[best] = true;
    run(best, 1);
    return best;
  }

 private:
  // What n inspections of an arm say about the sum of its effects.
  double information(std::size_t n) const {
    if (n == 0) return 0;
    return 1 / (variances_.deviation + variances_.inspection / static_cast<double>(n));
  }
  // What is left of an arm's own deviation after n inspections, its effects being known.
  double left(std::size_t n) const {
    return 1 / (1 / variances_.deviation + static_cast<double>(n) / variances_.inspection);
  }

  double variance_of_effects(std::size_t arm) const {
    double sum = 0;
    for (const Index i : rows_[arm])
      for (const Index j : rows_[arm]) sum += covariance_(i, j);
    return sum;
  }

  // Of the prediction of its rate: from its effects, and from what is its own.
  double variance_of(std::size_t arm) const {
    return variance_of_effects(arm) + left(runs_[arm]);
  }

  void run(std::size_t arm, std::size_t times) {
    const double more = information(runs_[arm] + times) - information(runs_[arm]);
    VectorXd towards = VectorXd::Zero(covariance_.rows());
    for (const Index i : rows_[arm]) towards += covariance_.col(i);
    const double own = variance_of_effects(arm);
    covariance_ -= towards * towards.transpose() * (more / (1 + more * own));
    runs_[arm] += times;
  }

  Variances variances_;
  std::vector<std::size_t> runs_;
  std::vector<bool> taken_;
  std::vector<std::vector<Index>> rows_;  // columns that are 1, the intercept's among them
  MatrixXd covariance_;                   // of intercept and effects
};

}  // namespace

std::vector<std::size_t> next_batch(const std::vector<specs::Stack>& arms,
                                    const std::vector<std::vector<double>>& log_rates,
                                    std::size_t batch) {
  if (arms.size() != log_rates.size())
    throw std::invalid_argument("next_batch: as many lists of rates as arms");
  Picker picker(arms, log_rates);
  std::vector<std::size_t> picks;
  while (picks.size() < std::min(batch, arms.size())) picks.push_back(picker.pick());
  return picks;
}

}  // namespace stackx::analysis
