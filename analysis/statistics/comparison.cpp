#include "analysis/statistics/comparison.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

namespace stackx::analysis {
namespace {

constexpr double most_rounds = 10'000;

// Noise of one pair; the MAD does not see up to half of the values, so it may be 0 where there is
// noise.
double spread(const std::vector<double>& logs) {
  const double robust = scaled_mad(logs);
  return robust > 0 ? robust : standard_deviation(logs).value_or(0);
}

// The first number of rounds from `from` on that tells by the test's tosses, if of those to come as many speak against it as of
// those that were run: with 4 of 6 for it, whatever an interval of 6 promises, one more decides nothing. Where half or more are
// against it, which an interval takes for noise, if none of those to come is.
std::optional<std::size_t> rounds_by_tosses(const std::vector<double>& logs, double band, double level, std::size_t from) {
  const double middle = median(logs), sign = middle < 0 ? -1 : 1;
  const auto count = [&](auto speaks) { return static_cast<double>(std::ranges::count_if(logs, speaks)); };
  const double against = std::abs(middle) > band
                             ? count([&](double log) { return sign * log <= band; })
                             : std::max(count([&](double log) { return log >= band; }), count([&](double log) { return log <= -band; }));
  const double share = against / static_cast<double>(logs.size());
  const bool half = share >= 0.5;
  // By the normal approximation no fewer than this: each number that is tried costs a binomial's tail.
  const double z = half ? 0 : boost::math::quantile(boost::math::normal(), 1 - level / 2) / (1 - 2 * share);
  for (auto rounds = std::max(from, static_cast<std::size_t>(0.8 * std::min(z * z, most_rounds))); rounds < most_rounds;
       rounds += 1 + rounds / 100) {  // many: to the percent
    const auto losses = half ? against : std::ceil(share * static_cast<double>(rounds) - 1e-9);
    if (2 * fair_cdf(static_cast<std::ptrdiff_t>(losses), rounds) <= level * (1 + 1e-9)) return rounds;
  }
  return std::nullopt;
}

// Until the interval and the tosses tell.
std::optional<std::size_t> further_rounds(const std::vector<double>& logs, double band,
                                          double level) {
  if (logs.empty()) return least_values(1 - level);
  const auto needed = rounds_by_interval(spread(logs), std::abs(std::abs(median(logs)) - band), level);
  const auto told = needed ? rounds_by_tosses(logs, band, level, std::max(*needed, logs.size() + 1)) : std::nullopt;
  if (!told) return std::nullopt;
  return *told - logs.size();
}

std::optional<Interval> ratio_interval(const std::vector<double>& logs, double confidence) {
  if (logs.empty()) return std::nullopt;
  const std::optional<Interval> interval = median_interval(logs, confidence);
  if (!interval) return std::nullopt;
  return Interval{std::exp(interval->low), std::exp(interval->high), interval->coverage};
}

}  // namespace

std::optional<std::size_t> rounds_by_interval(double spread, double distance, double level) {
  // The median of normal values has sqrt(pi/2) times the mean's standard error.
  const double error = boost::math::quantile(boost::math::normal(), 1 - level / 2) * std::sqrt(std::numbers::pi / 2) * spread;
  const double needed = error == 0 ? 0 : std::pow(error / distance, 2);
  if (!(needed < most_rounds)) return std::nullopt;  // also where distance is 0
  return std::max(least_values(1 - level), static_cast<std::size_t>(std::ceil(needed)));
}

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "FASTER";
    case Verdict::slower:
      return "SLOWER";
    case Verdict::equivalent:
      return "EQUIVALENT";
    case Verdict::unresolved:
      return "UNRESOLVED";
  }
  return "";
}

const char* words(Verdict verdict, const specs::Yardstick& yardstick) {
  if (yardstick.is_rate() || verdict == Verdict::equivalent || verdict == Verdict::unresolved) return to_string(verdict);
  return verdict == Verdict::faster ? "BETTER" : "WORSE";
}

std::size_t fewest_rounds(std::size_t comparisons, double confidence) {
  return least_values(1 - (1 - confidence) / static_cast<double>(std::max<std::size_t>(comparisons, 1)));
}

std::optional<std::size_t> rounds_to_find(double effect, double delta, double cv, std::size_t comparisons,
                                          double confidence) {
  constexpr double power = 0.8, least_spread = 1e-9;
  constexpr std::size_t most = 20'000;
  const double band = effect > delta * (1 + 1e-9) ? std::log1p(delta) : 0;
  const double spread = std::numbers::sqrt2 * std::sqrt(std::log1p(cv * cv));  // of one round's log ratio
  // A round speaks against the difference where its ratio is not beyond the band.
  const double against =
      boost::math::cdf(boost::math::normal(), -(std::log1p(effect) - band) / std::max(spread, least_spread));
  const double level = (1 - confidence) / static_cast<double>(std::max<std::size_t>(comparisons, 1));
  std::ptrdiff_t allowed = -1;  // rounds that may speak against it
  for (std::size_t rounds = 2; rounds <= most; rounds += 1 + rounds / 100) {  // many: to the percent
    while (2 * fair_cdf(allowed + 1, rounds) <= level * (1 + 1e-9)) ++allowed;
    if (allowed < 0) continue;
    const boost::math::binomial tosses(static_cast<double>(rounds), against);
    if (boost::math::cdf(tosses, static_cast<double>(allowed)) >= power) return rounds;
  }
  return std::nullopt;
}

Comparison decided(const std::vector<double>& logs, double delta, const Decision& decision,
                   const specs::Yardstick& yardstick) {
  Comparison result;
  result.pairs = logs.size();
  result.interval = ratio_interval(logs, 1 - decision.level);
  if (!logs.empty()) result.ratio = std::exp(median(logs));
  if (decision.outside)
    result.verdict = (median(logs) > 0) != yardstick.smaller_is_better() ? Verdict::faster : Verdict::slower;
  else if (decision.inside)
    result.verdict = Verdict::equivalent;
  else
    result.further_rounds = further_rounds(logs, std::log1p(delta), decision.level);
  return result;
}

std::vector<Comparison> compare(const std::vector<std::vector<double>>& family, double delta,
                                double confidence, const specs::Yardstick& yardstick) {
  const double band = std::log1p(delta), alpha = 1 - confidence;
  std::vector<double> p_outside, p_inside;
  for (const auto& logs : family) {
    p_outside.push_back(logs.empty() ? 1 : sign_test_outside(logs, -band, band));
    p_inside.push_back(logs.empty() ? 1 : sign_test_inside(logs, -band, band));
  }
  const Holm outside = holm(p_outside, alpha), inside = holm(p_inside, alpha);
  std::vector<Comparison> result;
  for (std::size_t i = 0; i < family.size(); ++i) {
    // What neither procedure decided is shown at the stricter of the two levels.
    const double level = outside.rejected[i]  ? outside.level[i]
                         : inside.rejected[i] ? inside.level[i]
                                              : std::min(outside.level[i], inside.level[i]);
    result.push_back(decided(family[i], delta, {outside.rejected[i], inside.rejected[i], level}, yardstick));
  }
  return result;
}

}  // namespace stackx::analysis
