#include "analysis/statistics/bootstrap.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

#include "specs/random.hpp"

namespace stackx::analysis {
namespace {

constexpr std::size_t enough_hosts = 6;  // as many as the sign test needs at 95%

// The tail probability to read off a bootstrap distribution: that of `errors` standard errors.
double tail_beyond(double errors) { return boost::math::cdf(boost::math::normal(), -errors); }

double t_quantile(std::size_t freedom, double confidence) {
  return boost::math::quantile(boost::math::students_t(static_cast<double>(freedom)),
                               1 - (1 - confidence) / 2);
}

// Of one sample of n units.
double expanded_tail(std::size_t n, double confidence) {
  const double units = static_cast<double>(n);
  return tail_beyond(std::sqrt(units / (units - 1)) * t_quantile(n - 1, confidence));
}

// Quantile of the mid-distribution function: atoms stand at P(<x) + P(=x)/2.
double mid_quantile(const std::vector<double>& sorted, double p) {
  const double total = static_cast<double>(sorted.size());
  double before_at = 0, before = 0;
  bool first = true;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    const double at = static_cast<double>(begin + end) / 2 / total;
    if (at >= p)
      return first ? sorted[begin]
                   : std::lerp(before, sorted[begin], (p - before_at) / (at - before_at));
    before_at = at;
    before = sorted[begin];
    first = false;
    begin = end;
  }
  return sorted.back();
}

Interval percentile_interval(std::vector<double> draws, double tail, double confidence) {
  std::ranges::sort(draws);
  return {mid_quantile(draws, tail), mid_quantile(draws, 1 - tail), confidence};
}

void draw(std::span<const double> from, specs::Random& random, std::vector<double>& into) {
  into.clear();
  for (std::size_t i = 0; i < from.size(); ++i) into.push_back(from[random.below(from.size())]);
}

// The rounds of each host.
using Hosts = std::vector<std::vector<const PairedProcesses*>>;

Hosts by_host(const std::vector<PairedProcesses>& rounds) {
  std::map<std::string, std::vector<const PairedProcesses*>> found;
  for (const PairedProcesses& round : rounds)
    if (!round.a.empty() && !round.b.empty()) found[round.host].push_back(&round);
  Hosts hosts;
  for (auto& [name, list] : found) hosts.push_back(std::move(list));
  return hosts;
}

class Drawer {
 public:
  Drawer(const Hosts& hosts, bool draw_hosts, bool every_level, std::uint64_t seed)
      : hosts_(hosts), draw_hosts_(draw_hosts), every_level_(every_level), random_(seed) {
    for (const auto& host : hosts) {
      logs_.emplace_back();
      for (const PairedProcesses* round : host)
        logs_.back().push_back(median(round->a) - median(round->b));
    }
  }

  double operator()() {
    values_.clear();
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      add(draw_hosts_ ? random_.below(hosts_.size()) : i);
    return median(values_);
  }

 private:
  void add(std::size_t host) {
    const bool draw_rounds = !draw_hosts_ || every_level_;
    const std::size_t rounds = hosts_[host].size();
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t round = draw_rounds ? random_.below(rounds) : i;
      values_.push_back(every_level_ ? drawn_again(*hosts_[host][round]) : logs_[host][round]);
    }
  }

  double drawn_again(const PairedProcesses& round) {
    draw(round.a, random_, samples_);
    const double a = median(samples_);
    draw(round.b, random_, samples_);
    return a - median(samples_);
  }

  const Hosts& hosts_;
  bool draw_hosts_, every_level_;
  specs::Random random_;
  std::vector<std::vector<double>> logs_;  // of each host's rounds, samples as they are
  std::vector<double> values_, samples_;
};

}  // namespace

std::optional<Interval> bootstrap_interval(std::span<const double> values,
                                           const Statistic& statistic, const Bootstrap& options) {
  if (values.size() < least_values(options.confidence)) return std::nullopt;
  specs::Random random(options.seed);
  std::vector<double> sample, draws;
  for (std::size_t i = 0; i < options.draws; ++i) {
    draw(values, random, sample);
    draws.push_back(statistic(sample));
  }
  return percentile_interval(std::move(draws), expanded_tail(values.size(), options.confidence),
                             options.confidence);
}

std::optional<Interval> bootstrap_difference(std::span<const double> a, std::span<const double> b,
                                             const Statistic& statistic, const Bootstrap& options) {
  if (std::min(a.size(), b.size()) < least_values(options.confidence)) return std::nullopt;
  specs::Random random(options.seed);
  std::vector<double> sample, draws;
  for (std::size_t i = 0; i < options.draws; ++i) {
    draw(a, random, sample);
    const double of_a = statistic(sample);
    draw(b, random, sample);
    draws.push_back(of_a - statistic(sample));
  }
  return percentile_interval(std::move(draws),
                             tail_beyond(t_quantile(a.size() + b.size() - 2, options.confidence)),
                             options.confidence);
}

std::optional<Hierarchical> bootstrap_hierarchy(const std::vector<PairedProcesses>& rounds,
                                                const Bootstrap& options, bool every_level) {
  const Hosts hosts = by_host(rounds);
  Hierarchical result;
  result.hosts = hosts.size();
  for (const auto& host : hosts) result.rounds += host.size();
  result.over_hosts = hosts.size() >= enough_hosts;
  const std::size_t units = result.over_hosts ? result.hosts : result.rounds;
  if (units < least_values(options.confidence)) return std::nullopt;
  Drawer next(hosts, result.over_hosts, every_level, options.seed);
  std::vector<double> draws;
  for (std::size_t i = 0; i < options.draws; ++i) draws.push_back(next());
  result.interval = percentile_interval(std::move(draws), expanded_tail(units, options.confidence),
                                        options.confidence);
  return result;
}

}  // namespace stackx::analysis
