#include "analysis/prediction/held_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace stackx::analysis {
namespace {

constexpr double confidence = 0.8, least_coverage = 0.7, most_coverage = 0.9;
constexpr double offset = 0.2;  // what is wrong at distance 0

struct Trial {
  std::size_t group = 0;
  double error = 0, distance = 0;
  bool covered = false;
  std::optional<RateModel::Naive> naive;
  double actual = 0;
};

double score_of(const Trial& trial) { return trial.error / (offset + trial.distance); }

// The smallest value that at least the share of n + 1 reaches: exact coverage if all were
// exchangeable.
double upper_quantile(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto rank =
      static_cast<std::size_t>(std::ceil(confidence * static_cast<double>(values.size() + 1)));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(rank, values.size()) - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

// Scores of rows predicted without their own group and without another one.
class OtherScores {
 public:
  // Of the rows of every group but one.
  std::vector<double> without(std::size_t group) const {
    std::vector<double> result;
    for (const Scores& one : all_) {
      if (one.group == group) continue;
      const auto changed = one.without.find(group);
      const auto score = changed == one.without.end() ? one.plain : changed->second;
      if (score) result.push_back(*score);
    }
    return result;
  }
  void add(std::size_t group, double actual, const RateModel::LeftOut& left_out) {
    Scores scores{group, score_of(actual, left_out.estimate), {}};
    for (const auto& [other, estimate] : left_out.without)
      scores.without[other] = score_of(actual, estimate);
    all_.push_back(std::move(scores));
  }

 private:
  struct Scores {
    std::size_t group;
    std::optional<double> plain;
    std::map<std::size_t, std::optional<double>> without;
  };
  static std::optional<double> score_of(double actual,
                                        const std::optional<RateModel::Estimate>& estimate) {
    if (!estimate) return std::nullopt;
    return std::abs(estimate->log_rate - actual) / (offset + estimate->distance);
  }
  std::vector<Scores> all_;
};

HeldOutGroup summary(std::string name, const std::vector<const Trial*>& trials) {
  HeldOutGroup result;
  result.name = std::move(name);
  std::vector<double> all, beside, peak_ratio, nearest;
  std::size_t covered = 0;
  for (const Trial* trial : trials) {
    all.push_back(trial->error);
    covered += trial->covered;
    if (!trial->naive) continue;
    beside.push_back(trial->error);
    peak_ratio.push_back(std::abs(trial->naive->peak_ratio - trial->actual));
    nearest.push_back(std::abs(trial->naive->nearest - trial->actual));
  }
  if (!trials.empty())
    result.coverage = static_cast<double>(covered) / static_cast<double>(trials.size());
  result.model = errors_of(std::move(all));
  result.model_beside = errors_of(std::move(beside));
  result.peak_ratio = errors_of(std::move(peak_ratio));
  result.nearest = errors_of(std::move(nearest));
  return result;
}

}  // namespace

Errors errors_of(std::vector<double> values) {
  Errors result;
  result.n = values.size();
  if (values.empty()) return result;
  std::ranges::sort(values);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
  };
  result.median = at(0.5);
  result.p90 = at(0.9);
  for (const double value : values) result.mean += value / static_cast<double>(values.size());
  return result;
}

double factor(double log_error) { return std::exp(log_error); }

const char* to_string(LeaveOut what) {
  switch (what) {
    case LeaveOut::shape:
      return "whole shapes";
    case LeaveOut::library:
      return "whole library versions";
    case LeaveOut::hardware:
      return "whole GPUs";
  }
  return "";
}

double HeldOut::half_width(double distance) const { return score * (offset + distance); }

bool HeldOut::better() const {
  const auto beats = [&](const Errors& rule) {
    return all.model_beside.median < rule.median && all.model_beside.mean < rule.mean;
  };
  return all.model_beside.n > 0 && beats(all.peak_ratio) && beats(all.nearest);
}

std::string HeldOut::refusal() const {
  if (all.model_beside.n == 0)
    return fmt::format("without anything to be compared with once {} are left out",
                       to_string(what));
  if (!better()) {
    const Errors &own = all.model_beside, &ratio = all.peak_ratio, &near = all.nearest;
    return fmt::format(
        "no better than a naive rule with {} left out: off by x{:.2f} at the median (mean "
        "x{:.2f}), the "
        "peak ratio x{:.2f} (x{:.2f}), the nearest hardware's number x{:.2f} (x{:.2f}), {} results",
        to_string(what), factor(own.median), factor(own.mean), factor(ratio.median),
        factor(ratio.mean), factor(near.median), factor(near.mean), own.n);
  }
  if (all.coverage < least_coverage || all.coverage > most_coverage)
    return fmt::format(
        "wrong in its 80% intervals: with {} left out they hold for {:.0f}% of {} results",
        to_string(what), 100 * all.coverage, all.model.n);
  return "";
}

HeldOut held_out(const RateModel& model, LeaveOut what) {
  HeldOut result;
  result.what = what;
  result.rows = model.size();
  std::vector<Trial> trials;
  OtherScores others;
  for (std::size_t row = 0; row < model.size(); ++row) {
    const auto left_out = model.leave_out(row, what);
    const double actual = model.log_rate(row);
    others.add(model.group(what, row), actual, left_out);
    if (!left_out.estimate) continue;
    trials.push_back({model.group(what, row), std::abs(left_out.estimate->log_rate - actual),
                      left_out.estimate->distance, false, model.naive(row, what), actual});
  }
  std::vector<double> scores;
  for (const Trial& one : trials) {
    scores.push_back(score_of(one));
    result.reach = std::max(result.reach, one.distance);
  }
  result.score = upper_quantile(scores);
  result.median_score = errors_of(scores).median;

  std::vector<const Trial*> all;
  std::vector<std::vector<const Trial*>> of_group(model.groups(what));
  for (const Trial& one : trials) {
    all.push_back(&one);
    of_group[one.group].push_back(&one);
  }
  const bool large = what == LeaveOut::hardware || what == LeaveOut::library;
  if (!large)  // one group among so many moves the quantile by less than what is printed of it
    for (Trial& one : trials) one.covered = score_of(one) <= result.score;
  for (std::size_t group = 0; large && group < of_group.size(); ++group) {
    if (of_group[group].empty()) continue;
    const double score = upper_quantile(others.without(group));
    for (Trial& one : trials)
      if (one.group == group) one.covered = score_of(one) <= score;
    result.groups.push_back(summary(model.group_name(what, group), of_group[group]));
  }
  result.all = summary(to_string(what), all);
  return result;
}

}  // namespace stackx::analysis
