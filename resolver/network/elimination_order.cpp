#include "resolver/network/elimination_order.hpp"

#include <algorithm>
#include <limits>

#include "specs/random.hpp"

namespace stackx::resolver {
namespace {

struct Attempt {
  Order order;
  double operations = 0;
};

class Greedy {
 public:
  // `first`: what eliminating each variable means at the start.
  Greedy(const Factors& factors, const std::vector<Candidate>& first, std::uint64_t seed)
      : factors_(factors), random_(seed), seed_(seed), later_(first.size()), price_(first.size()) {
    for (const auto& candidate : first) candidates_.push_back(&candidate);
  }

  // Stops when it costs more than `limit`.
  Attempt run(double limit) {
    std::vector<std::size_t> left(factors_.variables());
    for (std::size_t x = 0; x < left.size(); ++x) {
      left[x] = x;
      set_price(x);
    }
    Attempt attempt;
    while (!left.empty() && attempt.operations <= limit) {
      const auto next = std::ranges::min_element(left, {}, [&](auto x) { return price_[x]; });
      const std::size_t x = *next;
      left.erase(next);
      attempt.order.push_back(x);
      const Candidate& candidate = *candidates_[x];
      attempt.operations += candidate.operations;
      factors_.eliminate(x, candidate);
      for (const auto y : candidate.scope) {
        later_[y] = factors_.candidate(y);
        candidates_[y] = &later_[y];
        set_price(y);
      }
    }
    return attempt;
  }

 private:
  void set_price(std::size_t x) {
    const Candidate& one = *candidates_[x];
    const double price = seed_ % 2 == 0 ? one.entries : std::max(1.0, one.entries - one.gain);
    // Between equal and some times as dear.
    const double noise = seed_ == 0 ? 0 : random_.unit() * static_cast<double>(1 + seed_ % 5);
    price_[x] = price * (1 + noise);
  }

  Factors factors_;
  specs::Random random_;
  std::uint64_t seed_;
  std::vector<const Candidate*> candidates_;
  std::vector<Candidate> later_;  // that are no longer as at the start
  std::vector<double> price_;
};

}  // namespace

std::vector<Order> elimination_orders(const Factors& factors, std::uint64_t attempts,
                                      std::size_t most) {
  std::vector<Candidate> first;
  for (std::size_t x = 0; x < factors.variables(); ++x) first.push_back(factors.candidate(x));
  std::vector<Attempt> best{
      Greedy(factors, first, 0).run(std::numeric_limits<double>::infinity())};
  // About as many operations as one attempt takes, beside those of the tables.
  const double attempt = 2e4 * static_cast<double>(factors.variables());
  // Where attempts bring nothing worth it for long, the next ones will not either.
  std::uint64_t patience = 32;
  for (std::uint64_t seed = 1; seed < std::min(patience, attempts); ++seed) {
    if (static_cast<double>(seed) * attempt > best[0].operations) break;
    const double limit = best.back().operations;
    auto other = Greedy(factors, first, seed).run(limit);
    if (other.operations >= limit) continue;
    if (other.operations < 0.95 * best[0].operations) patience = 32 + 8 * seed;
    const auto place = std::ranges::upper_bound(best, other.operations, {}, &Attempt::operations);
    best.insert(place, std::move(other));
    if (best.size() > most) best.pop_back();
  }
  std::vector<Order> orders;
  for (auto& one : best) orders.push_back(std::move(one.order));
  return orders;
}

}  // namespace stackx::resolver
