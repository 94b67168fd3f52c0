// launch_latency: what it costs to start a kernel that does nothing.
//
// synchronous=0: launches back to back, timed by events: the rate at which the stack can feed the
// device, host or device whichever is slower. synchronous=1: one launch and the wait for it, by the
// host's clock: the least that a caller waits for any result.
//
// api=driver launches by cuLaunchKernel, as Python frameworks' own kernels (Triton, CuPy) do: only
// the driver is in it. api=runtime launches by cudaLaunchKernel, as code compiled by nvcc does: what
// the stack's libcudart adds. The runtime launches code that nvcc did not link into the program since
// CUDA 12.8 only (cudaLibraryLoadData); before, that would take its undocumented registration.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kernels/cuda/gpu_operation.hpp"
#include "kernels/cuda/ptx.hpp"
#include "kernels/pi.hpp"

namespace stackx::kernels::cuda {
namespace {

constexpr const char* kFunction = "stackx_count";

// The host's clock around calls that are complete when they return.
class SynchronousSampler : public ClockSampler {
 public:
  SynchronousSampler(std::function<void()> call, const Clock& clock, Conditions* conditions)
      : ClockSampler(std::move(call), clock), conditions_(conditions) {}
  void measured() override { conditions_->add(); }

 private:
  Conditions* conditions_;
};

class LaunchLatency : public GpuOperation {
 public:
  LaunchLatency(const Parameters& parameters, const PiArguments& arguments)
      : GpuOperation(parameters, arguments),
        synchronous_(parameters.whole("synchronous", 0, 1) == 1),
        by_runtime_(parameters.one_of("api", {"driver", "runtime"}) == "runtime") {}

  Need need() const override { return {}; }  // a number

  std::optional<Unsupported> prepare() override {
    auto counter = device().allocate(sizeof(unsigned));
    if (!counter) return counter.error();
    counter_ = std::move(*counter);
    device().fill(counter_, 0);
    address_ = counter_.data();
    return by_runtime_ ? load_by_runtime() : load_by_driver();
  }

  void call() override {
    void* arguments[] = {&address_};
    if (by_runtime_)
      device().check(
          device().cudart().cudaLaunchKernel(function_, {}, {}, arguments, 0, device().stream()),
          "cudaLaunchKernel");
    else
      device().launch(function_, {}, {}, arguments);
  }

  // With the counter's address the kernel counts, without it is empty.
  Check check() override {
    unsigned launches = 0;
    device().download(&launches, counter_, sizeof launches);
    address_ = nullptr;
    Check check{"one launch counted by the kernel", 0, 0, launches == 1, ""};
    if (check.pass) return check;
    check.max_relative_error = launches == 0 ? 1 : launches - 1.0;
    check.detail = fmt::format("the kernel counted {} launches instead of 1", launches);
    return check;
  }

  OperationWork work() const override { return {0, 0, 1}; }

  std::unique_ptr<Sampler> sampler(const Clock& clock) override {
    if (!synchronous_) return GpuOperation::sampler(clock);
    return std::make_unique<SynchronousSampler>(
        [this] {
          call();
          device().synchronize();
        },
        clock, conditions());
  }

 private:
  std::optional<Unsupported> load_by_driver() {
    const auto module = device().load_module(kPtx);
    if (!module) return module.error();
    function_ = device().function(*module, kFunction);
    return std::nullopt;
  }

  std::optional<Unsupported> load_by_runtime() {
    const Cudart& cudart = device().cudart();
    if (cudart.cudaLibraryLoadData == nullptr || cudart.cudaLibraryGetKernel == nullptr)
      return fmt::format("api=runtime needs CUDA 12.8 or newer, the stack's runtime is {}",
                         cuda_version_text(cudart.version));
    void* library = nullptr;
    device().check(
        cudart.cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadData");
    device().check(cudart.cudaLibraryGetKernel(&function_, library, kFunction),
                   "cudaLibraryGetKernel");
    return std::nullopt;
  }

  bool synchronous_, by_runtime_;
  Buffer counter_;
  void* address_ = nullptr;
  void* function_ = nullptr;
};

nlohmann::json run_launch_latency(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  Parameters parameters(pi.parameters, arguments.words);
  LaunchLatency operation(parameters, arguments);
  return run_operation(pi, std::move(parameters), operation, clock);
}

}  // namespace
}  // namespace stackx::kernels::cuda

namespace stackx::kernels {

Pi launch_latency_pi() {
  return {"launch_latency", "GPU: time to launch an empty kernel, through the CUDA runtime",
          with_plan_parameters({{"synchronous", "0", "1: launch and wait, by the host's clock"},
                                {"api", "driver", "driver (cuLaunchKernel) or runtime (from 12.8)"},
                                cuda::kDeviceParameter}),
          cuda::run_launch_latency};
}

}  // namespace stackx::kernels
