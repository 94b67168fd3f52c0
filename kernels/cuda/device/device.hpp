// The stack's CUDA runtime on one device: what every GPU operation holds.
//
//   auto device = Device::open("", stack);         // driver and device first, then libcudart
//   auto buffer = (*device)->allocate(bytes);      // or why not: the device's memory is short
//   auto module = (*device)->load_module(cubin, "name");
//   (*device)->launch(function, {.x = 64}, {.x = 256}, arguments);   // on stream()
//
// All work goes to one stream of our own, so libraries must be told to use it (cublasSetStream,
// cudnnSetStream): what they enqueued on the default stream would not be between our events.
// A call that fails for no reason that one expects (launch failure, illegal address) is a
// CudaError, and ends the process with status 3: after it the device's context is lost. One that
// fails for want of the device's memory is OutOfMemory.
#pragma once

#include <expected>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/device/driver.hpp"
#include "kernels/cuda/device/errors.hpp"
#include "kernels/cuda/device/stack.hpp"
#include "kernels/memory.hpp"

namespace stackx::kernels::cuda {

// As the runtime numbers them: cudaMemcpyKind, and the flag of a stream that does not wait for the default one.
inline constexpr int kHostToDevice = 1, kDeviceToHost = 2;
inline constexpr unsigned kStreamNonBlocking = 1;

class Device;

// Memory of the device, or page-locked memory of the host. Movable; released at the end.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  void* data() const { return data_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  friend class Device;
  Buffer(void* data, std::size_t bytes, int (*release)(void*))
      : data_(data), bytes_(bytes), release_(release) {}
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  int (*release_)(void*) = nullptr;
};

class Device {
 public:
  // `wanted` as in open_driver(). Throws LoadError if the stack has no libcudart that can be loaded.
  static std::expected<std::unique_ptr<Device>, Unsupported> open(const std::string& wanted,
                                                                  const Stack& stack);
  // On functions that are there already: tests have their own.
  Device(Driver driver, Cudart cudart, DeviceInfo info);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver() const { return driver_; }
  const Cudart& cudart() const { return cudart_; }
  const DeviceInfo& info() const { return info_; }
  void* stream() const { return stream_; }
  void synchronize() const;  // the stream; an error of anything enqueued shows here

  // Bytes that nobody holds; nothing where the runtime does not tell, or they are the host's (an integrated GPU, which counts
  // what the kernel could free as used).
  std::optional<double> free_memory() const;
  std::expected<Buffer, Unsupported> allocate(std::size_t bytes) const;
  std::expected<Buffer, Unsupported> allocate_pinned(std::size_t bytes) const;
  // Both wait. `offset`: into the buffer.
  void upload(const Buffer& to, const void* from, std::size_t bytes, std::size_t offset = 0) const;
  void download(void* to, const Buffer& from, std::size_t bytes, std::size_t offset = 0) const;
  void fill(const Buffer& buffer, unsigned char byte) const;  // enqueued

  // PTX text (compiled by the driver for this device; ends with a zero byte) or a cubin. Unsupported
  // with the driver's log where it cannot be used. Modules stay until the process ends.
  std::expected<void*, Unsupported> load_module(const char* image) const;
  void* function(void* module, const char* name) const;
  void launch(void* function, Dim3 grid, Dim3 block, void** arguments,
              unsigned shared_bytes = 0) const;

  // A CudaError with the function's name and the error's, unless the status is 0.
  void check(int status, const char* function) const;         // of the runtime
  void check_driver(int status, const char* function) const;  // of the driver
  // Of a library built on the runtime, which says in `text` why; what the runtime knows is added.
  [[noreturn]] void fail(const std::string& text) const;

  // "gpu": {"uuid", "name", "compute_capability", "pci", "cuda_driver", "runtime", "l2_bytes", ...}.
  nlohmann::json json() const;

 private:
  std::expected<Buffer, Unsupported> allocated(int status, void* data, std::size_t bytes,
                                               const char* where, int (*release)(void*)) const;
  std::string text_of(int status) const;
  Driver driver_;
  Cudart cudart_;
  DeviceInfo info_;
  void* stream_ = nullptr;
};

}  // namespace stackx::kernels::cuda
