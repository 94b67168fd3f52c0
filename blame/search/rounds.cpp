#include "blame/search/rounds.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "analysis/statistics/statistics.hpp"

namespace stackx::blame {
namespace {

constexpr double least_noise = 0.001;  // no run time is known better; keeps equal values of a coarse clock from certainty

// What rounds and stacks do not explain of the rounds from `begin` to `end`, each scaled so that its square is the
// variance of one value.
struct Residuals {
  std::vector<double> values;
  std::size_t freedom = 0;
};

Residuals residuals(const std::vector<std::vector<double>>& rows) {
  Residuals result;
  if (rows.size() < 2 || rows.front().size() < 2) return result;
  const auto n = static_cast<double>(rows.size()), k = static_cast<double>(rows.front().size());
  std::vector<double> columns(rows.front().size(), 0);
  double all = 0;
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) {
      columns[i] += row[i] / n;
      all += row[i] / (n * k);
    }
  const double scale = std::sqrt(n * k / ((n - 1) * (k - 1)));
  for (const auto& row : rows) {
    const double mean = analysis::mean(row);
    for (std::size_t i = 0; i < row.size(); ++i) result.values.push_back(scale * (row[i] - mean - columns[i] + all));
  }
  result.freedom = (rows.size() - 1) * (rows.front().size() - 1);
  return result;
}

}  // namespace

bool Estimate::is_shown(double least) const {
  if (rounds < 2) return false;
  const double beyond = std::abs(log) - times * error;
  return beyond > least && median * log > 0 && std::abs(median) > std::abs(log) / 2;
}

void Rounds::add(const std::vector<Subset>& stacks, const Values& values) {
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    auto& row = values_[stacks[i]];
    if (values[i])
      row.emplace(rounds_, *values[i]);
    else
      ++failures_[stacks[i]];
  }
  if (blocks_.empty() || stacks != blocks_.back().stacks) blocks_.push_back({stacks, rounds_});
  noise_.reset();
  ++rounds_;
  inspections_ += stacks.size();
}

std::vector<double> Rounds::logs(const Subset& a, const Subset& b, std::size_t first) const {
  std::vector<double> result;
  const auto of_a = values_.find(a), of_b = values_.find(b);
  if (of_a == values_.end() || of_b == values_.end()) return result;
  for (auto one = of_a->second.lower_bound(first); one != of_a->second.end(); ++one)
    if (const auto other = of_b->second.find(one->first); other != of_b->second.end()) result.push_back(other->second - one->second);
  return result;
}

Estimate Rounds::estimate(const Subset& a, const Subset& b, double alpha, std::size_t first) const {
  Estimate result;
  const auto values = logs(a, b, first);
  result.rounds = values.size();
  if (values.empty()) return result;
  result.log = analysis::mean(values);
  result.median = analysis::median(values);
  const auto& [deviation, freedom] = pooled();
  result.error = std::sqrt(2 / static_cast<double>(values.size())) * std::max(deviation, least_noise);
  const auto known = static_cast<double>(std::max<std::size_t>(freedom, 1));
  result.times = boost::math::quantile(boost::math::complement(boost::math::students_t(known), alpha / 2));
  return result;
}

bool Rounds::is_broken(const Subset& stack) const {
  const auto failed = failures_.find(stack);
  return failed != failures_.end() && failed->second >= 2 && values_.at(stack).empty();
}

double Rounds::noise() const { return pooled().deviation; }

const Rounds::Noise& Rounds::pooled() const {
  if (!noise_) noise_ = compute_noise();
  return *noise_;
}

Rounds::Noise Rounds::compute_noise() const {
  std::vector<double> all;
  Noise noise;
  double squares = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const auto end = i + 1 < blocks_.size() ? blocks_[i + 1].begin : rounds_;
    std::vector<std::vector<double>> rows;
    for (auto round = blocks_[i].begin; round < end; ++round) {
      std::vector<double> row;
      for (const auto& stack : blocks_[i].stacks)
        if (const auto value = values_.at(stack).find(round); value != values_.at(stack).end()) row.push_back(value->second);
      if (row.size() == blocks_[i].stacks.size()) rows.push_back(std::move(row));
    }
    const auto left = residuals(rows);
    all.insert(all.end(), left.values.begin(), left.values.end());
    for (const double one : left.values) squares += one * one;
    noise.freedom += left.freedom;
  }
  if (all.empty()) return noise;
  // Most of the values say how much they vary; wild ones count, but not alone.
  const double usual = analysis::scaled_mad(all), whole = std::sqrt(squares / static_cast<double>(all.size()));
  noise.deviation = std::max(usual, whole / 2);
  return noise;
}

}  // namespace stackx::blame
