#include "kernels/cuda/gpu_operation.hpp"

#include <nlohmann/json.hpp>

namespace stackx::kernels::cuda {
namespace {

std::string library_of(const PiArguments& arguments) {
  if (arguments.library) return *arguments.library;
  throw UsageError("a GPU measurement needs --library PATH: the library to measure");
}

L2 l2_of(const Parameters& parameters) {
  if (!parameters.json().contains("l2")) return L2::keep;
  return parameters.one_of("l2", {"keep", "flush"}) == "flush" ? L2::flush : L2::keep;
}

}  // namespace

GpuOperation::GpuOperation(const Parameters& parameters, const PiArguments& arguments)
    : wanted_(parameters.text("device")),
      l2_(l2_of(parameters)),
      stack_(library_of(arguments), arguments.with),
      component_(arguments.component) {}

std::optional<Unsupported> GpuOperation::load() {
  auto device = Device::open(wanted_, stack_);
  if (!device) return device.error();
  device_ = std::move(*device);
  conditions_.emplace(device_->info(), device_->driver().version);
  if (l2_ == L2::flush) {
    auto buffer = device_->allocate(EventSampler::flush_bytes(device_->info()));
    if (!buffer) return "l2=flush: " + buffer.error();
    flush_ = std::move(*buffer);
  }
  return load_library();
}

std::optional<double> GpuOperation::free_device_memory() const {
  return device_ == nullptr ? std::nullopt : device_->free_memory();
}

std::unique_ptr<Sampler> GpuOperation::sampler(const Clock& clock) {
  return std::make_unique<EventSampler>(
      *device_, [this] { call(); }, clock, conditions(), std::move(flush_));
}

void GpuOperation::describe(nlohmann::json& document) const {
  if (device_ != nullptr) document["gpu"] = device_->json();
  describe_library(document);
  if (conditions_) conditions_->describe(document);
}

void GpuOperation::describe_library(nlohmann::json& document) const {
  LibraryInfo info;
  info.kind = "cudart";
  if (loaded()) info.version = cuda_version_text(device_->cudart().version);
  put_library(document, info, loaded() ? device_->cudart().path : stack_.library(), component_);
}

}  // namespace stackx::kernels::cuda
