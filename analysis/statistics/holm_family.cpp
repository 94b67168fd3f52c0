#include "analysis/statistics/holm_family.hpp"

namespace stackx::analysis {

void HolmFamily::decide() {
  size_ = 0;
  for (auto& [p, one] : classes_) {
    one.before = size_;
    size_ += one.members;
  }
  last_level_ = alpha_;
  for (auto& [p, one] : classes_) {
    last_level_ = alpha_ / static_cast<double>(size_ - one.before);
    one.rejected = p <= last_level_ * (1 + 1e-9);  // as holm() rounds
    if (!one.rejected) return;
  }
}

double HolmFamily::level(double p, std::size_t place) const {
  const Class& one = classes_.at(p);
  return one.rejected ? alpha_ / static_cast<double>(size_ - one.before - place) : last_level_;
}

}  // namespace stackx::analysis
