#include "kernels/timing/rate_search.hpp"

namespace stackx::kernels {

constexpr double kStart = 0.5;       // of the capacity
constexpr double kLeast = 1.0 / 32;  // of the capacity: below, waiting is not why it is late

RateSearch::RateSearch(double capacity, double precision)
    : precision_(precision), least_(capacity * kLeast), rate_(capacity * kStart) {}

bool RateSearch::done() const {
  if (holds_ == 0) return fails_ > 0 && rate_ < least_;
  return fails_ > 0 && fails_ <= holds_ * (1 + precision_);
}

void RateSearch::add(bool holds) {
  (holds ? holds_ : fails_) = rate_;
  if (fails_ == 0)
    rate_ = holds_ * 2;
  else if (holds_ == 0)
    rate_ = fails_ / 2;
  else
    rate_ = (holds_ + fails_) / 2;
}

}  // namespace stackx::kernels
