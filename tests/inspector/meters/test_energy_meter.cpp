// What a machine drew in phases, of counters that move on at known watts when the meter reads them. A reading is of a moment within it:
// where a busy machine stretches one, what was drawn is known less well by that time, and by no more.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <thread>

#include "inspector/machine/gpu/energy.hpp"
#include "inspector/machine/rapl.hpp"
#include "inspector/meters/energy_meter.hpp"
#include "tests/inspector/fake_powercap.hpp"

using namespace stackx;
using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using namespace std::chrono_literals;

namespace {

// A phase that lasts as long as it is waited for.
specs::Phase waited(std::chrono::milliseconds duration, const char* name = "measure") {
  const auto now = [] { return std::chrono::system_clock::now().time_since_epoch() / 1ns; };
  const auto start = now();
  std::this_thread::sleep_for(duration);
  return {name, start, now() - start};
}

struct Readings {
  std::atomic<int> count = 0;
  std::atomic<double> slowest = 0;  // seconds

  bool wait_for(int more) const {
    const int wanted = count + more;
    for (int i = 0; i < 6000 && count < wanted; ++i) std::this_thread::sleep_for(10ms);
    return count >= wanted;
  }
};

// Another counter, whose readings are counted.
class Counted : public EnergyCounter {
 public:
  Counted(std::unique_ptr<EnergyCounter> counter, Readings& readings, std::function<void()> before = [] {})
      : counter_(std::move(counter)), readings_(readings), before_(std::move(before)) {}
  std::string source() const override { return counter_->source(); }
  std::vector<std::string> names() const override { return counter_->names(); }
  std::optional<double> joules() override {
    const auto began = std::chrono::steady_clock::now();
    before_();
    const auto joules = counter_->joules();
    readings_.slowest = std::max(readings_.slowest.load(), std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    ++readings_.count;
    return joules;
  }

 private:
  std::unique_ptr<EnergyCounter> counter_;
  Readings& readings_;
  std::function<void()> before_;
};

// 60 W in steps of 20 ms, which stop for a while when they are told to.
class Halting : public EnergyCounter {
 public:
  explicit Halting(const std::atomic<std::int64_t>& until_ns) : until_ns_(until_ns) {}
  std::string source() const override { return "nvml"; }
  std::vector<std::string> names() const override { return {"GPU-1"}; }
  std::optional<double> joules() override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch() / 1ns;
    if (now >= until_ns_) last_ = static_cast<double>(now / 20'000'000) * 1.2;
    return last_;
  }

 private:
  const std::atomic<std::int64_t>& until_ns_;
  double last_ = 0;
};

double seconds_of(const specs::Phase& phase) { return static_cast<double>(phase.duration_ns) / 1e9; }

// At constant watts: each end of a phase is known to within a step of the counter and a reading.
Approx drawn_at(double watts, double seconds, double step, const Readings& readings) {
  return Approx(watts * seconds).epsilon(1e-3).margin(watts * (2 * step + readings.slowest + 0.002));
}

// In half a second, as idle draw is looked for.
Approx idle_at(double watts, double step, const Readings& readings) {
  return Approx(watts).epsilon(1e-3).margin(watts * (step + readings.slowest + 0.002) / 0.5);
}

}  // namespace

