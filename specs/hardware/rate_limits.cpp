#include "specs/hardware/rate_limits.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace stackx::specs {
namespace {

constexpr double margin = 1.5;
constexpr double highest_hz = 6.2e9;
// An i9-14900KF in liquid helium had 9,130 MHz (HWBOT, 2025); documents may state more.
constexpr double fastest_hz = 9.2e9;
constexpr double most_threads = 8192;  // Linux runs on no more (NR_CPUS of x86's Kconfig)
constexpr double newer_gpu = 10;       // times the fastest known; from V100 to GB300, in seven years, it was 17 times
constexpr double bytes_a_cycle = 512;  // two loads and two stores of 64 bytes, and as much again
// NVIDIA's: 128 bytes of load and of store a cycle from a multiprocessor's own cache, 192 of them (the whole GB202),
// 3 GHz.
constexpr double gpu_bytes_s = 2 * 128 * 192 * 3e9;
// The largest filters by FFT; by Winograd it is 2.25 to 4.
constexpr double saved_by_convolution = 100;

// What the fastest GPU of a compute capability does, in TFLOP/s (TOP/s): wide types, by 16-bit and TF32 units; any type,
// with structured sparsity.
struct Generation {
  std::string_view compute_capability;  // "8." names all of 8.x that no other line does
  double wide, any;
};
constexpr std::array<Generation, 13> generations{{
    {"3.", 10, 10},       // K40
    {"5.", 15, 15},       // M40
    {"6.1", 15, 60},      // P40, int8
    {"6.", 25, 25},       // P100, float16
    {"7.0", 150, 150},    // V100S
    {"7.2", 50, 50},      // Xavier
    {"7.5", 150, 600},    // Quadro RTX 8000, int4
    {"8.0", 320, 2500},   // A100, sparse int4
    {"8.9", 400, 2700},   // RTX 4090, sparse int4
    {"8.", 180, 1300},    // RTX 3090 Ti, sparse int4
    {"9.0", 1000, 4000},  // H200, sparse float8
    {"10.", 2600, 21000},  // GB300, sparse float4
    {"12.", 520, 4200},   // RTX PRO 6000, sparse float4
}};

bool has(const Cpu& cpu, std::string_view flag) { return std::ranges::find(cpu.isa, flag) != cpu.isa.end(); }

// float32 operations of one core's vector units a cycle. Where the document does not tell, the most that one has.
double vector_flop_a_cycle(const Cpu& cpu) {
  if (has(cpu, "avx512f")) return 64;
  if (has(cpu, "avx")) return 32;
  if (has(cpu, "sse2")) return 16;
  return 64;
}

bool is_known(const Cpu& cpu) {
  return std::ranges::any_of(std::array{"sse2", "avx", "avx512f", "asimd", "sve"}, [&](auto flag) { return has(cpu, flag); });
}

bool has_matrix_units(const Cpu& cpu) { return has(cpu, "amx_tile") || has(cpu, "sme") || !is_known(cpu); }

bool any_of(std::string_view type, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, type) != names.end();
}

}  // namespace

RateLimits::RateLimits(const Host& host) {
  processor_ = of_processor(host.cpu);
  for (const auto& gpu : host.gpus) {
    const auto units = of_gpu(gpu.compute_capability);
    gpus_[gpu.uuid] = units;
    for (const auto& part : gpu.mig) gpus_[part.uuid] = units;
  }
}

RateLimits::Units RateLimits::of_processor(const Cpu& cpu) {
  const double vector = vector_flop_a_cycle(cpu);
  const auto threads = cpu.threads > 0 ? std::min<double>(cpu.threads, most_threads) : most_threads;
  const double hz = std::clamp(cpu.max_mhz.value_or(0) * 1e6, highest_hz, fastest_hz);
  const double cycles = threads * hz * margin;
  const bool matrix = has_matrix_units(cpu);
  return {cycles * vector, cycles * (matrix ? 1024 : 4 * vector), cycles * (matrix ? 2048 : 8 * vector),
          cycles * bytes_a_cycle};
}

RateLimits::Units RateLimits::of_gpu(const std::string& compute_capability) {
  const auto found = std::ranges::find_if(
      generations, [&](const auto& one) { return compute_capability.starts_with(one.compute_capability); });
  const bool known = found != generations.end();
  const auto of = known ? *found : std::ranges::max(generations, {}, &Generation::any);
  const double most = 1e12 * margin * (known ? 1 : newer_gpu);
  return {of.wide * most, of.wide * most, of.any * most, gpu_bytes_s * margin * (known ? 1 : newer_gpu)};
}

RateLimit RateLimits::of(const std::string& device, const Workload& workload) const {
  const auto gpu = gpus_.find(device);
  const Units& units = gpu == gpus_.end() ? processor_ : gpu->second;
  const auto named = workload.params.find("dtype");
  const std::string_view type = named == workload.params.end() ? std::string_view() : named->second;
  RateLimit limit{units.narrow, units.bytes_s};
  if (any_of(type, {"float32", "tensorfloat32", "complex64"})) limit.flop_s = units.float32;
  if (any_of(type, {"float64", "complex128"})) limit.flop_s = units.float64;
  if (workload.pi.starts_with("conv")) limit.flop_s *= saved_by_convolution;
  return limit;
}

}  // namespace stackx::specs
