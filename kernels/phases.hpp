// What a PI did when: load, check, calibrate, warm_up, measure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/peak_memory.hpp"

namespace stackx::kernels {

struct Phase {
  std::string name;
  std::int64_t start_ns = 0;     // since the epoch (CLOCK_REALTIME)
  std::int64_t duration_ns = 0;  // by the steady clock
  std::uint64_t memory_bytes = 0;  // the most that the process has held up to its end
};

struct Clock {
  std::function<std::int64_t()> steady_ns;
  std::function<std::int64_t()> epoch_ns;
  // Returns at that time of the steady clock or as soon after as can be; scenarios wait for
  // arrivals. The system's sleeps, and spins for the last half millisecond.
  std::function<void(std::int64_t steady_ns)> wait_until = nullptr;
  static Clock system();
};

template <typename Work>
auto record(std::vector<Phase>& phases, const Clock& clock, std::string name, Work&& work) {
  struct Scope {  // records the phase also when `work` throws
    std::vector<Phase>& phases;
    const Clock& clock;
    Phase phase;
    std::int64_t begin;
    ~Scope() {
      phase.duration_ns = clock.steady_ns() - begin;
      phase.memory_bytes = peak_memory_bytes();
      phases.push_back(std::move(phase));
    }
  } scope{phases, clock, {std::move(name), clock.epoch_ns()}, clock.steady_ns()};
  return std::forward<Work>(work)();
}

}  // namespace stackx::kernels
