#include "analysis/effects/additive_model.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <stdexcept>

#include "analysis/effects/decompositions.hpp"

namespace stackx::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double tiny = 1e-8;  // entries are 0 and 1: far above rounding, far below any true part
constexpr std::size_t least_stacks = 3;

Index at(std::size_t i) { return static_cast<Index>(i); }

// Half the width of a two-sided interval, in standard errors.
double student(double degrees_of_freedom, double confidence) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), (1 + confidence) / 2);
}

Interval around(double value, double half, double confidence) {
  return {value - half, value + half, confidence};
}

VectorXd row_of(const DesignMatrix& design, const DesignMatrix::Row& row) {
  VectorXd x = VectorXd::Zero(at(design.columns()));
  for (const std::size_t column : row.columns) x[at(column)] = 1;
  return x;
}

struct Ridge {
  double penalty = 1;
  VectorXd shrunk;     // s / (s^2 + penalty), by singular value
  VectorXd residuals;  // by stack
  VectorXd leverage;
  VectorXd effects;
  double press = 0;  // sum of squared leave-one-out errors
  double parameters = 0;
};

}  // namespace

struct AdditiveModel::Fit {
  Fit(const std::vector<specs::Stack>& stacks, const std::vector<double>& values, double level);

  Ridge ridge(double penalty) const;
  void choose_penalty();
  double variance(const VectorXd& centred, std::size_t unknown) const;  // of a predicted mean
  VectorXd contrast(std::size_t from, std::size_t to) const;
  bool estimable(const VectorXd& contrast) const;

  DesignMatrix design;
  double confidence;
  double mean = 0;
  VectorXd centre;  // of the columns
  VectorXd centred_values;
  MatrixXd U, V, null;  // of Z: U and V for singular values that are not 0, V's other columns
  VectorXd s;
  VectorXd least_squares;  // the solution of least norm: for estimable differences only
  double squares = 0;      // of its residuals
  Ridge best;
  double noise2 = 0, effect2 = 0;
  double chosen = 0;  // parameters besides the effects
};

AdditiveModel::Fit::Fit(const std::vector<specs::Stack>& stacks, const std::vector<double>& values,
                        double level)
    : design(stacks), confidence(level) {
  if (stacks.empty() || stacks.size() != values.size())
    throw std::invalid_argument("additive model: as many values as stacks, at least one");
  const Index n = at(stacks.size()), p = at(design.columns());
  MatrixXd Z(n, p);
  for (Index i = 0; i < n; ++i)
    Z.row(i) = row_of(design, design.row(stacks[static_cast<std::size_t>(i)])).transpose();
  centre = Z.colwise().mean().transpose();
  Z.rowwise() -= centre.transpose();
  const VectorXd y = Eigen::Map<const VectorXd>(values.data(), n);
  mean = analysis::mean(values);
  centred_values = y.array() - mean;

  Index rank = 0;
  if (p > 0) {
    SingularValues svd = singular_values(Z);
    s = std::move(svd.s);
    while (rank < s.size() && s[rank] > tiny) ++rank;
    U = svd.U.leftCols(rank);
    V = svd.V.leftCols(rank);
    null = svd.V.rightCols(p - rank);
    s.conservativeResize(rank);
  } else {
    U.resize(n, 0), V.resize(0, 0), null.resize(0, 0);
  }
  const VectorXd scores = U.transpose() * centred_values;
  least_squares = V * scores.cwiseQuotient(s);
  squares = (centred_values - U * scores).squaredNorm();
  choose_penalty();
}

Ridge AdditiveModel::Fit::ridge(double penalty) const {
  Ridge result;
  result.penalty = penalty;
  const Index n = centred_values.size();
  const VectorXd kept = s.array().square() / (s.array().square() + penalty);
  const VectorXd scores = U.transpose() * centred_values;
  result.shrunk = s.array() / (s.array().square() + penalty);
  result.effects = V * result.shrunk.cwiseProduct(scores);
  result.residuals = centred_values - U * kept.cwiseProduct(scores);
  result.leverage = (U.array().square().matrix() * kept).array() + 1.0 / static_cast<double>(n);
  result.press = (result.residuals.array() / (1 - result.leverage.array())).square().sum();
  result.parameters = 1 + kept.sum();
  return result;
}

