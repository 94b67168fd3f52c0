#include "resolver/sat/count.hpp"

#include <algorithm>

#include "resolver/sat/encoding.hpp"
#include "specs/random.hpp"

namespace stackx::resolver {
namespace {

constexpr int tolerance_numerator = 4, tolerance_denominator = 5;  // 0.8
constexpr double sat_confidence = 0.8;
// 1 + 9.84 (1 + t / (1 + t)) (1 + 1 / t)^2 for a tolerance t of 0.8: with cells of about this size
// one estimate is off by more than the tolerance with a probability of at most 0.36.
constexpr std::size_t full_cell = 73;
constexpr double one_is_off = 0.36;

// The probability that more than half of `estimates` (odd) are off.
double median_is_off(unsigned estimates) {
  double off = 0;
  for (unsigned k = estimates / 2 + 1; k <= estimates; ++k) {
    double term = 1;
    for (unsigned i = 0; i < k; ++i) term *= one_is_off * (estimates - i) / (i + 1);
    for (unsigned i = k; i < estimates; ++i) term *= 1 - one_is_off;
    off += term;
  }
  return off;
}

unsigned estimates_needed() {
  unsigned estimates = 1;
  while (median_is_off(estimates) > 1 - sat_confidence) estimates += 2;
  return estimates;
}

class Counter {
 public:
  Counter(const Problem& problem, std::uint64_t seed)
      : encoding_(problem, Encoding::Clauses::fixed), random_(seed) {
    encoding_.require_founded();
    for (std::size_t c = 0; c < problem.components.size(); ++c)
      add_bits(c, problem.components[c].versions.size());
  }

  ApproximateCount run() {
    if (const auto few = in_cell(0); few < full_cell) return {few, few, few, 1, true};
    std::vector<BigInt> estimates(estimates_needed());
    for (auto& estimate : estimates) {
      estimate = estimate_once();
    }
    std::ranges::nth_element(estimates, estimates.begin() + std::ptrdiff_t(estimates.size() / 2));
    const BigInt& median = estimates[estimates.size() / 2];
    const int factor = tolerance_numerator + tolerance_denominator;
    return {median, median * tolerance_denominator / factor,
            median * factor / tolerance_denominator, sat_confidence, false};
  }

 private:
  void add_bits(std::size_t component, std::size_t versions) {
    for (std::size_t bit = 1; bit <= versions; bit *= 2) {
      VersionSet with_bit(versions);
      for (std::size_t v = 0; v < versions; ++v) with_bit[v] = ((v + 1) & bit) != 0;
      bits_.push_back(encoding_.among(component, with_bit));
    }
  }

  // From the first number of parities with which a cell is not full. Each more parity halves the
  // cell, so the next estimate's is hardly elsewhere: the search starts there.
  BigInt estimate_once() {
    parities_.clear();
    std::size_t full = 0;  // parities with which the cell is known to be full
    std::size_t found = in_cell(depth_);
    for (std::size_t step = 1; found == full_cell; step *= 2) {
      full = depth_;
      depth_ += step;
      found = in_cell(depth_);
    }
    for (std::size_t step = 1; depth_ > full + 1; step *= 2) {
      const auto below = depth_ - std::min(step, depth_);
      const auto between = std::max(full + (depth_ - full) / 2, below);
      const auto found_between = in_cell(between);
      if (found_between == full_cell) {
        full = between;
      } else {
        depth_ = between;
        found = found_between;
      }
    }
    return BigInt(found) << depth_;
  }

  // The stacks in the cell that the first `depth` parities cut out; full_cell if there are as many
  // or more.
  std::size_t in_cell(std::size_t depth) {
    while (parities_.size() < depth) add_parity();
    Literals assumptions(parities_.begin(), parities_.begin() + std::ptrdiff_t(depth));
    const auto forget = encoding_.sat().variable();
    assumptions.push_back(-forget);
    std::size_t found = 0;
    while (found < full_cell) {
      const auto stack = encoding_.find(assumptions);
      if (!stack) break;
      encoding_.forbid(*stack, {forget});
      ++found;
    }
    encoding_.sat().add({forget});
    return found;
  }

  // Holds where the parity's own variable is assumed to be false.
  void add_parity() {
    const auto off = encoding_.sat().variable();
    Literals variables{off};
    for (const auto bit : bits_)
      if (random_.below(2) == 1) variables.push_back(bit);
    encoding_.sat().add_parity(variables, random_.below(2) == 1);
    parities_.push_back(-off);
  }

  Encoding encoding_;
  specs::Random random_;
  Literals bits_;
  Literals parities_;  // of the estimate at hand
  std::size_t depth_ = 1;
};

}  // namespace

ApproximateCount hashed_count(const Problem& problem, std::uint64_t seed) {
  return Counter(problem, seed).run();
}

}  // namespace stackx::resolver
