#include "kernels/cuda/device/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stackx::kernels::cuda {
namespace {

constexpr unsigned kDefaultEvent = 0;  // with timing, and the host spins while it waits
constexpr std::uint64_t kPairs = 64;   // flushed calls enqueued before the times are fetched
constexpr std::size_t kLeastFlush = 64 << 20;  // where the driver does not tell the L2's size
constexpr double kEventResolutionMs = 0.5e-3;
// The device's clock against the host's: they may drift, and the host's is read a little inside.
constexpr double kClockTolerance = 1e-2;
constexpr double kClockSlackNs = 10'000;

}  // namespace

Event::Event(const Device& device) : device_(device) {
  device_.check(device_.cudart().cudaEventCreateWithFlags(&event_, kDefaultEvent),
                "cudaEventCreateWithFlags");
}

Event::~Event() {
  if (event_ != nullptr) device_.cudart().cudaEventDestroy(event_);
}

void Event::record() {
  device_.check(device_.cudart().cudaEventRecord(event_, device_.stream()), "cudaEventRecord");
}

double Event::milliseconds_since(const Event& begin) const {
  float milliseconds = 0;
  device_.check(device_.cudart().cudaEventElapsedTime(&milliseconds, begin.event_, event_),
                "cudaEventElapsedTime");
  return milliseconds;
}

EventSampler::EventSampler(const Device& device, std::function<void()> call, const Clock& clock,
                           Conditions* conditions, Buffer flush)
    : device_(device),
      call_(std::move(call)),
      clock_(clock),
      conditions_(conditions),
      flush_(std::move(flush)) {}

std::size_t EventSampler::flush_bytes(const DeviceInfo& device) {
  return std::max(2 * device.l2_bytes, kLeastFlush);
}

Event& EventSampler::event(std::size_t index) {
  while (events_.size() <= index) events_.push_back(std::make_unique<Event>(device_));
  return *events_[index];
}

double EventSampler::run_back_to_back(std::uint64_t calls) {
  event(0).record();
  for (std::uint64_t i = 0; i < calls; ++i) call_();
  event(1).record();
  if (notes_) conditions_->add();
  device_.synchronize();
  return event(1).milliseconds_since(event(0));
}

double EventSampler::run_flushed(std::uint64_t calls) {
  double sum = 0;
  for (std::uint64_t done = 0; done < calls; done += kPairs) {
    const std::size_t now = std::min(kPairs, calls - done);
    event(2 * now - 1);  // all are made before the first is recorded
    for (std::size_t i = 0; i < now; ++i) {
      device_.fill(flush_, static_cast<unsigned char>(i));
      event(2 * i).record();
      call_();
      event(2 * i + 1).record();
    }
    if (notes_ && done + now == calls) conditions_->add();
    device_.synchronize();
    for (std::size_t i = 0; i < now; ++i) {
      const double one = event(2 * i + 1).milliseconds_since(event(2 * i));
      if (!std::isfinite(one) || one < 0) return one;  // a sum could hide it
      sum += one;
    }
  }
  return sum;
}

std::int64_t EventSampler::checked_ns(double milliseconds, std::int64_t wall_ns,
                                      std::uint64_t calls) const {
  const double ns = milliseconds * 1e6;
  const double pairs = flush_.bytes() > 0 ? static_cast<double>(calls) : 1;
  const double most = static_cast<double>(wall_ns) * (1 + kClockTolerance) + kClockSlackNs +
                      pairs * kEventResolutionMs * 1e6;
  if (std::isfinite(ns) && ns >= 0 && ns <= most) return std::llround(ns);
  throw CudaError(fmt::format(
      "the events of {} calls are {} ms apart, while the host waited {:.6f} ms: they cannot be "
      "believed",
      calls, milliseconds, static_cast<double>(wall_ns) / 1e6));
}

std::int64_t EventSampler::run(std::uint64_t mini_batch) {
  device_.synchronize();  // nothing of before is timed
  const std::int64_t begin = clock_.steady_ns();
  const double milliseconds =
      flush_.bytes() > 0 ? run_flushed(mini_batch) : run_back_to_back(mini_batch);
  return checked_ns(milliseconds, clock_.steady_ns() - begin, mini_batch);
}

}  // namespace stackx::kernels::cuda