void AdditiveModel::Fit::choose_penalty() {
  const Index n = centred_values.size();
  if (n < at(least_stacks)) {
    best = ridge(1);
    return;
  }
  // From effects 30 times the noise to effects lost in it; of equals the larger, from where it starts.
  best = ridge(1e4);
  for (int step = 139; step >= 0; --step) {
    Ridge next = ridge(std::pow(10.0, -3 + step * 0.05));
    if (next.press < best.press) best = std::move(next);
  }
  // The penalty is chosen from the same values and counts as a parameter, if there is one to choose.
  chosen = s.size() > 0 ? 1 : 0;
  noise2 = (best.residuals.array().square() / (1 - best.leverage.array())).sum() /
           (static_cast<double>(n) - chosen);
  // All effects 0: nothing to see, or no two stacks differ.
  effect2 = best.effects.squaredNorm() > 0 ? best.effects.squaredNorm() / (best.parameters - 1) : 0;
}

// In the row space as the ridge sees it, outside of it as uncertain as any effect.
double AdditiveModel::Fit::variance(const VectorXd& centred, std::size_t unknown) const {
  const VectorXd inside = V.transpose() * centred;
  const double seen =
      (inside.array().square() / (s.array().square() + best.penalty)).sum() +
      1.0 / static_cast<double>(centred_values.size());
  const double outside = std::max(0.0, centred.squaredNorm() - inside.squaredNorm());
  return noise2 * seen + effect2 * (outside + static_cast<double>(unknown));
}

VectorXd AdditiveModel::Fit::contrast(std::size_t from, std::size_t to) const {
  VectorXd result = VectorXd::Zero(at(design.columns()));
  result[at(to)] += 1;
  result[at(from)] -= 1;
  return result;
}

bool AdditiveModel::Fit::estimable(const VectorXd& contrast) const {
  return (null.transpose() * contrast).norm() < tiny;
}

AdditiveModel::AdditiveModel(const std::vector<specs::Stack>& stacks,
                             const std::vector<double>& values, double confidence)
    : fit_(std::make_unique<Fit>(stacks, values, confidence)) {}
AdditiveModel::~AdditiveModel() = default;
AdditiveModel::AdditiveModel(AdditiveModel&&) noexcept = default;

const DesignMatrix& AdditiveModel::design() const { return fit_->design; }
std::size_t AdditiveModel::rank() const { return static_cast<std::size_t>(fit_->s.size()) + 1; }
std::size_t AdditiveModel::degrees_of_freedom() const {
  return static_cast<std::size_t>(fit_->centred_values.size()) - rank();
}
double AdditiveModel::penalty() const { return fit_->best.penalty; }
double AdditiveModel::effective_parameters() const { return fit_->best.parameters; }
double AdditiveModel::effect(std::size_t column) const { return fit_->best.effects[at(column)]; }
double AdditiveModel::noise() const { return std::sqrt(fit_->noise2); }
double AdditiveModel::effect_deviation() const { return std::sqrt(fit_->effect2); }

std::optional<double> AdditiveModel::residual() const {
  if (degrees_of_freedom() == 0) return std::nullopt;
  return std::sqrt(fit_->squares / static_cast<double>(degrees_of_freedom()));
}

std::optional<AdditiveModel::Difference> AdditiveModel::difference(std::size_t from,
                                                                   std::size_t to) const {
  const VectorXd contrast = fit_->contrast(from, to);
  if (!fit_->estimable(contrast)) return std::nullopt;
  Difference result{contrast.dot(fit_->least_squares), std::nullopt};
  if (const auto deviation = residual()) {
    const double error =
        *deviation * (fit_->V.transpose() * contrast).cwiseQuotient(fit_->s).norm();
    const double wide =
        student(static_cast<double>(degrees_of_freedom()), fit_->confidence) * error;
    result.interval = around(result.value, wide, fit_->confidence);
  }
  return result;
}

