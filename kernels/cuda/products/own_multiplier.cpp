// Our kernels as a library: compiled by the stack's NVRTC for the device, launched by its driver.
#include <fmt/format.h>

#include <array>

#include "kernels/cuda/device/stack.hpp"
#include "kernels/cuda/products/multiplier.hpp"
#include "kernels/cuda/products/nvrtc.hpp"
#include "kernels/cuda/products/own_kernel.hpp"

namespace stackx::kernels::cuda {
namespace {

// CUfunction_attribute
constexpr int kLocalBytes = 3, kRegisters = 4, kMaxDynamicShared = 8;

class OwnMultiplier : public Multiplier {
 public:
  OwnMultiplier(const Device& device, Nvrtc api, Kernel kernel)
      : device_(device), compiler_(std::move(api)), kernel_(kernel) {}

  LibraryInfo info() const override {
    LibraryInfo info;
    info.kind = "nvrtc";
    info.version = compiler_.version();
    info.core = core_;
    info.note = "multiplies by stackx-pi's own kernel";
    return info;
  }

  std::expected<Enqueue, Unsupported> prepare(const DeviceProduct& p) override {
    if (!p.plain()) return std::unexpected("batches, B transposed and factors are measured of cuBLAS alone");
    if (const Element own = elements(p.dtype).c; p.written() != own)
      return std::unexpected(fmt::format("stackx-pi's own kernels write {} products as {}, not {}", to_string(p.dtype),
                                         to_string(own), to_string(p.written())));
    const DeviceInfo& device = device_.info();
    const auto target = compiler_.target(device.major * 10 + device.minor);
    if (!target) return std::unexpected(target.error());
    const auto choice = tiles(kernel_, p.dtype, target->capability);
    if (!choice) return std::unexpected(choice.error());
    const Launch launch =
        best_launch(kernel_, p.dtype, *choice, p.m, p.n, p.k, device.multiprocessors);
    const auto compiled = compiler_.compile(source_of(kernel_), *target, launch.options);
    if (!compiled) return std::unexpected(compiled.error());
    const auto module = device_.load_module(compiled->image.c_str());
    if (!module) return std::unexpected(module.error());
    void* function = device_.function(*module, "matmul");
    device_.check_driver(device_.driver().cuFuncSetAttribute(
                             function, kMaxDynamicShared, static_cast<int>(launch.shared_bytes)),
                         "cuFuncSetAttribute");
    core_ = fmt::format("{} {}, {}{}, {} registers, {} bytes local, {} bytes shared",
                        kernel_ == Kernel::tiled ? "tiled" : "tensor", launch.text(),
                        target->text(), target->cubin ? "" : " (PTX)", value(kRegisters, function),
                        value(kLocalBytes, function), launch.shared_bytes);
    return [this, function, launch, a = p.a, b = p.b, c = p.c, m = static_cast<int>(p.m),
            n = static_cast<int>(p.n), k = static_cast<int>(p.k)]() mutable {
      std::array<void*, 6> arguments{&a, &b, &c, &m, &n, &k};
      device_.launch(function, {launch.blocks}, {launch.threads}, arguments.data(),
                     launch.shared_bytes);
    };
  }

 private:
  int value(int attribute, void* function) const {
    int value = 0;
    device_.check_driver(device_.driver().cuFuncGetAttribute(&value, attribute, function),
                         "cuFuncGetAttribute");
    return value;
  }

  const Device& device_;
  Compiler compiler_;
  Kernel kernel_;
  std::string core_;
};

}  // namespace

std::expected<std::unique_ptr<Multiplier>, Unsupported> make_own(const Device& device,
                                                                 const Stack& stack,
                                                                 const Parameters& parameters) {
  const Kernel kernel =
      parameters.one_of("kernel", {"tensor", "tiled"}) == "tiled" ? Kernel::tiled : Kernel::tensor;
  Nvrtc api = load_api<Nvrtc>(stack.open("nvrtc"));
  if (auto reason = driver_too_old(device.driver().version, api.version))
    return std::unexpected(std::move(*reason));
  return std::make_unique<OwnMultiplier>(device, std::move(api), kernel);
}

}  // namespace stackx::kernels::cuda
