// Calibrate -> warm up -> measure: turns a call into samples.
//
// One sample times a mini-batch of calls, so many that it lasts at least min_sample: the clock's
// resolution and the loop around it no longer matter. Who times it is the Sampler: the clock around
// a loop here, events on a GPU. The clock comes from outside, so that tests need not wait.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/phases.hpp"

namespace stackx::kernels {

struct Plan {
  std::uint64_t repetitions = 20;
  std::uint64_t mini_batch = 0;  // 0: calibrate
  std::int64_t min_sample_ns = 5'000'000;
  std::int64_t warm_up_ns = 100'000'000;
  std::int64_t max_ns = 0;  // 0: no limit. Past it sampling stops, but not below min_repetitions.
};

inline constexpr std::uint64_t kMinRepetitions = 3;  // the fewest that have a median and a spread

struct Measurement {
  std::uint64_t mini_batch = 1;
  std::vector<std::int64_t> samples_ns;
  bool stopped_early = false;  // max_ns came before `repetitions`
};

// Finds the mini-batch: doubles it until three samples in a row reach the target, or one is so long
// that no preemption explains it. Three, because other load on the machine makes a short sample
// look long. No clock in it.
class Calibration {
 public:
  explicit Calibration(std::int64_t target_ns) : target_ns_(target_ns) {}
  bool done() const { return done_; }
  std::uint64_t mini_batch() const { return mini_batch_; }  // to time next; the answer once done
  void add(std::int64_t elapsed_ns);  // also later on: a short sample doubles the answer again

 private:
  std::int64_t target_ns_;
  std::uint64_t mini_batch_ = 1;
  int reached_ = 0;
  bool done_ = false;
};

// Runs calls and says how long they took.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual std::int64_t run(std::uint64_t mini_batch) = 0;  // ns
  // Every run() that follows is a measured sample: its conditions may be noted while it runs.
  virtual void measuring() {}
  // The run() just done was one: the last moment to note them.
  virtual void measured() {}
};

// The clock around a loop of calls, each complete when it returns.
class ClockSampler : public Sampler {
 public:
  ClockSampler(std::function<void()> call, const Clock& clock)
      : call_(std::move(call)), clock_(clock) {}
  std::int64_t run(std::uint64_t mini_batch) override;

 private:
  std::function<void()> call_;
  const Clock& clock_;
};

// Warming up counts from the first calibrating call: a reference BLAS that needs 8 s a product is
// not called more often than it must. A warm-up sample that falls short of the target goes on
// calibrating. The limit max_ns counts from there too. A phase is recorded for each step. The
// library must have been called before (the check does): what it does once, such as loading its
// kernels and starting threads, would mislead the calibration.
Measurement measure(Sampler& sampler, const Plan& plan, const Clock& clock,
                    std::vector<Phase>& phases);

}  // namespace stackx::kernels
