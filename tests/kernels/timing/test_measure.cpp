#include <catch2/catch.hpp>

#include "kernels/timing/measure.hpp"

using namespace stackx::kernels;

namespace {

constexpr std::int64_t kMs = 1'000'000, kEpoch = 1'700'000'000'000'000'000;

// A clock that only calls move: each takes `cost` ns, the i-th `costs[i]` if given.
struct Simulation {
  std::int64_t time = 1000, calls = 0;
  std::function<std::int64_t(std::int64_t)> cost;
  std::vector<Phase> phases;

  Clock clock() {
    return {[this] { return time; }, [this] { return kEpoch + time; }};
  }
  Measurement run(const Plan& plan) {
    const Clock moved = clock();
    ClockSampler sampler([this] { time += cost(calls++); }, moved);
    return measure(sampler, plan, moved, phases);
  }
};

Simulation constant(std::int64_t ns) {
  Simulation simulation;
  simulation.cost = [ns](std::int64_t) { return ns; };
  return simulation;
}

}  // namespace

TEST_CASE("the mini-batch makes a sample last at least the target, and less than twice",
          "[measure]") {
  for (const std::int64_t ns : {1, 37, 1000, 123'456, 4'999'999}) {
    auto simulation = constant(ns);
    const auto result = simulation.run({});
    REQUIRE(result.samples_ns.size() == 20);
    for (const std::int64_t sample : result.samples_ns) {
      CHECK(sample == ns * static_cast<std::int64_t>(result.mini_batch));
      CHECK(sample >= 5 * kMs);
      CHECK(sample < 10 * kMs);
    }
    CHECK_FALSE(result.stopped_early);
  }
}

TEST_CASE("a call that is long enough is a sample of its own", "[measure]") {
  for (const std::int64_t ns : {5 * kMs, 99 * kMs, 8000 * kMs})
    CHECK(constant(ns).run({}).mini_batch == 1);
}

TEST_CASE("one preempted call does not end the calibration", "[measure]") {
  Simulation simulation;
  simulation.cost = [](std::int64_t i) { return i == 0 || i == 5 ? 6 * kMs : 10'000; };
  const auto result = simulation.run({});
  CHECK(result.mini_batch == 512);
}

TEST_CASE("neither does one that waited for many short targets", "[measure]") {
  Simulation simulation;  // 30 ms of waiting on a busy machine, for samples of 1 ms
  simulation.cost = [](std::int64_t i) { return i == 2 ? 30 * kMs : 10'000; };
  Plan plan;
  plan.min_sample_ns = 1 * kMs;
  plan.warm_up_ns = 1 * kMs;
  CHECK(simulation.run(plan).mini_batch == 128);
}

TEST_CASE("a warm-up that shows short samples goes on calibrating", "[measure]") {
  Simulation simulation;  // the first calls are slow, as on a cold or busy machine
  simulation.cost = [](std::int64_t i) { return i < 12 ? 2 * kMs : 100'000; };
  const auto result = simulation.run({});
  CHECK(result.mini_batch == 64);
  CHECK(result.samples_ns.front() == 64 * 100'000);
}

TEST_CASE("a mini-batch that is given is kept", "[measure]") {
  auto simulation = constant(1000);
  Plan plan;
  plan.mini_batch = 7;
  plan.repetitions = 5;
  plan.warm_up_ns = 100'000;
  const auto result = simulation.run(plan);
  CHECK(result.mini_batch == 7);
  CHECK(result.samples_ns == std::vector<std::int64_t>(5, 7000));
}

TEST_CASE("warming up lasts as long as asked, calibration included", "[measure]") {
  auto simulation = constant(1 * kMs);
  simulation.run({});
  REQUIRE(simulation.phases.size() == 3);
  CHECK(simulation.phases[0].name == "calibrate");
  CHECK(simulation.phases[1].name == "warm_up");
  CHECK(simulation.phases[2].name == "measure");
  const auto before = simulation.phases[0].duration_ns + simulation.phases[1].duration_ns;
  CHECK(before >= 100 * kMs);
  CHECK(before < 110 * kMs);
  CHECK(simulation.phases[1].start_ns ==
        simulation.phases[0].start_ns + simulation.phases[0].duration_ns);
}

TEST_CASE("a very slow library is called as little as possible", "[measure]") {
  auto simulation = constant(8000 * kMs);
  Plan plan;
  plan.max_ns = 1000 * kMs;
  const auto result = simulation.run(plan);
  CHECK(simulation.calls == 1 + 3);  // one calibrates and warms up, three are samples
  CHECK(result.samples_ns.size() == kMinRepetitions);
  CHECK(result.stopped_early);
}

TEST_CASE("the time limit stops sampling, never below three samples", "[measure]") {
  auto simulation = constant(10 * kMs);
  Plan plan;
  plan.repetitions = 100;
  plan.max_ns = 400 * kMs;
  const auto result = simulation.run(plan);
  CHECK(result.stopped_early);
  CHECK(result.samples_ns.size() == 30);  // 100 ms went to calibrating and warming up
  plan.repetitions = 2;                   // fewer were asked for: not more than that
  plan.max_ns = 1;
  CHECK(constant(10 * kMs).run(plan).samples_ns.size() == 2);
}

TEST_CASE("a phase is recorded even when its work throws", "[measure]") {
  auto simulation = constant(1);
  const auto clock = simulation.clock();
  CHECK_THROWS(record(simulation.phases, clock, "check", [&]() -> int {
    simulation.time += 5;
    throw std::runtime_error("no");
  }));
  REQUIRE(simulation.phases.size() == 1);
  CHECK(simulation.phases[0].duration_ns == 5);
}
