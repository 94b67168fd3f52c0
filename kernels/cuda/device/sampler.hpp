// Times calls on a device by CUDA events: what the device spent, not what the host waited.
//
// An event is a time stamp that the device takes when the stream reaches it. Their difference comes
// as a float of milliseconds with a resolution of about 0.5 us, and the stamps themselves cost one
// or two: so a sample is a mini-batch of calls between two events, and only its sum is reported,
// never the time of one short call. Where the host enqueues more slowly than the device works (a
// kernel of 2 us), the calls' launches are what is timed; a longer problem cures that, more calls do
// not.
//
// Cache. L2::keep calls back to back: operands that fit the L2 cache come from there, as they do in
// a loop over one layer. L2::flush writes twice the L2's size before every call, so that nothing of
// the operands is left, as where much else runs between two calls. Each call is then between two
// events of its own and the times are summed: the flush is outside them, but so short calls carry
// the resolution each. The write takes long enough for the host to enqueue the call meanwhile, so no
// launch is timed.
//
// Conditions are read while the device works on a measured sample: when all of it is enqueued, before the host waits. A device
// that rests while they are read (5 ms on an H200, as long as a sample) runs the next one with clocks that no steady load
// has: of twenty samples of bfloat16 under the power cap the first took 6.7 ms, the last 5.8.
//
// A time is checked before it is believed: not finite, negative, or longer than the host waited is a
// CudaError. Errors of what was enqueued show at the synchronisation, before any time is reported.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/nvml.hpp"
#include "kernels/timing/measure.hpp"

namespace stackx::kernels::cuda {

enum class L2 { keep, flush };

class Event {
 public:
  explicit Event(const Device& device);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record();                                        // on the device's stream
  double milliseconds_since(const Event& begin) const;  // after a synchronisation

 private:
  const Device& device_;
  void* event_ = nullptr;
};

class EventSampler : public Sampler {
 public:
  // `flush`: a buffer of flush_bytes() for L2::flush, else empty. `conditions` may be nullptr.
  EventSampler(const Device& device, std::function<void()> call, const Clock& clock,
               Conditions* conditions, Buffer flush = {});
  std::int64_t run(std::uint64_t mini_batch) override;
  void measuring() override { notes_ = conditions_ != nullptr; }

  static std::size_t flush_bytes(const DeviceInfo& device);

 private:
  double run_back_to_back(std::uint64_t calls);  // ms
  double run_flushed(std::uint64_t calls);
  std::int64_t checked_ns(double milliseconds, std::int64_t wall_ns, std::uint64_t calls) const;
  Event& event(std::size_t index);

  const Device& device_;
  std::function<void()> call_;
  const Clock& clock_;
  Conditions* conditions_;
  bool notes_ = false;
  Buffer flush_;
  std::vector<std::unique_ptr<Event>> events_;
};

}  // namespace stackx::kernels::cuda