TEST_CASE("energy meter: two sockets, their memory, wraps; idle draw apart; nothing else of the tree") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  powercap.zone("intel-rapl:0", "package-0", 80'000'000);  // 80 J: begins again once a second
  powercap.zone("intel-rapl:0:0", "core");
  powercap.zone("intel-rapl:0:1", "dram");
  powercap.zone("intel-rapl:1", "package-1");
  powercap.zone("intel-rapl:2", "psys");
  const auto at = [](double package_0) {
    return [package_0](const std::string& entry) {
      return entry == "intel-rapl:0" ? package_0 : entry == "intel-rapl:0:1" ? 5.0 : entry == "intel-rapl:1" ? 15.0 : 1000.0;
    };
  };
  auto rapl = Rapl::find(machine.tree());
  REQUIRE(rapl);
  Readings readings;
  EnergyMeter meter;
  meter.add(std::make_unique<Counted>(std::move(*rapl), readings, [&] { powercap.move_on(); }));
  powercap.draw(at(20));
  meter.watch_idle();
  powercap.draw(at(80));
  meter.begin();
  REQUIRE(readings.wait_for(3));
  const auto first = waited(1500ms), gap = waited(150ms, "warm_up"), second = waited(1700ms);
  meter.end();
  const auto drawn = meter.drawn({{"run", 0, 1}, first, gap, second});
  REQUIRE(drawn.contains("rapl"));
  const auto& energy = drawn.at("rapl");
  CHECK(energy.counters == std::vector<std::string>{"package-0", "package-0 dram", "package-1"});
  CHECK(energy.seconds == Approx(seconds_of(first) + seconds_of(second)).margin(1e-6));
  CHECK(energy.joules == drawn_at(100, energy.seconds, 0, readings));
  REQUIRE(energy.idle_watts);
  CHECK(*energy.idle_watts == idle_at(40, 0, readings));
  CHECK(energy.updates >= 20);
  CHECK(static_cast<double>(energy.updates) <= energy.seconds / 0.05 + 2);  // one in 50 ms, and an end of each

  CHECK(meter.drawn({}).empty());
  CHECK(meter.drawn({gap}).empty());  // another phase
  CHECK(meter.drawn({{"measure", first.start_ns, 300'000'000}}).empty());  // too short to say
  CHECK(meter.drawn({{"measure", first.start_ns - 600'000'000'000, 600'500'000'000}}).empty());  // before it was read
  CHECK(meter.drawn({{"measure", second.start_ns, 60'000'000'000}}).empty());
  CHECK(meter.drawn({{"measure", 1, 2}}).empty());

  meter.begin();  // the next run: idle draw stays, readings do not
  const auto next = waited(100ms);
  meter.end();
  CHECK(meter.drawn({first}).empty());
  CHECK(meter.drawn({next}).empty());
}

TEST_CASE("energy meter: a GPU that is added later has its own idle draw, its steps are waited for") {
  EnergyMeter meter;
  meter.watch_idle();  // nothing to watch
  meter.begin();
  meter.end();
  CHECK(meter.drawn({}).empty());
  meter.add(nullptr);
  Readings readings;
  meter.add(std::make_unique<Counted>(
      gpu_energy("GPU-11111111-2222-3333-4444-555555555555", STACKX_BINARY_DIR "/tests/nvml/energy/libnvidia-ml.so.1"), readings));
  meter.watch_idle();
  meter.begin();
  REQUIRE(readings.wait_for(4));
  const auto phase = waited(3000ms);
  meter.end();
  const auto drawn = meter.drawn({phase});
  REQUIRE(drawn.contains("nvml"));
  CHECK(drawn.at("nvml").joules == drawn_at(75, seconds_of(phase), 0.02, readings));
  REQUIRE(drawn.at("nvml").idle_watts);
  CHECK(*drawn.at("nvml").idle_watts == idle_at(75, 0.02, readings));
}

TEST_CASE("energy meter: the counter's step after the last sample is waited for") {
  std::atomic<std::int64_t> until_ns = 0;
  Readings readings;
  EnergyMeter meter;
  meter.add(std::make_unique<Counted>(std::make_unique<Halting>(until_ns), readings));
  meter.begin();
  REQUIRE(readings.wait_for(4));
  auto phase = waited(3000ms);
  until_ns = std::chrono::steady_clock::now().time_since_epoch() / 1ns + 150'000'000;
  const auto tail = waited(80ms);
  phase.duration_ns = tail.start_ns + tail.duration_ns - phase.start_ns;
  meter.end();
  const auto drawn = meter.drawn({phase});
  REQUIRE(drawn.contains("nvml"));
  CHECK(drawn.at("nvml").joules == drawn_at(60, seconds_of(phase), 0.02, readings));
}

TEST_CASE("energy meter: without an idle second there is no idle draw, and no waiting for it twice") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  powercap.zone("intel-rapl:0", "package-0");
  Readings readings;
  EnergyMeter meter;
  meter.add(std::make_unique<Counted>(std::move(*Rapl::find(machine.tree())), readings, [&] { powercap.move_on(); }));
  powercap.draw([](const std::string&) { return 50.0; });
  meter.watch_idle([] { return true; });  // interrupted
  const int read = readings.count;
  meter.watch_idle();
  CHECK(readings.count == read);
  meter.begin();
  REQUIRE(readings.wait_for(3));
  const auto phase = waited(3000ms);
  meter.end();
  const auto drawn = meter.drawn({phase});
  REQUIRE(drawn.contains("rapl"));
  CHECK_FALSE(drawn.at("rapl").idle_watts);
}
