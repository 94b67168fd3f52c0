#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "inspector/machine/noise/noise.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;
using Catch::Contains;

namespace {

constexpr auto good = NoiseVerdict::good;
constexpr auto noisy = NoiseVerdict::noisy;
constexpr auto unknown = NoiseVerdict::unknown;

std::string stat(unsigned busy, unsigned idle, unsigned steal) {
  return fmt::format(
      "cpu  {} 0 0 {} 0 0 0 {} 0 0\ncpu0 1 0 0 1\ncpu1 1 0 0 1\ncpu2 1 0 0 1\ncpu3 1 0 0 1\n", busy,
      idle, steal);
}

std::string process(int pid, const std::string& name, unsigned ticks) {
  return fmt::format("{} ({}) S 1 1 1 0 -1 4194560 1 2 3 4 {} 0 9 9 20 0 1 0 55 5 5 5\n", pid, name,
                     ticks);
}

// Four threads on four cores of bare metal, set up as one would for measurements, with nothing else
// to do.
void quiet(FakeMachine& machine) {
  machine.topology({1, 1, 4, 1, {}});
  machine.cpufreq({1, 1, 4, 1, {}}, "performance", 4'000'000);
  for (int cpu = 0; cpu < 4; ++cpu) {
    machine.file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu),
                 fmt::format("{}\n", cpu));
    machine.file(
        fmt::format("/sys/devices/system/cpu/cpu{}/thermal_throttle/core_throttle_count", cpu),
        "0\n");
  }
  machine.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  machine.file("/sys/devices/system/node/online", "0-1\n");
  machine.file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  machine.file("/sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
  machine.file("/proc/sys/kernel/numa_balancing", "0\n");
  machine.file("/proc/cpuinfo", "processor : 0\nflags : fpu avx2\n");
  machine.file("/proc/self/status", "Name:\tstackx\nCpus_allowed_list:\t0-3\n");
  machine.file("/proc/loadavg", "0.05 0.10 0.20 1/117 2656\n");
  machine.file(
      "/proc/meminfo",
      "MemTotal: 16000000 kB\nMemAvailable: 12000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
  machine.file("/proc/stat", stat(1000, 100000, 0));
}

NoiseReport report(FakeMachine& machine, std::vector<int> cpus = {3},
                   std::function<void()> meanwhile = {}, const std::string& hypervisor = "") {
  NoiseSources sources;
  sources.root = machine.root();
  sources.hypervisor = hypervisor;
  sources.wait = [&machine, meanwhile] {
    machine.file("/proc/stat", stat(1001, 100119, 0));  // 0.3 s
    if (meanwhile) meanwhile();
  };
  return look_for_noise(sources, cpus);
}

Finding of(const NoiseReport& report, const std::string& what) {
  for (const auto& finding : report.findings)
    if (finding.what == what) return finding;
  FAIL("no finding " << what);
  return {};
}

}  // namespace

TEST_CASE("noise: a machine set up for measurements is quiet, check by check") {
  FakeMachine machine;
  quiet(machine);
  const auto all = report(machine);
  CHECK(all.findings.size() == 14);
  for (const auto& finding : all.findings) {
    INFO(finding.what << ": " << finding.found);
    CHECK(finding.verdict == good);
    CHECK(finding.advice.empty());
  }
  CHECK(summary(all) ==
        "noise: 14 of 14 checks quiet; `stackx hw noise` shows all, and what to change\n");
}

TEST_CASE("noise: a machine that shows nothing is unknown, not good") {
  FakeMachine machine;
  for (const auto& finding :
       report(machine, {0}, [&] { machine.file("/proc/stat", ""); }).findings) {
    INFO(finding.what << ": " << finding.found);
    if (finding.what != "CPU quota") CHECK(finding.verdict == unknown);
  }
}

