// What all operations on a GPU have in common: how they start, are timed and described.
//
// load(): driver and device, then the stack's libcudart, then load_library(): without a GPU nothing
// of the stack is opened. A subclass adds its libraries, prepare(), call() (enqueues on
// device().stream()), check() and work().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/nvml.hpp"
#include "kernels/cuda/device/sampler.hpp"
#include "kernels/operation.hpp"

namespace stackx::kernels::cuda {

// Parameters of every GPU operation.
inline const Parameter kDeviceParameter{
    "device", "", "GPU: index among the visible ones or UUID; empty: the first"};
inline const Parameter kL2Parameter{"l2", "keep", "L2 cache before each call: keep or flush"};

class GpuOperation : public Operation {
 public:
  // `parameters` has "device", and "l2" where that makes a difference.
  GpuOperation(const Parameters& parameters, const PiArguments& arguments);

  std::optional<Unsupported> load() final;
  std::optional<double> free_device_memory() const final;
  std::unique_ptr<Sampler> sampler(const Clock& clock) override;  // events
  void describe(nlohmann::json& document) const final;

 protected:
  // The libraries beside libcudart; handles made, streams set.
  virtual std::optional<Unsupported> load_library() { return std::nullopt; }
  // "component", "loaded", "library" where load() has opened it. Default: those of libcudart.
  virtual void describe_library(nlohmann::json& document) const;

  const Device& device() const { return *device_; }  // after load()
  bool loaded() const { return device_ != nullptr; }
  const Stack& stack() const { return stack_; }
  const std::optional<std::string>& component() const { return component_; }
  Conditions* conditions() { return conditions_ ? &*conditions_ : nullptr; }

 private:
  std::string wanted_;
  L2 l2_;
  Stack stack_;
  std::optional<std::string> component_;
  std::unique_ptr<Device> device_;
  Buffer flush_;
  std::optional<Conditions> conditions_;
};

}  // namespace stackx::kernels::cuda