// With N the null space: holding still the components of `held` makes the difference estimable if
// N' contrast lies in the span of the rows of N that belong to them. Takes in those with the largest
// part in it until that is so, then lets go of each in turn.
std::vector<std::string> AdditiveModel::confounded_with(std::size_t from, std::size_t to) const {
  const VectorXd wanted = fit_->null.transpose() * fit_->contrast(from, to);
  if (wanted.norm() < tiny) return {};
  const VectorXd part = fit_->null * wanted;
  struct Other {
    const Factor* factor;
    double part;
  };
  std::vector<Other> others;
  const auto columns = [](const Factor& factor) { return at(factor.versions.size()); };
  for (const Factor& factor : design().factors())
    if (&factor != &design().factor_of(from) && factor.versions.size() > 1)
      others.push_back({&factor, part.segment(at(factor.first_column), columns(factor)).norm()});
  std::ranges::stable_sort(others, std::ranges::greater{}, &Other::part);

  const auto enough = [&](const std::vector<Other>& held) {
    Index width = 0;
    for (const Other& other : held) width += columns(*other.factor);
    if (width == 0) return false;
    MatrixXd span(fit_->null.cols(), width);
    Index filled = 0;
    for (const Other& other : held) {
      const Index more = columns(*other.factor);
      span.middleCols(filled, more) =
          fit_->null.middleRows(at(other.factor->first_column), more).transpose();
      filled += more;
    }
    return (span * least_squares_solution(span, wanted, tiny) - wanted).norm() < 1e-6;
  };
  std::vector<Other> held;
  for (const Other& other : others) {
    held.push_back(other);
    if (enough(held)) break;
  }
  for (std::size_t i = held.size(); i-- > 0;) {
    std::vector<Other> fewer = held;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (enough(fewer)) held = std::move(fewer);
  }
  std::vector<std::string> names;
  for (const Other& other : held) names.push_back(other.factor->component);
  std::ranges::sort(names);
  return names;
}

AdditiveModel::Prediction AdditiveModel::predict(const specs::Stack& stack) const {
  const Fit& fit = *fit_;
  auto row = fit.design.row(stack);
  const VectorXd centred = row_of(fit.design, row) - fit.centre;
  Prediction result{fit.mean + centred.dot(fit.best.effects), std::nullopt,
                    std::move(row.unknown)};
  const auto n = static_cast<std::size_t>(fit.centred_values.size());
  if (n < least_stacks) return result;
  // A component that is new differs from being absent, which is as uncertain.
  const std::size_t unknown = result.never_measured.size() + row.new_components;
  const double error = std::sqrt(fit.noise2 + fit.variance(centred, unknown));
  const double freedom =
      std::max(1.0, static_cast<double>(n) - fit.best.parameters - fit.chosen);
  result.interval = around(result.value, student(freedom, fit.confidence) * error, fit.confidence);
  return result;
}

// noise^2 without the stack's own term; the variance of its prediction is noise^2 / (1 - leverage).
std::vector<AdditiveModel::Prediction> AdditiveModel::leave_one_out() const {
  const Fit& fit = *fit_;
  const Index n = fit.centred_values.size();
  std::vector<Prediction> result;
  if (n < at(least_stacks)) return result;
  const double freedom =
      std::max(1.0, static_cast<double>(n) - 1 - fit.best.parameters - fit.chosen);
  const double factor = student(freedom, fit.confidence);
  for (Index i = 0; i < n; ++i) {
    const double residual = fit.best.residuals[i], rest = 1 - fit.best.leverage[i];
    const double value = fit.mean + fit.centred_values[i] - residual / rest;
    const double all = static_cast<double>(n) - fit.chosen;
    const double others = (all * fit.noise2 - residual * residual / rest) / (all - 1);
    result.push_back(
        {value, around(value, factor * std::sqrt(std::max(0.0, others) / rest), fit.confidence), {}});
  }
  return result;
}

}  // namespace stackx::analysis
