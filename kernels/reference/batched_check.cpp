#include "kernels/reference/batched_check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::kernels {

Check check_products(const Operand& a, const Operand& b, const Operand& c, std::size_t batch,
                     Dtype dtype, std::uint64_t seed) {
  if (batch == 1) return check_product(a, b, c, dtype, seed);
  const std::size_t m = a.rows() / batch, k = b.rows() / batch;
  Check all;
  for (std::size_t i = 0; i < batch; ++i) {
    Check check =
        check_product(RowsOf(a, i * m, m), RowsOf(b, i * k, k), RowsOf(c, i * m, m), dtype,
                      random_at(seed, i), kFullCheckFlop / static_cast<double>(batch));
    const double error = std::max(all.max_relative_error, check.max_relative_error);
    const auto ulps = std::max(all.max_ulps, check.max_ulps);
    if (i == 0 || (all.pass && !check.pass)) {  // the first that is wrong tells where
      all = check;
      if (!check.pass) all.detail = fmt::format("product {}: {}", i, check.detail);
    }
    all.max_relative_error = error;
    all.max_ulps = ulps;
  }
  all.reference = fmt::format("each of {} products: {}", batch, all.reference);
  return all;
}

}  // namespace stackx::kernels
