#include "inspector/machine/gpu/nvml_device.hpp"

namespace stackx::inspector::nvml {

OpenDevice::OpenDevice(const std::string& uuid, const std::string& library)
    : library_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) return;
  Status (*init)() = nullptr;
  Status (*by_uuid)(const char*, Device*) = nullptr;
  resolve(library_, "nvmlInit_v2", init);
  resolve(library_, "nvmlDeviceGetHandleByUUID", by_uuid);
  started_ = answers(init);
  if (!started_ || !answers(by_uuid, uuid.c_str(), &device_)) device_ = nullptr;
}

OpenDevice::~OpenDevice() {
  Status (*shutdown)() = nullptr;
  if (started_ && resolve(library_, "nvmlShutdown", shutdown)) shutdown();
  if (library_ != nullptr) dlclose(library_);
}

}  // namespace stackx::inspector::nvml
