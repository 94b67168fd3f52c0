#include "specs/hardware/rate_limits.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/microarchitecture.hpp"

namespace rate_limits_tests {

using namespace stackx::specs;

namespace {

Host host_with(std::vector<std::string> isa, int threads) {
  Host host;
  host.cpu.isa = std::move(isa);
  host.cpu.threads = threads;
  return host;
}

Host host_with_gpu(const std::string& compute_capability) {
  Host host;
  host.gpus = {{"some GPU", "GPU-1", "", compute_capability, 0, {{"MIG-1", "1g.10gb"}}}};
  return host;
}

double gflop_s(const Host& host, const std::string& dtype, const std::string& device = "host",
               const std::string& pi = "matmul") {
  Workload workload{pi, {}};
  if (!dtype.empty()) workload.params["dtype"] = dtype;
  return RateLimits(host).of(device, workload).flop_s / 1e9;
}

bool is_near_type(const std::string& unit, const std::string& dtype) { return unit.starts_with(dtype); }

}  // namespace

TEST_CASE("limits: a processor's is some times its vector units' peak, and knows of matrix units") {
  const Host avx512 = host_with({"avx", "avx2", "avx512f"}, 2);
  CHECK(gflop_s(avx512, "float64") == Approx(2 * 6.2 * 64 * 1.5));
  CHECK(gflop_s(avx512, "float32") == Approx(2 * 6.2 * 256 * 1.5));  // by bfloat16, if software chooses to
  CHECK(gflop_s(avx512, "int8") == Approx(2 * 6.2 * 512 * 1.5));
  CHECK(gflop_s(avx512, "") == gflop_s(avx512, "int8"));  // nobody says which type
  const Host amx = host_with({"amx_tile", "avx", "avx512f"}, 2);
  CHECK(gflop_s(amx, "bfloat16") == Approx(2 * 6.2 * 2048 * 1.5));
  CHECK(gflop_s(amx, "float32") == Approx(2 * 6.2 * 1024 * 1.5));
  // Fewer operations are done than are counted.
  CHECK(gflop_s(avx512, "float32", "host", "conv2d") == Approx(100 * gflop_s(avx512, "float32")));
}

TEST_CASE("limits: a faster clock than any is believed, a slower one is not") {
  Host host = host_with({"avx"}, 1);
  const double usual = gflop_s(host, "float64");
  host.cpu.max_mhz = 2000;  // without boost
  CHECK(gflop_s(host, "float64") == usual);
  host.cpu.max_mhz = 6820;
  CHECK(gflop_s(host, "float64") == Approx(1.1 * usual));
  host.cpu.max_mhz = 1e12;  // a document may state anything
  CHECK(gflop_s(host, "float64") < 1.5 * usual);
}

// H200's caches give 132 x 128 bytes a cycle at 1.98 GHz (CUDA C++ Programming Guide: shared memory, 128 bytes a cycle).
TEST_CASE("limits: bytes of a GPU are what its caches give") {
  const double limit = RateLimits(host_with_gpu("9.0")).of("GPU-1", {"stream", {}}).bytes_s;
  CHECK(limit > 132 * 128 * 1.98e9);
  CHECK(limit < 1e15);
}

TEST_CASE("limits: a GPU that the document does not name counts as what its results rank as") {
  const Host host = host_with({"avx"}, 2);
  CHECK(gflop_s(host, "float32", "GPU-2") == gflop_s(host, "float32"));
}

TEST_CASE("limits: where the units are not known the largest count") {
  const double widest = gflop_s(host_with({"avx512f", "amx_tile"}, 2), "float32");
  CHECK(gflop_s(host_with({}, 2), "float32") == widest);
  CHECK(gflop_s(host_with({"vsx"}, 2), "float32") == widest);
  for (const char* unknown : {"99.0", ""})
    for (const char* known : {"10.3", "9.0", "3.5"}) {
      CHECK(gflop_s(host_with_gpu(unknown), "float32", "GPU-1") >= 10 * gflop_s(host_with_gpu(known), "float32", "GPU-1"));
      CHECK(gflop_s(host_with_gpu(unknown), "int4", "GPU-1") >= 10 * gflop_s(host_with_gpu(known), "int4", "GPU-1"));
    }
  CHECK(gflop_s(host_with_gpu("99.0"), "int4", "GPU-1") < 1e9);  // 10^18 operations a second: a machine's, not a GPU's
  CHECK(RateLimits(host_with_gpu("99.0")).of("GPU-1", {"stream", {}}).bytes_s < 1e16);
  CHECK(RateLimits().of("host", {"matmul", {}}).bytes_s == std::numeric_limits<double>::infinity());  // of no document
}

TEST_CASE("limits: a document may state as many processors as it likes") {
  CHECK(gflop_s(host_with({"avx"}, 1'000'000'000), "float32") == gflop_s(host_with({"avx"}, 8192), "float32"));
  CHECK(gflop_s(host_with({"avx"}, 0), "float32") == gflop_s(host_with({"avx"}, 8192), "float32"));
}

TEST_CASE("limits: no microarchitecture's peak is above them, at any clock that is sold") {
  const auto table = Microarchitectures::load(STACKX_SOURCE_DIR "/specs/data/microarchitectures.json");
  std::size_t compared = 0;
  for (const auto& one : table.all()) {
    if (!one.fp32_flops_cycle || one.isa.empty()) continue;
    INFO(one.id);
    const Host host = host_with(one.isa, 1);
    CHECK(gflop_s(host, "float32") >= 1.5 * 6.2 * *one.fp32_flops_cycle);
    CHECK(gflop_s(host, "float64") >= 1.5 * 6.2 * one.fp64_flops_cycle.value_or(0));
    CHECK(gflop_s(host, "float32") < 1000 * *one.fp32_flops_cycle);
    ++compared;
  }
  CHECK(compared > 10);
}

TEST_CASE("limits: no GPU's data sheet is above them, sparsity included; those of MIG are their GPU's") {
  const auto gpus = load_accelerators(STACKX_SOURCE_DIR "/specs/data");
  std::size_t compared = 0;
  for (const auto& gpu : gpus.all()) {
    if (gpu.compute_capability.empty()) continue;
    const Host host = host_with_gpu(gpu.compute_capability);
    for (const auto& [unit, tflops] : gpu.peaks) {
      INFO(gpu.name << " " << unit);
      const bool wide = is_near_type(unit, "float64") || is_near_type(unit, "float32") || is_near_type(unit, "tensor");
      const bool sparse = !wide && gpu.compute_capability >= "8" && unit != "float16";
      CHECK(gflop_s(host, wide ? "float32" : "int8", "GPU-1") >= 1.5 * 1000 * tflops * (sparse ? 1.33 : 1));
      CHECK(gflop_s(host, "int8", "MIG-1") == gflop_s(host, "int8", "GPU-1"));
      ++compared;
    }
  }
  CHECK(compared > 100);
  CHECK(gflop_s(host_with_gpu("9.0"), "", "GPU-1") < 26'843'546);
}

}  // namespace rate_limits_tests
