#include "kernels/timing/measure.hpp"

#include <chrono>
#include <thread>

namespace stackx::kernels {
namespace {

constexpr int kSamplesInARow = 3;
// No preemption explains a sample of this many targets that is longer than a busy machine's
// scheduler (and its hypervisor's) leaves a thread waiting: 20 targets of 1 ms were not enough.
constexpr std::int64_t kClearlyLong = 20, kClearlyLongNs = 250'000'000;

template <typename C>
std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(C::now().time_since_epoch()).count();
}

// Waking up takes 50 to 100 us, which would be latency of whoever waits.
void sleep_then_spin(std::int64_t until) {
  using Steady = std::chrono::steady_clock;
  constexpr std::int64_t kSpin = 500'000;
  if (until - now<Steady>() > kSpin)
    std::this_thread::sleep_until(Steady::time_point(std::chrono::nanoseconds(until - kSpin)));
  while (now<Steady>() < until) {
  }
}

}  // namespace

Clock Clock::system() {
  return {now<std::chrono::steady_clock>, now<std::chrono::system_clock>, sleep_then_spin};
}

std::int64_t ClockSampler::run(std::uint64_t mini_batch) {
  const std::int64_t begin = clock_.steady_ns();
  for (std::uint64_t i = 0; i < mini_batch; ++i) call_();
  return clock_.steady_ns() - begin;
}

void Calibration::add(std::int64_t elapsed_ns) {
  if (elapsed_ns < target_ns_) {
    reached_ = 0;
    mini_batch_ *= 2;
  } else {
    ++reached_;
    const bool clearly_long =
        elapsed_ns >= kClearlyLongNs && elapsed_ns / kClearlyLong >= target_ns_;
    done_ = done_ || reached_ == kSamplesInARow || clearly_long;
  }
}

Measurement measure(Sampler& sampler, const Plan& plan, const Clock& clock,
                    std::vector<Phase>& phases) {
  Measurement result;
  const std::int64_t begin = clock.steady_ns();
  Calibration calibration(plan.min_sample_ns);
  const bool calibrates = plan.mini_batch == 0;
  const auto mini_batch = [&] { return calibrates ? calibration.mini_batch() : plan.mini_batch; };

  record(phases, clock, "calibrate", [&] {
    while (calibrates && !calibration.done())
      calibration.add(sampler.run(calibration.mini_batch()));
  });
  record(phases, clock, "warm_up", [&] {
    while (clock.steady_ns() - begin < plan.warm_up_ns)
      calibration.add(sampler.run(mini_batch()));
  });
  result.mini_batch = mini_batch();
  record(phases, clock, "measure", [&] {
    result.samples_ns.reserve(plan.repetitions);
    sampler.measuring();
    while (result.samples_ns.size() < plan.repetitions) {
      const bool late = plan.max_ns > 0 && clock.steady_ns() - begin >= plan.max_ns;
      if (late && result.samples_ns.size() >= kMinRepetitions) break;
      result.samples_ns.push_back(sampler.run(result.mini_batch));
      sampler.measured();
    }
  });
  result.stopped_early = result.samples_ns.size() < plan.repetitions;
  return result;
}

}  // namespace stackx::kernels
