#include <catch2/catch.hpp>

#include "inspector/machine/cgroup.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx::inspector;
using stackx::inspector::testing::FakeMachine;

namespace {

const std::string v2_mount =
    "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
const std::string v1_mounts =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "36 31 0:33 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

}  // namespace

TEST_CASE("cgroup v2: the smallest limit on the way up counts") {
  FakeMachine machine;
  machine.file("/proc/self/cgroup", "0::/slurm/job7/step0\n");
  machine.file("/proc/self/mountinfo", v2_mount);
  machine.file("/sys/fs/cgroup/slurm/cpu.max", "max 100000\n");
  machine.file("/sys/fs/cgroup/slurm/memory.max", "8589934592\n");
  machine.file("/sys/fs/cgroup/slurm/job7/cpu.max", "250000 100000\n");
  machine.file("/sys/fs/cgroup/slurm/job7/memory.max", "max\n");
  machine.file("/sys/fs/cgroup/slurm/job7/step0/cpu.max", "800000 200000\n");
  machine.file("/sys/fs/cgroup/slurm/job7/step0/memory.max", "17179869184\n");
  const Limits limits = read_limits(machine.tree());
  CHECK(limits.cpus == 2.5);
  CHECK(limits.memory_bytes == 8589934592ULL);
}

TEST_CASE("cgroup v1: a container sees its group under another name") {
  FakeMachine machine;
  machine.file("/proc/self/cgroup",
               "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc/inner\n0::/\n");
  machine.file("/proc/self/mountinfo", v1_mounts);
  machine.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  machine.file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  machine.file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  machine.file("/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "50000\n");
  machine.file("/sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
  const Limits limits = read_limits(machine.tree());
  CHECK(limits.cpus == 0.5);
  CHECK(limits.memory_bytes == 1073741824ULL);
}

TEST_CASE("no limit: the kernel's largest number, max, -1, or no file") {
  FakeMachine machine;
  CHECK_FALSE(read_limits(machine.tree()).cpus);
  machine.file("/proc/self/cgroup", "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n");
  machine.file("/proc/self/mountinfo", v1_mounts);
  machine.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  machine.file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  machine.file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CHECK_FALSE(read_limits(machine.tree()).cpus);
  CHECK_FALSE(read_limits(machine.tree()).memory_bytes);
}

TEST_CASE("names of another namespace, odd mounts and garbage give the mount point or nothing") {
  FakeMachine machine;
  machine.file("/proc/self/cgroup", "0::/../../sibling\n");
  machine.file("/proc/self/mountinfo", "35 24 0:30 /.. /mnt/c\\040group rw - cgroup2 cgroup2 rw\n");
  machine.file("/mnt/c group/cpu.max", "300000 100000\n");
  CHECK(read_limits(machine.tree()).cpus == 3.0);
  for (const char* text : {"100000 0\n", "x y\n", "100000\n", "", "-1 100000\n"}) {
    INFO(text);
    machine.file("/mnt/c group/cpu.max", text);
    CHECK_FALSE(read_limits(machine.tree()).cpus);
  }
  machine.file("/proc/self/cgroup", "nonsense\n0:\n0::relative\n");
  CHECK_FALSE(read_limits(machine.tree()).cpus);
  machine.file("/proc/self/mountinfo", "1 2 3 - x\n - - -\ncgroup2\n");
  CHECK_FALSE(read_limits(machine.tree()).cpus);
}

TEST_CASE("throttling is told of the group that ran out most often") {
  FakeMachine machine;
  CHECK_FALSE(read_throttling(machine.tree()));
  machine.file("/proc/self/cgroup", "0::/slurm/job7\n");
  machine.file("/proc/self/mountinfo", v2_mount);
  machine.file("/sys/fs/cgroup/slurm/cpu.stat", "usage_usec 900\n");  // no controller there
  CHECK_FALSE(read_throttling(machine.tree()));
  machine.file("/sys/fs/cgroup/slurm/cpu.stat",
               "usage_usec 900\nnr_periods 50\nnr_throttled 8\nthrottled_usec 77\n");
  machine.file("/sys/fs/cgroup/slurm/job7/cpu.stat", "nr_periods 40\nnr_throttled 3\n");
  REQUIRE(read_throttling(machine.tree()));
  CHECK(read_throttling(machine.tree())->throttled == 8);
  CHECK(read_throttling(machine.tree())->periods == 50);
  machine.file("/proc/self/cgroup", "2:cpu,cpuacct:/docker/abc\n");
  machine.file("/proc/self/mountinfo", v1_mounts);
  machine.file("/sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 4\nnr_throttled 1\n");
  CHECK(read_throttling(machine.tree())->throttled == 1);
}
