// NVML's ABI as far as several files need it: what it calls things, and how a function of it is found.
//
// NVIDIA keeps it stable (docs.nvidia.com/deploy/nvml-api); numbers and layouts are those of nvml.h, checked
// against nvidia-ml-py 13.615.71 (the Python package, pynvml.py). Which functions may be missing
// says the file that uses them.
#pragma once

#include <dlfcn.h>

namespace stackx::inspector::nvml {

using Status = int;
using Device = void*;
inline constexpr Status success = 0;

struct Memory {  // nvmlMemory_t
  unsigned long long total, free, used;
};

struct PciInfo {  // nvmlPciInfo_t since _v3
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

template <typename Function>
bool resolve(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  return function != nullptr;
}

// Calls a function that may be missing; whether there is an answer.
template <typename Function, typename... Arguments>
bool answers(Function* function, Arguments... arguments) {
  return function != nullptr && function(arguments...) == success;
}

}  // namespace stackx::inspector::nvml
