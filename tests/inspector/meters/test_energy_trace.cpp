// What was drawn between two moments, of a counter that moves in steps and is read now and then.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "inspector/meters/energy_trace.hpp"
#include "specs/random.hpp"

using namespace stackx::inspector;

namespace {

constexpr std::int64_t ms = 1'000'000;

// A machine that draws so many watts from each moment on, by a counter with steps of its own.
struct DrawingMachine {
  std::vector<std::pair<std::int64_t, double>> watts;  // from (ns) on
  std::int64_t step_ns = ms;

  double joules_at(std::int64_t at) const {
    double sum = 0;
    for (std::size_t i = 0; i < watts.size() && watts[i].first < at; ++i) {
      const auto until = i + 1 < watts.size() ? std::min(watts[i + 1].first, at) : at;
      sum += watts[i].second * static_cast<double>(until - watts[i].first) / 1e9;
    }
    return sum;
  }
  double counter_at(std::int64_t at) const { return joules_at(at / step_ns * step_ns); }
};

EnergyTrace trace_of(const DrawingMachine& machine, std::int64_t until, std::int64_t every, std::int64_t late, stackx::specs::Random& random) {
  EnergyTrace trace;
  for (std::int64_t at = 0; at < until; at += every + static_cast<std::int64_t>(random.unit() * static_cast<double>(late)))
    trace.add(at, machine.counter_at(at));
  return trace;
}

}  // namespace

TEST_CASE("energy trace: by hand") {
  EnergyTrace trace;
  CHECK_FALSE(trace.between(0, 1));
  trace.add(0, 1000);
  trace.add(5, 1000);
  CHECK_FALSE(trace.last_update());  // the first reading may be of long ago
  trace.add(10, 1010);
  trace.add(15, 1010);  // did not move
  trace.add(30, 1050);
  trace.add(40, 1080);
  CHECK(trace.last_update() == 40);
  CHECK(trace.between(10, 40)->joules == Approx(70));
  CHECK(trace.between(10, 40)->updates == 2);
  CHECK(trace.between(20, 35)->joules == Approx(35));  // half of 40 J, half of 30 J
  CHECK(trace.between(20, 35)->updates == 1);
  CHECK(trace.between(12, 12)->joules == 0);
  CHECK_FALSE(trace.between(9, 40));
  CHECK_FALSE(trace.between(10, 41));
  CHECK_FALSE(trace.between(30, 20));
  CHECK_FALSE(trace.between(-5, 20));
}

TEST_CASE("energy trace: each end is off by no more than a step and a reading at the most that was drawn") {
  stackx::specs::Random random(20201110);
  double together = 0, worst = 0;
  for (int trial = 0; trial < 500; ++trial) {
    DrawingMachine machine;
    double most = 0;
    for (std::int64_t at = 0; at < 6000 * ms; at += 50 * ms + static_cast<std::int64_t>(random.unit() * 700.0 * ms)) {
      machine.watts.emplace_back(at, 10 + 290 * random.unit());
      most = std::max(most, machine.watts.back().second);
    }
    machine.step_ns = trial % 2 == 0 ? ms : 100 * ms;  // RAPL, an H200
    const std::int64_t every = 50 * ms, late = 20 * ms;
    const auto trace = trace_of(machine, 6000 * ms, every, late, random);
    const auto begin = 500 * ms + static_cast<std::int64_t>(random.unit() * 1000.0 * ms);
    const auto end = begin + 2000 * ms + static_cast<std::int64_t>(random.unit() * 2000.0 * ms);
    const auto drawn = trace.between(begin, end);
    REQUIRE(drawn);
    const double truth = machine.joules_at(end) - machine.joules_at(begin);
    const double off = drawn->joules - truth;
    INFO("trial " << trial << ": " << drawn->joules << " J, in truth " << truth);
    CHECK(std::abs(off) <= 2 * most * static_cast<double>(machine.step_ns + every + late) / 1e9);
    CHECK(drawn->updates >= static_cast<std::uint64_t>((end - begin) / (machine.step_ns + every + late)));
    CHECK(drawn->updates <= static_cast<std::uint64_t>((end - begin) / std::max(machine.step_ns, every) + 2));  // one more where the first was read late
    together += off / truth, worst = std::max(worst, std::abs(off) / truth);
  }
  CHECK(std::abs(together / 500) < 0.003);  // neither too much nor too little
  CHECK(worst < 0.1);
}

TEST_CASE("energy trace: at one power all the way it is nearly exact, whatever the steps") {
  stackx::specs::Random random(7);
  for (const std::int64_t step : {ms, 20 * ms, 100 * ms}) {
    const DrawingMachine machine{{{0, 123.0}}, step};
    const auto trace = trace_of(machine, 5000 * ms, 50 * ms, 0, random);
    CHECK(trace.between(1000 * ms, 3000 * ms)->joules == Approx(246).epsilon(0.002));
  }
}

TEST_CASE("energy trace: the least power over a while, of enough updates") {
  stackx::specs::Random random(3);
  const DrawingMachine machine{{{0, 90.0}, {300 * ms, 30.0}, {850 * ms, 90.0}}, ms};
  const auto trace = trace_of(machine, 1200 * ms, 20 * ms, 0, random);
  CHECK(*trace.least_watts(500 * ms) == Approx(30).epsilon(0.01));
  CHECK(*trace.least_watts(1000 * ms) > 55);
  CHECK_FALSE(trace.least_watts(1300 * ms));
  const DrawingMachine slow{{{0, 90.0}}, 200 * ms};
  CHECK_FALSE(trace_of(slow, 1200 * ms, 20 * ms, 0, random).least_watts(500 * ms));  // three updates
  CHECK_FALSE(EnergyTrace().least_watts(500 * ms));
}
