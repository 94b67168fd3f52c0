// Holm's procedure (statistics.hpp) for families of hundreds of thousands of members, most of which
// share their p-values: a count a p-value instead of a sorted list. The same decisions and levels as
// holm() gives for the same members in the same order.
#pragma once

#include <cstddef>
#include <map>

namespace stackx::analysis {

class HolmFamily {
 public:
  explicit HolmFamily(double alpha) : alpha_(alpha) {}

  // Gives the member's place among those with its p-value, which level() asks for.
  std::size_t add(double p) { return classes_[p].members++; }
  void decide();  // after the last one

  bool rejected(double p) const { return classes_.at(p).rejected; }
  double level(double p, std::size_t place) const;

 private:
  struct Class {
    std::size_t members = 0;
    std::size_t before = 0;  // members with smaller p-values
    bool rejected = false;
  };
  double alpha_;
  std::map<double, Class> classes_;
  std::size_t size_ = 0;
  double last_level_ = 0;  // at which the procedure stopped
};

}  // namespace stackx::analysis
