// Finds the largest rate that holds: brackets it by doubling or halving, then bisects.
//
// Rests on this: a rate below one that holds holds, too. It is so for one schedule that is only
// stretched (arrivals.hpp) and service times that do not depend on the rate. Measured trials can
// contradict it by chance near the limit; then the answer is one of the rates that held. Below a
// 32nd of the capacity, where hardly a query waits and a trial takes minutes, it gives up. No clock
// in it. Rejected: climbing in steps from below, which costs many more of the slow trials.
#pragma once

namespace stackx::kernels {

class RateSearch {
 public:
  // `capacity`: about the rate at which the server would be busy all the time. Ends when the
  // largest rate that held and the smallest that did not differ by less than `precision` (0.02).
  RateSearch(double capacity, double precision);

  bool done() const;
  double rate() const { return rate_; }  // to try next
  void add(bool holds);                  // at rate()
  double best() const { return holds_; }  // the largest that held; 0: none did

 private:
  double precision_, least_, rate_;
  double holds_ = 0, fails_ = 0;  // 0: none yet
};

}  // namespace stackx::kernels
