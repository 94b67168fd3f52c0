// cuBLASLt 10.1 to 13 by cublasLtMatmul, with the algorithm that its heuristic puts first, or with
// search=N the fastest of the N that it puts first, each timed on the problem itself.
//
// As in cublas.cpp C^T = B^T * A^T is asked for. The hardware multiplies fp8 only where k is
// contiguous in both operands, so there B lies transposed (n x k).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/cuda/device/sampler.hpp"
#include "kernels/cuda/device/stack.hpp"
#include "kernels/cuda/products/multiplier.hpp"

namespace stackx::kernels::cuda {
namespace {

// ---- From cublasLt.h; the same in all versions --------------------------------------------------
struct Algorithm {  // cublasLtMatmulAlgo_t
  std::uint64_t data[8];
};
struct Heuristic {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  std::size_t workspace_bytes;
  int state;  // cublasStatus_t
  float waves;
  int reserved[4];
};
static_assert(sizeof(Heuristic) == 96);
// cublasLtMatmulDescAttributes_t
constexpr int kTransposeA = 3, kScaleA = 17, kScaleB = 18;
// cublasLtMatmulPreferenceAttributes_t
constexpr int kMaxWorkspace = 1, kReductionSchemes = 3;
constexpr std::uint32_t kReduceInComputeType = 2;  // cublasLtReductionScheme_t
// cublasLtMatmulAlgoConfigAttributes_t
constexpr int kAlgorithmId = 0, kTileId = 1, kSplitK = 2, kStagesId = 6;
// -------------------------------------------------------------------------------------------------

constexpr double kSearchSample = 2;  // ms
constexpr int kSearchSamples = 3, kMostCalls = 100;

class CublasLtMultiplier : public Multiplier {
 public:
  CublasLtMultiplier(const Device& device, CublasLt api, int search, Buffer workspace)
      : device_(device), api_(std::move(api)), search_(search), workspace_(std::move(workspace)) {
    check(api_.cublasLtCreate(&handle_), "cublasLtCreate");
  }
  ~CublasLtMultiplier() override {
    for (void* layout : {a_, b_, c_})
      if (layout != nullptr) api_.cublasLtMatrixLayoutDestroy(layout);
    if (descriptor_ != nullptr) api_.cublasLtMatmulDescDestroy(descriptor_);
    if (preference_ != nullptr) api_.cublasLtMatmulPreferenceDestroy(preference_);
    api_.cublasLtDestroy(handle_);
  }

  LibraryInfo info() const override {
    LibraryInfo info;
    info.kind = "cublaslt";
    info.version = cublas_version_text(api_.version);
    info.core = core_;
    return info;
  }

  bool takes_transposed_b(Dtype dtype) const override { return dtype == Dtype::fp8 || dtype == Dtype::int8; }

  std::expected<Enqueue, Unsupported> prepare(const DeviceProduct& p) override {
    if (!p.plain()) return std::unexpected("batches, B transposed and factors are measured of cuBLAS alone");
    const DeviceInfo& device = device_.info();
    const auto type =
        cublas_compute_type(p.dtype, api_.version, device.major * 10 + device.minor);
    if (!type) return std::unexpected(type.error());
    describe(p, *type);
    if (p.dtype == Dtype::fp8)
      if (const auto reason = set_scales()) return std::unexpected(*reason);

    std::vector<Heuristic> candidates(static_cast<std::size_t>(std::max(1, search_)));
    int found = 0;
    const int status = api_.cublasLtMatmulAlgoGetHeuristic(
        handle_, descriptor_, b_, a_, c_, c_, preference_, static_cast<int>(candidates.size()),
        candidates.data(), &found);
    candidates.resize(static_cast<std::size_t>(std::max(0, found)));
    std::erase_if(candidates, [](const Heuristic& candidate) { return candidate.state != 0; });
    if (status != 0 && !cublas_refuses(status) && status != kInvalidValue)
      check(status, "cublasLtMatmulAlgoGetHeuristic");
    if (candidates.empty())
      return std::unexpected(fmt::format(
          "cuBLASLt {} has no algorithm for this {} product on this device ({})",
          cublas_version_text(api_.version), to_string(p.dtype), cublas_status(status)));
    return search_ == 0 ? use(p, candidates.front(), "the heuristic's first")
                        : fastest(p, candidates);
  }

 private:
  static constexpr int kInvalidValue = 7;

  void describe(const DeviceProduct& p, int compute_type) {
    const Elements types = elements(p.dtype);
    const bool transposed = takes_transposed_b(p.dtype);
    int scale = kReal32F;
    if (p.dtype == Dtype::float64) scale = kReal64F;
    if (p.dtype == Dtype::int8) scale = kReal32I;
    check(api_.cublasLtMatmulDescCreate(&descriptor_, compute_type, scale),
          "cublasLtMatmulDescCreate");
    if (transposed) set(kTransposeA, std::int32_t{1});
    // Column-major and exchanged: rows are columns here.
    layout(&b_, types.b, transposed ? p.k : p.n, transposed ? p.n : p.k);
    layout(&a_, types.a, p.k, p.m);
    layout(&c_, p.written(), p.n, p.m);
    check(api_.cublasLtMatmulPreferenceCreate(&preference_), "cublasLtMatmulPreferenceCreate");
    prefer(kMaxWorkspace, std::uint64_t{workspace_.bytes()});
    // Parts of a sum are added in float also where C has fewer bits.
    if (p.written() == Element::float16 || p.written() == Element::bfloat16)
      prefer(kReductionSchemes, kReduceInComputeType);
  }

