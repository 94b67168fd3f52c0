// transfer: how fast data moves between host and device memory.
//
// Through the runtime's asynchronous copy, from page-locked memory (the device fetches it itself) or
// pageable memory (the runtime copies it to a page-locked buffer first, on the CPU). "both" copies in
// both directions at once, on two streams: the link is full duplex, and the sum is what a
// training loop with prefetching sees.
#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "kernels/cuda/gpu_operation.hpp"
#include "kernels/pi.hpp"

namespace stackx::kernels::cuda {
namespace {

constexpr std::uint64_t kMostTransferMib = 1 << 20;
constexpr unsigned kEventDisableTiming = 2;

void fill_random(unsigned char* bytes, std::size_t count, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (std::size_t i = 0; i < count; i += sizeof state) {
    state ^= state << 13;  // xorshift64
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(bytes + i, &state, std::min(sizeof state, count - i));
  }
}

class Transfer : public GpuOperation {
 public:
  Transfer(const Parameters& parameters, const PiArguments& arguments)
      : GpuOperation(parameters, arguments),
        seed_(parameters.whole("seed", 0, ~std::uint64_t{0})),
        bytes_(parameters.whole("size_kib", 1, kMostTransferMib * 1024) * 1024),
        pinned_(parameters.one_of("memory", {"pinned", "pageable"}) == "pinned") {
    const std::string direction = parameters.one_of("direction", {"h2d", "d2h", "both"});
    up_ = direction != "d2h";
    down_ = direction != "h2d";
    if (up_ && down_ && !pinned_)
      throw UsageError("direction=both needs memory=pinned: pageable copies wait for each other");
  }

  ~Transfer() override {
    if (!loaded()) return;
    for (void* event : {started_, ended_})
      if (event != nullptr) device().cudart().cudaEventDestroy(event);
    if (second_stream_ != nullptr) device().cudart().cudaStreamDestroy(second_stream_);
  }

  // What was sent, or is expected, is there once more.
  Need need() const override {
    const double sides = up_ + down_, bytes = static_cast<double>(bytes_);
    return {.keys = {"size_kib"}, .arrays = sides * bytes, .check = bytes, .device = sides * bytes};
  }

  std::optional<Unsupported> prepare() override {
    for (Side* side : {&up_side_, &down_side_}) {
      if (!(side == &up_side_ ? up_ : down_)) continue;
      if (auto refusal = allocate(*side)) return refusal;
    }
    expected_.resize(bytes_);
    if (up_) {
      fill_random(up_side_.host, bytes_, 2 * seed_);
      device().fill(up_side_.device, 0xa5);
    }
    if (down_) {
      fill_random(expected_.data(), bytes_, 2 * seed_ + 1);
      device().upload(down_side_.device, expected_.data(), bytes_);
      std::memset(down_side_.host, 0x5a, bytes_);
    }
    if (up_ && down_) make_second_stream();
    device().synchronize();
    return std::nullopt;
  }

  void call() override {
    const Cudart& cudart = device().cudart();
    if (up_ && down_) {  // the second stream's work lies between two points of the first
      device().check(cudart.cudaEventRecord(started_, device().stream()), "cudaEventRecord");
      device().check(cudart.cudaStreamWaitEvent(second_stream_, started_, 0),
                     "cudaStreamWaitEvent");
    }
    if (up_) copy(up_side_.device.data(), up_side_.host, kHostToDevice, device().stream());
    if (down_)
      copy(down_side_.host, down_side_.device.data(), kDeviceToHost,
           up_ ? second_stream_ : device().stream());
    if (up_ && down_) {
      device().check(cudart.cudaEventRecord(ended_, second_stream_), "cudaEventRecord");
      device().check(cudart.cudaStreamWaitEvent(device().stream(), ended_, 0),
                     "cudaStreamWaitEvent");
    }
  }

  Check check() override {
    device().synchronize();
    Check check{"the bytes sent, on the other side", 0, 0, true, ""};
    if (down_) compare(check, "device to host", expected_.data(), down_side_.host);
    if (up_) {
      device().download(expected_.data(), up_side_.device, bytes_);
      compare(check, "host to device", up_side_.host, expected_.data());
    }
    return check;
  }

  OperationWork work() const override {
    return {0, static_cast<double>(bytes_) * (up_ + down_), 1};
  }

 private:
  struct Side {
    Buffer device, pinned;
    std::vector<unsigned char> pageable;
    unsigned char* host = nullptr;
  };

  std::optional<Unsupported> allocate(Side& side) {
    auto memory = device().allocate(bytes_);
    if (!memory) return memory.error();
    side.device = std::move(*memory);
    if (pinned_) {
      auto host = device().allocate_pinned(bytes_);
      if (!host) return host.error();
      side.pinned = std::move(*host);
      side.host = side.pinned.as<unsigned char>();
    } else {
      side.pageable.resize(bytes_);
      side.host = side.pageable.data();
    }
    return std::nullopt;
  }

  void make_second_stream() {
    const Cudart& cudart = device().cudart();
    device().check(cudart.cudaStreamCreateWithFlags(&second_stream_, kStreamNonBlocking),
                   "cudaStreamCreateWithFlags");
    for (void** event : {&started_, &ended_})
      device().check(cudart.cudaEventCreateWithFlags(event, kEventDisableTiming),
                     "cudaEventCreateWithFlags");
  }

  void copy(void* to, const void* from, int kind, void* stream) {
    device().check(device().cudart().cudaMemcpyAsync(to, from, bytes_, kind, stream),
                   "cudaMemcpyAsync");
  }

  void compare(Check& check, const char* where, const unsigned char* sent,
               const unsigned char* received) {
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < bytes_; ++i)
      if (sent[i] != received[i] && wrong++ == 0) first = i;
    if (wrong == 0) return;
    check.pass = false;
    check.max_relative_error = std::max(check.max_relative_error,
                                        static_cast<double>(wrong) / static_cast<double>(bytes_));
    check.detail += fmt::format("{}{}: {} of {} bytes differ, the first at {}",
                                check.detail.empty() ? "" : "; ", where, wrong, bytes_, first);
  }

  std::uint64_t seed_;
  std::size_t bytes_;
  bool pinned_, up_ = false, down_ = false;
  Side up_side_, down_side_;
  std::vector<unsigned char> expected_;
  void* second_stream_ = nullptr;
  void *started_ = nullptr, *ended_ = nullptr;
};

nlohmann::json run_transfer(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  Parameters parameters(pi.parameters, arguments.words);
  Transfer operation(parameters, arguments);
  return run_operation(pi, std::move(parameters), operation, clock);
}

}  // namespace
}  // namespace stackx::kernels::cuda

namespace stackx::kernels {

Pi transfer_pi() {
  return {"transfer", "GPU: copies between host and device memory, through the CUDA runtime",
          with_plan_parameters({{"direction", "h2d", "h2d, d2h, or both at once"},
                                {"memory", "pinned", "of the host: pinned or pageable"},
                                {"size_kib", "262144", "bytes a copy / 1024"},
                                cuda::kDeviceParameter}),
          cuda::run_transfer};
}

}  // namespace stackx::kernels
