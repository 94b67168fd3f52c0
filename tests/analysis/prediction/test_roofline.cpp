#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/prediction/roofline.hpp"
#include "tests/analysis/rate_evidence.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

Operation operation(const std::string& workload) {
  const auto result = operation_of(specs::parse_workload(workload));
  REQUIRE(result);
  return *result;
}

}  // namespace

TEST_CASE("operations and least traffic of matmul, by number type", "[roofline]") {
  const std::string shape = "matmul:m=100,n=200,k=300";
  CHECK(operation(shape + ",dtype=float32").flop == 12e6);
  CHECK(operation(shape + ",dtype=float32").bytes == 4 * (30000 + 60000 + 20000));
  CHECK(operation(shape + ",dtype=float16,mul=float16,acc=float32").bytes == 2 * 110000);
  CHECK(operation(shape + ",dtype=int8").bytes == 90000 + 4 * 20000);  // products in 4 bytes
  CHECK(operation(shape + ",dtype=complex64").flop == 48e6);
  CHECK(operation(shape + ",dtype=complex64").bytes == 8 * 110000);
  CHECK(operation(shape + ",dtype=float64,batch=3").flop == 36e6);
  CHECK(operation(shape + ",dtype=float64,batch=3").bytes == 3 * 8 * 110000);
}

TEST_CASE("operations and least traffic of conv2d and rnn", "[roofline]") {
  // 10 x 8 outputs: (28 + 2 - 3) / 3 + 1, (22 + 2 - 3) / 3 + 1.
  const Operation conv = operation(
      "conv2d:w=28,h=22,c=3,n=2,k=5,filter_w=3,filter_h=3,pad_w=1,pad_h=1,stride_w=3,stride_h=3,"
      "pass=fwd,dtype=float32");
  CHECK(conv.flop == 2.0 * 2 * 5 * 3 * 9 * 80);
  CHECK(conv.bytes == 4.0 * (2 * 3 * 28 * 22 + 5 * 3 * 9 + 2 * 5 * 80));

  const Operation lstm = operation("rnn:cell=lstm,hidden=256,batch=8,timesteps=50,dtype=float16");
  CHECK(lstm.flop == 2.0 * 4 * 2 * 256 * 256 * 8 * 50);
  CHECK(lstm.bytes == 2.0 * (4 * 2 * 256 * 256 + 2 * 8 * 256 * 50));
  const Operation gru = operation("rnn:cell=gru,hidden=256,batch=8,timesteps=50,dtype=float16");
  CHECK(gru.flop == Approx(lstm.flop * 3 / 4));
}

TEST_CASE("nothing is made up where parameters are missing", "[roofline]") {
  for (const char* workload :
       {"matmul:m=64,n=64,k=64", "matmul:dtype=float32", "matmul:m=64,n=64,dtype=float32",
        "matmul:m=64,n=64,k=64,dtype=decimal", "rnn:hidden=64,dtype=float32",
        "rnn:cell=perceptron,hidden=64,dtype=float32", "train_resnet50:dtype=float32,batch=64",
        "conv2d:w=8,h=8,c=4,n=1,k=4,dtype=float32"})
    CHECK_FALSE(operation_of(specs::parse_workload(workload)));
}

TEST_CASE("the roofline: below the ridge the bandwidth, above it the peak", "[roofline]") {
  const Ceiling v100{15700, 900};  // ridge: 17.4 flop/byte
  CHECK(attainable({1e9, 1e9, 0}, v100) == Approx(900));
  CHECK(attainable({100e9, 1e9, 0}, v100) == Approx(15700));
  CHECK(attainable({17.444444e9, 1e9, 0}, v100) == Approx(15700).epsilon(1e-6));
}

TEST_CASE("no expected time is below the roofline's, and both are nearly one far off the ridge",
          "[roofline]") {
  MadeUp made_up(20, 200, 1);
  for (const auto& gpu : made_up.accelerators)
    for (const auto& workload : made_up.workloads) {
      const Operation one = *operation_of(*workload);
      const Ceiling ceiling{gpu->peaks.at("float32") * 1000, *gpu->bandwidth_gb_s};
      const double least = one.flop / (attainable(one, ceiling) * 1e9);
      const double expected = expected_seconds(one, ceiling);
      CHECK(expected >= least + one.overhead_s);
      CHECK(expected <= 2 * least + one.overhead_s);
    }
  const Operation large = operation("matmul:m=8192,n=8192,k=8192,dtype=float32");
  CHECK(expected_seconds(large, {15700, 900}) == Approx(large.flop / 15.7e12).epsilon(0.02));
}
