// The middle of numbers, of an even count the mean of both.
#pragma once

#include <algorithm>
#include <vector>

namespace stackx::kernels {

// `values` are not empty.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace stackx::kernels
