// NVIDIA's driver and the device that a run uses; asked before anything of the stack is loaded.
//
// The driver (libcuda.so.1) belongs to the machine, and decides within milliseconds whether a GPU
// run makes sense: no driver, no device, a driver older than the stack's CUDA. Each is Unsupported
// with the reason and what to do.
//
// Devices are those that the driver shows: CUDA_VISIBLE_DEVICES holds for indices and UUIDs alike.
// A MIG instance is a device with its own UUID ("MIG-..."); CUDA shows at most one per process, and
// none that CUDA_VISIBLE_DEVICES does not name, so where it is not set and a MIG UUID is asked for,
// it is set to that.
#pragma once

#include <expected>
#include <string>

#include "kernels/blas/library.hpp"
#include "kernels/cuda/device/api.hpp"

namespace stackx::kernels::cuda {

struct DeviceInfo {
  int ordinal = 0;          // among the visible ones
  std::string uuid;         // "GPU-8f3c..." or "MIG-..."
  std::string parent_uuid;  // of a MIG instance: its GPU; empty otherwise
  std::string name;
  std::string pci;           // "0000:17:00.0"
  int major = 0, minor = 0;  // compute capability; 9.0 Hopper, 10.0 and 10.3 Blackwell, 12.0 RTX
  std::size_t l2_bytes = 0, memory_bytes = 0;
  int multiprocessors = 0;
  int memory_clock_khz = 0, memory_bus_bits = 0;  // 0 where the driver does not tell

  bool mig() const { return !parent_uuid.empty(); }
  std::string architecture(const char* prefix) const;  // "sm_" -> "sm_90"
};

struct DriverAndDevice {
  Driver driver;  // its version: the newest CUDA that it supports
  DeviceInfo device;
};

// `wanted`: "" the first visible device, an index, or a UUID or the beginning of one.
// `library`: a name that the dynamic linker looks up.
std::expected<DriverAndDevice, Unsupported> open_driver(
    const std::string& wanted, const std::string& library = "libcuda.so.1");

// Why a driver for CUDA `driver` cannot run a runtime (or NVRTC, cuBLAS) of CUDA `runtime`: from
// CUDA 11 on the same major version is enough ("minor version compatibility"), before it must be as
// new.
std::optional<Unsupported> driver_too_old(int driver, int runtime);

// The name and text of a driver error: "CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device ...".
std::string error_text(const Driver& driver, int error);

}  // namespace stackx::kernels::cuda
