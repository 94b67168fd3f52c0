#include "kernels/measure.hpp"

#include <chrono>

namespace stackx::kernels {
namespace {

constexpr std::int64_t kClearlyLong = 20;  // times the target: 100 ms at the default of 5

template <typename C>
std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(C::now().time_since_epoch()).count();
}

std::int64_t sample(const std::function<void()>& call, std::uint64_t mini_batch,
                    const Clock& clock) {
  const std::int64_t begin = clock.steady_ns();
  for (std::uint64_t i = 0; i < mini_batch; ++i) call();
  return clock.steady_ns() - begin;
}

}  // namespace

Clock Clock::system() { return {now<std::chrono::steady_clock>, now<std::chrono::system_clock>}; }

void Calibration::add(std::int64_t elapsed_ns) {
  if (elapsed_ns < target_ns_) {
    reached_ = false;
    mini_batch_ *= 2;
  } else {
    done_ = reached_ || elapsed_ns / kClearlyLong >= target_ns_;
    reached_ = true;
  }
}

Measurement measure(const std::function<void()>& call, const Plan& plan, const Clock& clock,
                    std::vector<Phase>& phases) {
  Measurement result;
  const std::int64_t begin = clock.steady_ns();
  result.mini_batch = record(phases, clock, "calibrate", [&] {
    if (plan.mini_batch > 0) return plan.mini_batch;
    Calibration calibration(plan.min_sample_ns);
    while (!calibration.done()) calibration.add(sample(call, calibration.mini_batch(), clock));
    return calibration.mini_batch();
  });
  record(phases, clock, "warm_up", [&] {
    while (clock.steady_ns() - begin < plan.warm_up_ns) sample(call, result.mini_batch, clock);
  });
  record(phases, clock, "measure", [&] {
    result.samples_ns.reserve(plan.repetitions);
    while (result.samples_ns.size() < plan.repetitions) {
      const bool late = plan.max_ns > 0 && clock.steady_ns() - begin >= plan.max_ns;
      if (late && result.samples_ns.size() >= kMinRepetitions) break;
      result.samples_ns.push_back(sample(call, result.mini_batch, clock));
    }
  });
  result.stopped_early = result.samples_ns.size() < plan.repetitions;
  return result;
}

}  // namespace stackx::kernels
