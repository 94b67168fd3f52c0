#include "analysis/published/peak_remark.hpp"

#include <catch2/catch.hpp>

using stackx::analysis::peak_remark;
using stackx::specs::Workload;
using Catch::Matchers::Contains;

TEST_CASE("a share above the peak is explained, one below is not", "[peak_remark]") {
  CHECK(peak_remark(0, Workload{"matmul", {}}).empty());
  CHECK(peak_remark(0.99, Workload{"conv2d", {}}).empty());
  CHECK(peak_remark(1, Workload{"conv2d", {}}).empty());
  CHECK_THAT(peak_remark(1.3, Workload{"conv2d", {}}), Contains("Winograd's and FFT do fewer"));
  CHECK_THAT(peak_remark(1.3, Workload{"conv1d", {}}), Contains("direct algorithm"));
  CHECK_THAT(peak_remark(1.01, Workload{"matmul", {}}), Contains("the clock was above the stated boost"));
  CHECK_THAT(peak_remark(1.2, Workload{"memory_bandwidth", {}}), Contains("the GPU's cache held"));
}
