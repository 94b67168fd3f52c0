// What a search has measured so far: rounds in which several stacks ran once each, and what they say of two of them.
//
// A value is the log of the metric, larger is better; one a round and stack, none where the run failed. The noise of a
// value is pooled over all blocks (rounds one after the other with the same stacks) from what is left when the means of
// rounds and stacks are taken out: so that a pair is judged after two rounds already. It is robust: single wild runs
// count half at most. What is estimated here steers the search; what is claimed rests on the sign test (search.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "blame/search/lattice.hpp"

namespace stackx::blame {

struct Estimate {
  double log = 0;     // mean of the paired differences
  double median = 0;  // of them
  double error = 0;   // standard error, by the pooled noise
  double times = 3;   // how many of them make the interval that was asked for
  std::size_t rounds = 0;

  double low() const { return log - times * error; }
  double high() const { return log + times * error; }
  // Different from nothing, and not thanks to one wild run.
  bool is_shown(double least) const;
};

class Rounds {
 public:
  using Values = std::vector<std::optional<double>>;

  void add(const std::vector<Subset>& stacks, const Values& values);
  std::size_t size() const { return rounds_; }
  std::size_t inspections() const { return inspections_; }
  std::size_t stacks() const { return values_.size(); }

  // Of b over a, one for each round from `first` on in which both gave a value.
  std::vector<double> logs(const Subset& a, const Subset& b, std::size_t first = 0) const;
  Estimate estimate(const Subset& a, const Subset& b, double alpha, std::size_t first = 0) const;
  // It failed twice and never ran: nothing can be learnt from it.
  bool is_broken(const Subset& stack) const;
  double noise() const;  // standard deviation of one value; 0 while unknown

 private:
  struct Noise {
    double deviation = 0;
    std::size_t freedom = 0;
  };
  struct Block {
    std::vector<Subset> stacks;
    std::size_t begin = 0;  // its first round
  };
  const Noise& pooled() const;
  Noise compute_noise() const;

  std::map<Subset, std::map<std::size_t, double>> values_;  // stack -> round -> value
  std::map<Subset, std::size_t> failures_;
  std::vector<Block> blocks_;
  mutable std::optional<Noise> noise_;  // of the rounds so far
  std::size_t rounds_ = 0, inspections_ = 0;
};

}  // namespace stackx::blame