  void layout(void** out, Element element, std::size_t rows, std::size_t columns) {
    check(api_.cublasLtMatrixLayoutCreate(out, cuda_type(element), rows, columns,
                                          static_cast<std::int64_t>(rows)),
          "cublasLtMatrixLayoutCreate");
  }
  template <typename T>
  void set(int attribute, T value) {
    check(api_.cublasLtMatmulDescSetAttribute(descriptor_, attribute, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  }
  template <typename T>
  void prefer(int attribute, T value) {
    check(api_.cublasLtMatmulPreferenceSetAttribute(preference_, attribute, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute");
  }

  // fp8 operands have a scale each, in the device's memory; ours is 1.
  std::optional<Unsupported> set_scales() {
    auto buffer = device_.allocate(sizeof(float));
    if (!buffer) return buffer.error();
    scale_ = std::move(*buffer);
    const float one = 1;
    device_.upload(scale_, &one, sizeof one);
    set(kScaleA, static_cast<const void*>(scale_.data()));
    set(kScaleB, static_cast<const void*>(scale_.data()));
    return std::nullopt;
  }

  int multiply(const DeviceProduct& p, const Algorithm& algorithm) const {
    const float one = 1, zero = 0;
    const double real_one = 1, real_zero = 0;
    const std::int32_t whole_one = 1, whole_zero = 0;
    const void *alpha = &one, *beta = &zero;
    if (p.dtype == Dtype::float64) alpha = &real_one, beta = &real_zero;
    if (p.dtype == Dtype::int8) alpha = &whole_one, beta = &whole_zero;
    return api_.cublasLtMatmul(handle_, descriptor_, alpha, p.b, b_, p.a, a_, beta, p.c, c_, p.c, c_,
                               &algorithm, workspace_.data(), workspace_.bytes(), device_.stream());
  }

  std::expected<Enqueue, Unsupported> use(const DeviceProduct& p, const Heuristic& chosen,
                                          const std::string& why) {
    core_ = fmt::format("{}: {}", name_of(chosen), why);
    const int status = multiply(p, chosen.algorithm);
    if (cublas_refuses(status))
      return std::unexpected(fmt::format("cuBLASLt {} refuses its own algorithm ({})",
                                         cublas_version_text(api_.version),
                                         cublas_status(status)));
    check(status, "cublasLtMatmul");
    return [this, p, algorithm = chosen.algorithm] {
      check(multiply(p, algorithm), "cublasLtMatmul");
    };
  }

  std::expected<Enqueue, Unsupported> fastest(const DeviceProduct& p,
                                              const std::vector<Heuristic>& candidates) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<double> times;
    for (const Heuristic& candidate : candidates) times.push_back(time_of(p, candidate.algorithm));
    const auto best = std::min_element(times.begin(), times.end());
    if (*best == kNever)
      return std::unexpected(fmt::format("cuBLASLt {} runs none of its {} algorithms",
                                         cublas_version_text(api_.version), candidates.size()));
    const std::size_t index = static_cast<std::size_t>(best - times.begin());
    return use(p, candidates[index],
               fmt::format("the fastest of {} ({:.4f} ms, the heuristic's first {:.4f} ms)",
                           candidates.size(), *best, times.front()));
  }

  // Milliseconds of a call, the least of some samples; infinite for an algorithm that does not run.
  double time_of(const DeviceProduct& p, const Algorithm& algorithm) const {
    if (multiply(p, algorithm) != 0) return std::numeric_limits<double>::infinity();
    const double once = sample(p, algorithm, 1);
    const int calls =
        static_cast<int>(std::clamp(std::ceil(kSearchSample / std::max(once, 1e-3)), 1.0,
                                    static_cast<double>(kMostCalls)));
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kSearchSamples; ++i) least = std::min(least, sample(p, algorithm, calls));
    return least;
  }
  double sample(const DeviceProduct& p, const Algorithm& algorithm, int calls) const {
    Event begin(device_), end(device_);
    begin.record();
    for (int i = 0; i < calls; ++i) check(multiply(p, algorithm), "cublasLtMatmul");
    end.record();
    device_.synchronize();
    return end.milliseconds_since(begin) / calls;
  }

  std::string name_of(const Heuristic& heuristic) const {
    std::string name = "algorithm";
    for (const auto& [label, attribute] :
         {std::pair{"", kAlgorithmId}, std::pair{", tile ", kTileId},
          std::pair{", stages ", kStagesId}, std::pair{", split-k ", kSplitK}}) {
      std::uint32_t value = 0;
      std::size_t written = 0;
      if (api_.cublasLtMatmulAlgoConfigGetAttribute(&heuristic.algorithm, attribute, &value,
                                                    sizeof value, &written) == 0)
        name += fmt::format("{}{}", attribute == kAlgorithmId ? " " : label, value);
    }
    return fmt::format("{}, workspace {} bytes", name, heuristic.workspace_bytes);
  }

  void check(int status, const char* function) const {
    if (status != 0) fail_cublas(device_, api_.path, function, status);
  }

  const Device& device_;
  CublasLt api_;
  int search_;
  Buffer workspace_, scale_;
  void *handle_ = nullptr, *descriptor_ = nullptr, *preference_ = nullptr;
  void *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
  std::string core_;
};

}  // namespace

std::expected<std::unique_ptr<Multiplier>, Unsupported> make_cublaslt(
    const Device& device, const Stack& stack, const Parameters& parameters) {
  const auto search = static_cast<int>(parameters.whole("search", 0, 1000));
  auto workspace = device.allocate(parameters.whole("workspace_mib", 0, 4096) << 20);
  if (!workspace) return std::unexpected(workspace.error());
  return std::make_unique<CublasLtMultiplier>(device, load_api<CublasLt>(stack.open("cublasLt")),
                                              search, std::move(*workspace));
}

}  // namespace stackx::kernels::cuda
