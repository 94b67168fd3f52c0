#include "tests/inspector/fake_machine.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <stdexcept>

namespace stackx::inspector::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* cpu_root = "/sys/devices/system/cpu";

// "00000000,0000000f", the way the kernel prints masks.
std::string mask(int threads, const std::function<bool(int)>& in) {
  std::string text;
  for (int word = (threads - 1) / 32; word >= 0; --word) {
    unsigned bits = 0;
    for (int bit = 0; bit < 32; ++bit)
      if (word * 32 + bit < threads && in(word * 32 + bit)) bits |= 1U << bit;
    text += fmt::format("{}{:08x}", text.empty() ? "" : ",", bits);
  }
  return text + "\n";
}

struct Place {
  int package, node, core;  // core counts through the machine
};

Place place(const Shape& shape, int thread) {
  const int core = thread % shape.cores();
  const int package = core / shape.cores_per_package;
  const int within = core % shape.cores_per_package;
  return {package,
          package * shape.nodes_per_package +
              within * shape.nodes_per_package / shape.cores_per_package,
          core};
}

}  // namespace

FakeMachine::FakeMachine() {
  // Hundreds of tiny files: in memory where possible.
  const fs::path parent =
      access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path();
  std::string name = (parent / "stackx-machine-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
  root_ = name;
}

FakeMachine::~FakeMachine() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void FakeMachine::file(const std::string& path, const std::string& content) {
  const fs::path place = root_ / fs::path(path).relative_path();
  if (place.parent_path() != last_directory_) fs::create_directories(place.parent_path());
  last_directory_ = place.parent_path();
  std::ofstream(place) << content;
}

void FakeMachine::topology(const Shape& shape) {
  const std::string all = fmt::format("0-{}\n", shape.threads() - 1);
  for (const char* name : {"online", "possible", "present"})
    file(fmt::format("{}/{}", cpu_root, name), all);
  const auto share = [&](const std::function<bool(const Place&)>& in) {
    return mask(shape.threads(), [&](int thread) { return in(place(shape, thread)); });
  };
  for (int thread = 0; thread < shape.threads(); ++thread) {
    const std::string directory = fmt::format("{}/cpu{}/", cpu_root, thread);
    const Place own = place(shape, thread);
    const std::string core = share([&](const Place& p) { return p.core == own.core; });
    const std::string package = share([&](const Place& p) { return p.package == own.package; });
    file(directory + "topology/core_cpus", core);
    file(directory + "topology/package_cpus", package);
    file(directory + "topology/physical_package_id", fmt::format("{}\n", own.package));
    file(directory + "topology/core_id", fmt::format("{}\n", own.core % shape.cores_per_package));
    int index = 0;
    for (const FakeCache& cache : shape.caches) {
      const std::string entry = fmt::format("{}cache/index{}/", directory, index++);
      file(entry + "level", fmt::format("{}\n", cache.level));
      file(entry + "type", cache.type + "\n");
      file(entry + "size", cache.size + "\n");
      file(entry + "shared_cpu_map", share([&](const Place& p) {
             return p.core / cache.shared_by_cores == own.core / cache.shared_by_cores;
           }));
    }
  }
  const int nodes = shape.packages * shape.nodes_per_package;
  file("/sys/devices/system/node/online", nodes == 1 ? "0\n" : fmt::format("0-{}\n", nodes - 1));
  for (int node = 0; node < nodes; ++node) {
    const std::string directory = fmt::format("/sys/devices/system/node/node{}/", node);
    file(directory + "cpumap", share([&](const Place& p) { return p.node == node; }));
    file(directory + "meminfo", fmt::format("Node {} MemTotal:       131072000 kB\n", node));
  }
}

void FakeMachine::cpufreq(const Shape& shape, const std::string& governor, int max_khz) {
  for (int thread = 0; thread < shape.threads(); ++thread) {
    const std::string directory = fmt::format("{}/cpu{}/cpufreq/", cpu_root, thread);
    file(directory + "scaling_governor", governor + "\n");
    file(directory + "cpuinfo_max_freq", fmt::format("{}\n", max_khz));
  }
}

void FakeMachine::allow(const std::string& cpu_list) {
  file("/proc/self/status",
       "Name:\tstackx\nCpus_allowed:\tff\nCpus_allowed_list:\t" + cpu_list + "\n");
}

std::string repeat_cpuinfo(const std::string& block, int threads) {
  std::string text;
  for (int thread = 0; thread < threads; ++thread)
    text += fmt::format("processor\t: {}\n{}\n", thread, block);
  return text;
}

const char* const zen3_cpuinfo =
    "vendor_id\t: AuthenticAMD\n"
    "cpu family\t: 25\n"
    "model\t\t: 1\n"
    "model name\t: AMD EPYC 72F3 8-Core Processor               \n"
    "stepping\t: 1\n"
    "microcode\t: 0xa0011d1\n"
    "cpu MHz\t\t: 3000.000\n"
    "fpu\t\t: yes\n"
    "flags\t\t: fpu vme de pse tsc msr sse sse2 ht syscall nx lm constant_tsc pni ssse3 fma cx16 "
    "sse4_1 sse4_2 "
    "popcnt aes xsave avx f16c rdrand abm sse4a bmi1 avx2 bmi2 erms rdseed adx clflushopt clwb "
    "sha_ni xsaves clzero "
    "vaes vpclmulqdq rdpid\n"
    "bugs\t\t: sysret_ss_attrs spectre_v1 spectre_v2\n"
    "TLB size\t: 2560 4K pages\n"
    "power management: ts ttp tm hwpstate cpb eff_freq_ro [13] [14]\n";

const char* const emerald_vm_cpuinfo =
    "vendor_id\t: GenuineIntel\n"
    "cpu family\t: 6\n"
    "model\t\t: 207\n"
    "model name\t: Intel(R) Xeon(R) Processor\n"
    "stepping\t: 2\n"
    "cpu MHz\t\t: 2300.000\n"
    "flags\t\t: fpu sse sse2 ht lm pni ssse3 fma sse4_1 sse4_2 avx f16c hypervisor avx2 bmi2 "
    "avx512f avx512dq "
    "avx512cd avx512bw avx512vl avx_vnni avx512_bf16 avx512_vnni avx512_fp16\n";

const char* const cascade_cpuinfo =
    "vendor_id\t: GenuineIntel\n"
    "cpu family\t: 6\n"
    "model\t\t: 85\n"
    "model name\t: Intel(R) Xeon(R) Platinum 8260L CPU @ 2.40GHz\n"
    "stepping\t: 7\n"
    "flags\t\t: fpu sse sse2 avx avx2 fma avx512f avx512_vnni\n";

const char* const neoverse_cpuinfo =
    "BogoMIPS\t: 243.75\n"
    "Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm "
    "lrcpc dcpop asimddp ssbs\n"
    "CPU implementer\t: 0x41\n"
    "CPU architecture: 8\n"
    "CPU variant\t: 0x3\n"
    "CPU part\t: 0xd0c\n"
    "CPU revision\t: 1\n";

Shape zen3_server(FakeMachine& machine) {
  const Shape shape{2,
                    1,
                    8,
                    2,
                    {{1, "Data", "32K", 1},
                     {1, "Instruction", "32K", 1},
                     {2, "Unified", "512K", 1},
                     {3, "Unified", "32768K", 1}}};
  machine.file("/proc/cpuinfo", repeat_cpuinfo(zen3_cpuinfo, shape.threads()));
  machine.file("/proc/meminfo", "MemTotal:       263855716 kB\nMemFree:        250000000 kB\n");
  machine.file("/proc/self/cgroup", "0::/user.slice/user-1000.slice/session-3.scope\n");
  machine.file("/proc/self/mountinfo",
               "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  machine.file("/proc/sys/kernel/hostname", "node17\n");
  machine.file("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  machine.file("/etc/os-release",
               "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n");
  machine.file("/sys/class/dmi/id/sys_vendor", "Supermicro\n");
  machine.file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  machine.topology(shape);
  machine.cpufreq(shape, "performance", 4100000);
  machine.allow(fmt::format("0-{}", shape.threads() - 1));
  return shape;
}

Shape intel_vm(FakeMachine& machine) {
  const Shape shape{1,
                    1,
                    2,
                    1,
                    {{1, "Data", "48K", 1},
                     {1, "Instruction", "32K", 1},
                     {2, "Unified", "2048K", 1},
                     {3, "Unified", "266240K", 2}}};
  machine.file("/proc/cpuinfo", repeat_cpuinfo(emerald_vm_cpuinfo, shape.threads()));
  machine.file("/proc/meminfo", "MemTotal:       24684092 kB\n");
  machine.file("/proc/sys/kernel/hostname", "vm\n");
  machine.file("/proc/sys/kernel/osrelease", "6.18.44\n");
  machine.file("/etc/os-release", "ID=ubuntu\nVERSION_ID='24.04'\n");
  machine.topology(shape);
  return shape;
}

Shape neoverse(FakeMachine& machine) {
  const Shape shape{1,
                    1,
                    4,
                    1,
                    {{1, "Data", "64K", 1},
                     {1, "Instruction", "64K", 1},
                     {2, "Unified", "1024K", 1},
                     {3, "Unified", "32768K", 4}}};
  machine.file("/proc/cpuinfo", repeat_cpuinfo(neoverse_cpuinfo, shape.threads()));
  machine.file("/proc/meminfo", "MemTotal:       16073156 kB\n");
  machine.file("/usr/lib/os-release", "ID=\"amzn\"\nVERSION_ID=\"2023\"\n");
  machine.file("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  machine.file("/sys/class/dmi/id/product_name", "m6g.xlarge\n");
  machine.topology(shape);
  return shape;
}

Shape container(FakeMachine& machine) {
  const Shape shape = zen3_server(machine);
  machine.file("/proc/self/cgroup", "0::/\n");
  const std::string mount =
      "612 600 0:30 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n";
  machine.file("/proc/self/mountinfo", mount);
  machine.file("/proc/mounts", "cgroup /sys/fs/cgroup cgroup2 ro,nosuid,nsdelegate 0 0\n");
  machine.file("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory pids\n");
  machine.file("/sys/fs/cgroup/cpuset.cpus.effective", "2-3\n");
  machine.file("/sys/fs/cgroup/cpuset.mems.effective", "0-1\n");
  machine.file("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  machine.file("/sys/fs/cgroup/memory.max", "2147483648\n");
  machine.file("/run/.containerenv", "");
  machine.allow("2-3");
  return shape;
}

}  // namespace stackx::inspector::testing
