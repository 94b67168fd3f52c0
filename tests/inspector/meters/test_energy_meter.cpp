// What a machine drew in phases, of counters that a thread moves on at known watts while the meter reads them.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "inspector/machine/gpu_energy.hpp"
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

}  // namespace

TEST_CASE("energy meter: two sockets, their memory, wraps; idle draw apart; nothing else of the tree") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  powercap.zone("intel-rapl:0", "package-0", 20'000'000);  // 20 J: begins again four times a second
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
  EnergyMeter meter;
  meter.add(std::move(*rapl));
  powercap.draw(at(20));
  meter.watch_idle();
  powercap.draw(at(80));
  meter.begin();
  std::this_thread::sleep_for(150ms);
  const auto first = waited(700ms), gap = waited(150ms, "warm_up"), second = waited(900ms);
  meter.end();
  const auto drawn = meter.drawn({{"run", 0, 1}, first, gap, second});
  REQUIRE(drawn.contains("rapl"));
  const auto& energy = drawn.at("rapl");
  CHECK(energy.counters == std::vector<std::string>{"package-0", "package-0 dram", "package-1"});
  CHECK(energy.seconds == Approx(seconds_of(first) + seconds_of(second)).margin(1e-6));
  CHECK(energy.joules == Approx(100 * energy.seconds).epsilon(0.04));
  REQUIRE(energy.idle_watts);
  CHECK(*energy.idle_watts == Approx(40).epsilon(0.06));
  CHECK(energy.updates >= 20);
  CHECK(energy.updates <= 33);  // 1.6 s / 50 ms, and an end

  CHECK(meter.drawn({}).empty());
  CHECK(meter.drawn({gap}).empty());  // another phase
  CHECK(meter.drawn({{"measure", first.start_ns, 300'000'000}}).empty());  // too short to say
  CHECK(meter.drawn({{"measure", first.start_ns - 2'000'000'000, 2'500'000'000}}).empty());  // before it was read
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
  meter.add(gpu_energy("GPU-11111111-2222-3333-4444-555555555555", STACKX_BINARY_DIR "/tests/nvml/energy/libnvidia-ml.so.1"));
  meter.watch_idle();
  meter.begin();
  std::this_thread::sleep_for(100ms);
  const auto phase = waited(1500ms);
  meter.end();
  const auto drawn = meter.drawn({phase});
  REQUIRE(drawn.contains("nvml"));
  CHECK(drawn.at("nvml").joules == Approx(75 * seconds_of(phase)).epsilon(0.04));
  REQUIRE(drawn.at("nvml").idle_watts);
  CHECK(*drawn.at("nvml").idle_watts == Approx(75).epsilon(0.12));
}

TEST_CASE("energy meter: the counter's step after the last sample is waited for") {
  std::atomic<std::int64_t> until_ns = 0;
  EnergyMeter meter;
  meter.add(std::make_unique<Halting>(until_ns));
  meter.begin();
  std::this_thread::sleep_for(100ms);
  auto phase = waited(1300ms);
  until_ns = std::chrono::steady_clock::now().time_since_epoch() / 1ns + 150'000'000;
  const auto tail = waited(80ms);
  phase.duration_ns = tail.start_ns + tail.duration_ns - phase.start_ns;
  meter.end();
  const auto drawn = meter.drawn({phase});
  REQUIRE(drawn.contains("nvml"));
  CHECK(drawn.at("nvml").joules == Approx(60 * seconds_of(phase)).epsilon(0.06));
}

TEST_CASE("energy meter: without an idle second there is no idle draw, and no waiting for it twice") {
  FakeMachine machine;
  FakePowercap powercap(machine);
  powercap.zone("intel-rapl:0", "package-0");
  EnergyMeter meter;
  meter.add(std::move(*Rapl::find(machine.tree())));
  powercap.draw([](const std::string&) { return 50.0; });
  meter.watch_idle([] { return true; });  // interrupted
  const auto start = std::chrono::steady_clock::now();
  meter.watch_idle();
  CHECK(std::chrono::steady_clock::now() - start < 500ms);
  meter.begin();
  std::this_thread::sleep_for(100ms);
  const auto phase = waited(1400ms);
  meter.end();
  const auto drawn = meter.drawn({phase});
  REQUIRE(drawn.contains("rapl"));
  CHECK_FALSE(drawn.at("rapl").idle_watts);
}
