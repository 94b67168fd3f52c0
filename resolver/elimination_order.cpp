#include "resolver/elimination_order.hpp"

#include <algorithm>
#include <limits>

#include "specs/random.hpp"

namespace stackx::resolver {
namespace {

struct Attempt {
  std::vector<std::size_t> order;
  double operations = 0;
};

class Greedy {
 public:
  Greedy(Factors factors, std::uint64_t seed)
      : factors_(std::move(factors)),
        random_(seed),
        seed_(seed),
        candidates_(factors_.variables()),
        price_(factors_.variables()) {}

  // Stops when it costs more than `limit`.
  Attempt run(double limit) {
    std::vector<std::size_t> left(factors_.variables());
    for (std::size_t x = 0; x < left.size(); ++x) {
      left[x] = x;
      judge(x);
    }
    Attempt attempt;
    while (!left.empty() && attempt.operations <= limit) {
      const auto next = std::ranges::min_element(left, {}, [&](auto x) { return price_[x]; });
      const std::size_t x = *next;
      left.erase(next);
      attempt.order.push_back(x);
      attempt.operations += candidates_[x].operations;
      const auto candidate = std::move(candidates_[x]);
      factors_.eliminate(x, candidate);
      for (const auto y : candidate.scope) judge(y);
    }
    return attempt;
  }

 private:
  void judge(std::size_t x) {
    const auto& one = candidates_[x] = factors_.candidate(x);
    const double price = seed_ % 2 == 0 ? one.entries : std::max(1.0, one.entries - one.gain);
    // Between equal and some times as dear.
    const double noise = seed_ == 0 ? 0 : random_.unit() * static_cast<double>(1 + seed_ % 5);
    price_[x] = price * (1 + noise);
  }

  Factors factors_;
  specs::Random random_;
  std::uint64_t seed_;
  std::vector<Candidate> candidates_;
  std::vector<double> price_;
};

}  // namespace

std::vector<std::size_t> elimination_order(const Factors& factors) {
  auto best = Greedy(factors, 0).run(std::numeric_limits<double>::infinity());
  // About as many operations as one attempt takes, beside those of the tables.
  const double attempt = 2e4 * static_cast<double>(factors.variables());
  for (std::uint64_t seed = 1; seed < 400; ++seed) {
    if (static_cast<double>(seed) * attempt > best.operations) break;
    if (auto other = Greedy(factors, seed).run(best.operations); other.operations < best.operations)
      best = std::move(other);
  }
  return best.order;
}

}  // namespace stackx::resolver
