// CUDA C++ text to machine code through the stack's NVRTC; needs no device.
//
//   Compiler compiler(load_api<Nvrtc>(object));
//   auto target = compiler.target(90);                  // sm_90, or the newest below as PTX
//   auto kernel = compiler.compile(text, *target, {"-DX=1"});
//
// Code for the device's own architecture is a cubin, complete as it is. Where this NVRTC does not
// know the architecture (it is older than the device) or gives no cubins (before 11.1), it is PTX,
// which the driver compiles when it is loaded: what a stack does that is older than its device.
// NVRTC loads libnvrtc-builtins itself, from beside it; no header file is used, wheels have none.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "kernels/blas/library.hpp"
#include "kernels/cuda/device/api.hpp"

namespace stackx::kernels::cuda {

struct Target {
  int capability = 0;  // ten times the compute capability: 75, 90, 120
  bool cubin = false;
  std::string text() const;  // "sm_90" as cubin, "compute_80" as PTX
};

struct Compiled {
  Target target;
  std::string image;  // ends with a zero byte beyond its size, as PTX must
  std::string log;
};

class Compiler {
 public:
  explicit Compiler(Nvrtc api) : api_(std::move(api)) {}

  const Nvrtc& api() const { return api_; }
  std::string version() const { return cuda_version_text(api_.version); }

  // What it can compile for, ascending: as it says itself from 11.2 on, as documented before.
  std::vector<int> architectures() const;
  // The best for a device of that capability; Unsupported if it is older than all.
  std::expected<Target, Unsupported> target(int capability) const;
  // Unsupported with NVRTC's log where it does not compile.
  std::expected<Compiled, Unsupported> compile(const std::string& text, const Target& target,
                                               std::vector<std::string> options) const;

 private:
  Nvrtc api_;
};

}  // namespace stackx::kernels::cuda
