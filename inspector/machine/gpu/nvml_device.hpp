// One GPU, or an instance of it, in NVML: open as long as this lives, which keeps the GPU awake.
#pragma once

#include <string>

#include "inspector/machine/gpu/nvml_abi.hpp"

namespace stackx::inspector::nvml {

class OpenDevice {
 public:
  // `library`: as of nvml.hpp.
  OpenDevice(const std::string& uuid, const std::string& library);
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  Device device() const { return device_; }  // null: NVML is not here, or does not know it
  template <typename Function>
  bool find(const char* symbol, Function*& function) const {
    return device_ != nullptr && resolve(library_, symbol, function);
  }

 private:
  void* library_ = nullptr;
  bool started_ = false;
  Device device_ = nullptr;
};

}  // namespace stackx::inspector::nvml
