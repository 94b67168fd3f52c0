#include "kernels/cuda/device/device.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace stackx::kernels::cuda {
namespace {

constexpr int kIntegrated = 18;  // cudaDeviceAttr
// CUjit_option
constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6;

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      release_(other.release_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(release_, other.release_);
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr) release_(data_);
}

std::expected<std::unique_ptr<Device>, Unsupported> Device::open(const std::string& wanted,
                                                                 const Stack& stack) {
  auto found = open_driver(wanted);
  if (!found) return std::unexpected(found.error());
  Cudart cudart = load_api<Cudart>(stack.open("cudart"));
  if (auto reason = driver_too_old(found->driver.version, cudart.version))
    return std::unexpected(std::move(*reason));
  const int status = cudart.cudaSetDevice(found->device.ordinal);
  if (status != 0)
    return std::unexpected(fmt::format("cudaSetDevice: {} ({}){}", cudart.cudaGetErrorString(status),
                                       cudart.cudaGetErrorName(status), remedy(status)));
  return std::make_unique<Device>(std::move(found->driver), std::move(cudart),
                                  std::move(found->device));
}

Device::Device(Driver driver, Cudart cudart, DeviceInfo info)
    : driver_(std::move(driver)), cudart_(std::move(cudart)), info_(std::move(info)) {
  // Makes the device's primary context current, for which cudaSetDevice is not enough before 12.0:
  // the driver's functions need it.
  check(cudart_.cudaFree(nullptr), "cudaFree");
  check(cudart_.cudaStreamCreateWithFlags(&stream_, kStreamNonBlocking),
        "cudaStreamCreateWithFlags");
}

Device::~Device() {
  if (stream_ != nullptr) cudart_.cudaStreamDestroy(stream_);
}

void Device::check(int status, const char* function) const {
  if (status != 0) raise(status, fmt::format("{}: {}", function, text_of(status)));
}

void Device::check_driver(int status, const char* function) const {
  if (status != 0) raise(status, fmt::format("{}: {}", function, error_text(driver_, status)));
}

void Device::fail(const std::string& text) const {
  const int status = cudart_.cudaStreamSynchronize(stream_);  // tells of a context that is lost, whoever lost it
  raise(status, status == 0 ? text : fmt::format("{}: {}", text, text_of(status)));
}

std::string Device::text_of(int status) const {
  return fmt::format("{} ({}, {})", cudart_.cudaGetErrorString(status), cudart_.cudaGetErrorName(status), status);
}

void Device::synchronize() const {
  check(cudart_.cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

std::optional<double> Device::free_memory() const {
  int integrated = 0;
  cudart_.cudaDeviceGetAttribute(&integrated, kIntegrated, info_.ordinal);
  std::size_t unused = 0, total = 0;
  if (integrated != 0) return std::nullopt;
  if (cudart_.cudaMemGetInfo(&unused, &total) == 0) return static_cast<double>(unused);
  cudart_.cudaGetLastError();  // if the context is lost, the next call says so
  return std::nullopt;
}

std::expected<Buffer, Unsupported> Device::allocated(int status, void* data, std::size_t bytes,
                                                     const char* where,
                                                     int (*release)(void*)) const {
  if (status == 0) return Buffer(data, bytes, release);
  if (status != kOutOfMemory) check(status, "cudaMalloc");
  cudart_.cudaGetLastError();  // forgets it: later calls would report it again
  return std::unexpected(fmt::format("{} of {} cannot be had: give smaller sizes, or end what else holds it",
                                     amount(static_cast<double>(bytes)), where));
}

std::expected<Buffer, Unsupported> Device::allocate(std::size_t bytes) const {
  void* data = nullptr;
  const int status = cudart_.cudaMalloc(&data, bytes);
  return allocated(status, data, bytes, "device memory", cudart_.cudaFree);
}

std::expected<Buffer, Unsupported> Device::allocate_pinned(std::size_t bytes) const {
  void* data = nullptr;
  const int status = cudart_.cudaHostAlloc(&data, bytes, 0);
  return allocated(status, data, bytes, "page-locked host memory", cudart_.cudaFreeHost);
}

void Device::upload(const Buffer& to, const void* from, std::size_t bytes,
                    std::size_t offset) const {
  check(cudart_.cudaMemcpyAsync(to.as<char>() + offset, from, bytes, kHostToDevice, stream_),
        "cudaMemcpyAsync");
  synchronize();
}

void Device::download(void* to, const Buffer& from, std::size_t bytes, std::size_t offset) const {
  check(cudart_.cudaMemcpyAsync(to, from.as<char>() + offset, bytes, kDeviceToHost, stream_),
        "cudaMemcpyAsync");
  synchronize();
}

void Device::fill(const Buffer& buffer, unsigned char byte) const {
  check(cudart_.cudaMemsetAsync(buffer.data(), byte, buffer.bytes(), stream_), "cudaMemsetAsync");
}

std::expected<void*, Unsupported> Device::load_module(const char* image) const {
  std::array<char, 4096> log{};
  std::array<int, 2> options = {kJitErrorLog, kJitErrorLogBytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  void* module = nullptr;
  const int status =
      driver_.cuModuleLoadDataEx(&module, image, options.size(), options.data(), values.data());
  if (status == 0) return module;
  return std::unexpected(fmt::format("the driver takes no code for {}: {}{}{}",
                                     info_.architecture("sm_"), error_text(driver_, status),
                                     log[0] == '\0' ? "" : ": ", log.data()));
}

void* Device::function(void* module, const char* name) const {
  void* found = nullptr;
  check_driver(driver_.cuModuleGetFunction(&found, module, name), "cuModuleGetFunction");
  return found;
}

void Device::launch(void* function, Dim3 grid, Dim3 block, void** arguments,
                    unsigned shared_bytes) const {
  check_driver(driver_.cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                      shared_bytes, stream_, arguments, nullptr),
               "cuLaunchKernel");
}

nlohmann::json Device::json() const {
  nlohmann::json json = {{"uuid", info_.uuid},
                         {"name", info_.name},
                         {"compute_capability", fmt::format("{}.{}", info_.major, info_.minor)},
                         {"pci", info_.pci},
                         {"cuda_driver", cuda_version_text(driver_.version)},
                         {"runtime", cuda_version_text(cudart_.version)},
                         {"l2_bytes", info_.l2_bytes},
                         {"memory_bytes", info_.memory_bytes},
                         {"multiprocessors", info_.multiprocessors}};
  if (info_.mig()) json["mig"] = {{"uuid", info_.uuid}, {"parent", info_.parent_uuid}};
  return json;
}

}  // namespace stackx::kernels::cuda