TEST_CASE("noise: settings, one at a time, with a command that changes them") {
  FakeMachine machine;
  quiet(machine);
  const auto check = [&](const char* what, const char* found, const char* advice) {
    const auto finding = of(report(machine), what);
    CHECK(finding.verdict == noisy);
    CHECK_THAT(finding.found, Contains(found));
    CHECK_THAT(finding.advice, Contains(advice));
    quiet(machine);
    CHECK(of(report(machine), what).verdict == good);
  };
  machine.cpufreq({1, 1, 4, 1, {}}, "powersave", 4'000'000);
  check("CPU frequency governor", "powersave", "as root: echo performance | tee /sys/devices/");
  machine.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  check("turbo", "on", "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo");
  machine.file("/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3\n");
  check("SMT siblings", "CPU 3 shares its core with CPU 1",
        "echo 0 > /sys/devices/system/cpu/cpu1/online");
  machine.file("/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "0,3\n");
  check("SMT siblings", "CPU 3 shares its core with CPU 0", "smt/control");
  machine.file("/proc/sys/kernel/numa_balancing", "1\n");
  check("NUMA balancing", "on over 2 nodes", "sysctl kernel.numa_balancing=0");
  machine.file("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  check("transparent huge pages", "always", "echo madvise");
  machine.file("/proc/self/status", "Cpus_allowed_list:\t3\n");
  check("CPU set", "none is left", "fewer threads");
  machine.file("/proc/loadavg", "2.50 1 1 1/1 1\n");
  check("load", "2.50 over the last minute, on 4 processors", "below 0.40");
  machine.file("/proc/meminfo",
               "MemTotal: 16000000 kB\nMemAvailable: 900000 kB\nSwapTotal: 0 kB\n");
  check("memory", "0.9 of 15.3 GiB", "ps aux");
  machine.file(
      "/proc/meminfo",
      "MemTotal: 9000 kB\nMemAvailable: 9000 kB\nSwapTotal: 2097152 kB\nSwapFree: 1048576 kB\n");
  check("swap", "1.0 of 2.0 GiB in use", "swapoff -a");
  machine.file("/sys/devices/system/cpu/cpu3/thermal_throttle/core_throttle_count", "12\n");
  check("heat", "12 times since boot, 0 just now", "cool");
}

TEST_CASE("noise: an isolated CPU needs no other, all threads of a core are no strangers") {
  FakeMachine machine;
  quiet(machine);
  machine.file("/proc/self/status", "Cpus_allowed_list:\t3\n");
  machine.file("/sys/devices/system/cpu/isolated", "2-3\n");
  CHECK(of(report(machine), "CPU set").verdict == good);
  machine.file("/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3\n");
  machine.file("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "1,3\n");
  CHECK(of(report(machine, {1, 3}), "SMT siblings").verdict == good);
}

TEST_CASE("noise: what others do meanwhile") {
  FakeMachine machine;
  quiet(machine);
  machine.file("/proc/42/stat", process(42, "cc1plus", 100));
  const auto busy = [&] {
    machine.file("/proc/stat", stat(1000 + 40, 100000 + 80, 0));  // 30 ticks a processor
    machine.file("/proc/42/stat", process(42, "cc1\x1bplus", 127));
  };
  const auto others = of(report(machine, {3}, busy), "other processes");
  CHECK(others.verdict == noisy);
  CHECK_THAT(others.found, Contains("1.33 of 4 processors busy: cc1\\u001bplus 90% (pid 42)"));
  CHECK_THAT(others.advice, Contains("wait until they end") && !Contains("42"));  // it may be somebody else's

  quiet(machine);
  const auto hidden =
      of(report(machine, {3}, [&] { machine.file("/proc/stat", stat(1000 + 40, 100000 + 80, 0)); }),
         "other processes");
  CHECK(hidden.verdict == noisy);
  CHECK_THAT(hidden.advice, Contains("other containers") && !Contains("kill"));
}

TEST_CASE("noise: a virtual machine") {
  FakeMachine machine;
  quiet(machine);
  machine.file("/proc/cpuinfo", "processor : 0\nflags : fpu avx2 hypervisor\n");
  const auto idle = report(machine, {3}, {}, "KVMKVMKVM");
  CHECK(of(idle, "virtualization").verdict == noisy);
  CHECK_THAT(of(idle, "virtualization").found, Contains("kvm"));
  CHECK(of(idle, "steal time").verdict == unknown);  // no steal ever: does it tell at all?
  machine.file("/proc/stat", stat(1000, 100000, 0));
  const auto stolen = report(
      machine, {3}, [&] { machine.file("/proc/stat", stat(1000, 100108, 12)); }, "KVMKVMKVM");
  CHECK(of(stolen, "steal time").verdict == noisy);
  CHECK_THAT(of(stolen, "steal time").found, Contains("10.0% now"));
  CHECK_THAT(of(stolen, "steal time").advice, Contains("operator"));
  machine.file("/proc/stat", stat(1000, 100000, 5));
  const auto little = report(
      machine, {3}, [&] { machine.file("/proc/stat", stat(1000, 100120, 5)); }, "KVMKVMKVM");
  CHECK(of(little, "steal time").verdict == good);
}

TEST_CASE("noise: a container with a quota") {
  FakeMachine machine;
  quiet(machine);
  machine.file("/proc/self/cgroup", "0::/\n");
  machine.file("/proc/self/mountinfo", "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  machine.file("/run/.containerenv", "");
  machine.file("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  machine.file("/sys/fs/cgroup/cpu.stat", "nr_periods 1000\nnr_throttled 0\n");
  CHECK(of(report(machine, {3}), "CPU quota").verdict == good);
  const auto two = of(report(machine, {2, 3}), "CPU quota");
  CHECK(two.verdict == noisy);
  CHECK_THAT(two.found, Contains("1.5 CPUs") && Contains("0 of 1000 periods"));
  CHECK_THAT(two.advice, Contains("--cpus 3"));
  const auto throttled = report(machine, {3}, [&] {
    machine.file("/sys/fs/cgroup/cpu.stat", "nr_periods 1003\nnr_throttled 2\n");
  });
  CHECK(of(throttled, "CPU quota").verdict == noisy);
  machine.file("/sys/fs/cgroup/memory.max", "536870912\n");
  const auto memory = of(report(machine, {3}), "memory");
  CHECK(memory.verdict == noisy);
  CHECK_THAT(memory.found, Contains("limit 0.5 GiB"));
  machine.cpufreq({1, 1, 4, 1, {}}, "ondemand", 4'000'000);
  CHECK_THAT(of(report(machine), "CPU frequency governor").advice,
             Contains("outside of this container"));
}

TEST_CASE("noise: a laptop on its battery") {
  FakeMachine machine;
  quiet(machine);
  machine.file("/sys/class/power_supply/hid-mouse/type", "Battery\n");
  machine.file("/sys/class/power_supply/hid-mouse/scope", "Device\n");
  machine.file("/sys/class/power_supply/hid-mouse/status", "Discharging\n");
  CHECK(report(machine).findings.back().what != "battery");
  machine.file("/sys/class/power_supply/BAT0/type", "Battery\n");
  machine.file("/sys/class/power_supply/BAT0/status", "Discharging\n");
  CHECK(of(report(machine), "battery").verdict == noisy);
  machine.file("/sys/class/power_supply/BAT0/status", "Full\n");
  CHECK(of(report(machine), "battery").verdict == good);
}

TEST_CASE("noise: the tally has all, the summary only what is noisy, JSON the counts") {
  FakeMachine machine;
  quiet(machine);
  machine.file("/proc/loadavg", "2.50 1 1 1/1 1\n");
  machine.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  const auto all = report(machine);
  CHECK(tally(all) == "12 of 14 checks good, 2 noisy, 0 unknown; for inspections on CPU 3");
  CHECK_THAT(summary(all), Contains("noise: load: 2.50") && Contains("noise: turbo: on") &&
                               Contains("12 of 14 checks quiet") && !Contains("governor"));
  const auto json = to_json(all);
  CHECK(json["good"] == 12);
  CHECK(json["noisy"] == 2);
  CHECK(json["findings"].size() == 14);
  CHECK(json["findings"][0]["verdict"] == "noisy");
  CHECK(json["cpus"] == nlohmann::json{3});
}
