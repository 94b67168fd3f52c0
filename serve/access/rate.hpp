// How often somebody may do something: a bucket of tries for each name, filled at a steady rate (token bucket).
//
// Bounded: names whose bucket is full again are forgotten; beyond 65,536 of them the oldest share one. Not for threads.
#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

namespace stackx::serve {

class Rate {
 public:
  using Clock = std::chrono::steady_clock;
  Rate(double a_second, double at_once) : a_second_(a_second), at_once_(at_once) {}

  // Takes a try; false: there is none left.
  bool take(const std::string& name, Clock::time_point now);
  // Whether one would be left, without taking it.
  bool left(const std::string& name, Clock::time_point now) const;
  std::size_t names() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tries;
    Clock::time_point at;
  };
  double tries_in(const Bucket& bucket, Clock::time_point now) const;
  void forget_full(Clock::time_point now);

  double a_second_, at_once_;  // a_second 0: no limit
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace stackx::serve
