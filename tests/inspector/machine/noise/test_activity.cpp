#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "inspector/machine/noise/activity.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx::inspector;
using stackx::inspector::testing::FakeMachine;

namespace {

// As /proc/PID/stat has it: 52 fields, of which three matter.
std::string process(const std::string& name, unsigned user, unsigned system, unsigned started) {
  std::string text = fmt::format("77 ({}) S 1 1 1 0 -1 4194560 1 2 3 4 {} {} 9 9 20 0 1 0 {}", name,
                                 user, system, started);
  for (int field = 23; field <= 52; ++field) text += " 5";
  return text + "\n";
}

// Two processors.
std::string stat(const std::string& counters) {
  return "cpu  " + counters + "\ncpu0 1 0 0 1\ncpu1 1 0 0 1\nintr 5\nctxt 9\n";
}

}  // namespace

TEST_CASE("activity: a process's line, whatever its name") {
  for (const char* name : {"cc1plus", "tmux: server", "a) S 1 (b", "((", ""}) {
    const auto read = parse_process(process(name, 30, 12, 900));
    REQUIRE(read);
    CHECK(read->name == name);
    CHECK(read->ticks == 42);
    CHECK(read->started == 900);
  }
  for (const char* text : {"", "77 cc1plus S 1", "77 (cc1plus) S 1 1 1", ")(", "77 (a) S -1 x"}) {
    INFO(text);
    CHECK_FALSE(parse_process(text));
  }
}

TEST_CASE("activity: shares are of the ticks that passed on one processor") {
  FakeMachine machine;
  machine.file("/proc/stat", stat("100 0 0 900 0 0 0 10 0 0"));
  machine.file("/proc/5/stat", process("editor", 10, 0, 1));
  machine.file("/proc/6/stat", process("compiler", 50, 10, 2));
  machine.file("/proc/7/stat", process("stackx", 5, 0, 3));
  machine.file("/proc/8/stat", process("gone", 500, 0, 4));
  const Look before = look(machine.tree(), {0, 1});
  CHECK(before.processors == 2);
  CHECK(before.processes.size() == 4);
  // 100 ticks pass, 50 on each processor: 60 busy, 30 idle, 10 stolen.
  machine.file("/proc/stat", stat("160 0 0 930 0 0 0 20 0 0"));
  machine.file("/proc/6/stat", process("compiler", 75, 20, 2));
  machine.file("/proc/7/stat", process("stackx", 8, 0, 3));
  machine.file("/proc/8/stat", process("new", 15, 0, 1000));  // another process of that number
  const Activity activity = between(before, look(machine.tree(), {0, 1}), 7);
  REQUIRE(activity.busy);
  CHECK(*activity.busy == Approx((60.0 - 3.0) / 50));
  CHECK(*activity.steal == Approx(0.1));
  REQUIRE(activity.processes.size() == 2);  // the editor did nothing; 7 is this program
  CHECK(activity.processes[0].name == "compiler");
  CHECK(activity.processes[0].pid == 6);
  CHECK(activity.processes[0].cpus == Approx(0.7));
  CHECK(activity.processes[1].name == "new");
  CHECK(activity.processes[1].cpus == Approx(0.3));
}

TEST_CASE("activity: events are counted between the looks") {
  FakeMachine machine;
  const std::string throttle = "/sys/devices/system/cpu/cpu1/thermal_throttle/";
  machine.file("/proc/self/cgroup", "0::/\n");
  machine.file("/proc/self/mountinfo", "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  machine.file("/sys/fs/cgroup/cpu.stat", "usage_usec 5\nnr_periods 100\nnr_throttled 7\n");
  machine.file("/proc/vmstat", "pgpgin 5\npswpin 100\npswpout 200\n");
  machine.file(throttle + "core_throttle_count", "3\n");
  machine.file(throttle + "package_throttle_count", "4\n");
  const Look before = look(machine.tree(), {1});
  CHECK(before.too_hot == 7u);
  CHECK_FALSE(look(machine.tree(), {0}).too_hot);
  machine.file("/sys/fs/cgroup/cpu.stat", "usage_usec 5\nnr_periods 110\nnr_throttled 9\n");
  machine.file("/proc/vmstat", "pgpgin 5\npswpin 105\npswpout 206\n");
  machine.file(throttle + "core_throttle_count", "4\n");
  const Look after = look(machine.tree(), {1});
  const Activity activity = between(before, after, 1);
  CHECK(activity.throttled == 2u);
  CHECK(activity.swapped == 11u);
  CHECK(activity.too_hot == 1u);
  CHECK_FALSE(activity.busy);  // no /proc/stat
  CHECK_FALSE(activity.steal);
  CHECK_FALSE(between(after, before, 1).throttled);  // of another boot
}

TEST_CASE("activity: a machine that shows nothing") {
  FakeMachine machine;
  const Look nothing = look(machine.tree(), {0});
  CHECK(nothing.processes.empty());
  const Activity activity = between(nothing, nothing, 1);
  CHECK_FALSE(activity.busy);
  CHECK(activity.processes.empty());
  CHECK_FALSE(activity.throttled);
  machine.file("/proc/stat", stat("1 0 0 1 0 0 0 0 0 0"));
  const Look still = look(machine.tree(), {0});
  CHECK_FALSE(between(still, still, 1).busy);  // no tick passed
}
