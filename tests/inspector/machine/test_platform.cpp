#include <catch2/catch.hpp>
#include <map>

#include "inspector/machine/platform.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx::inspector;
using stackx::inspector::testing::FakeMachine;

TEST_CASE("the release is read with and without quotes, from either place") {
  const auto release = [](const std::string& path, const std::string& text) {
    FakeMachine machine;
    machine.file(path, text);
    const Release found = read_release(machine.tree());
    return found.id + " " + found.version;
  };
  CHECK(release("/etc/os-release", "NAME=\"x\"\nVERSION_ID=\"12\"\nID=debian\nID_LIKE=none\n") ==
        "debian 12");
  CHECK(release("/usr/lib/os-release", "ID='ubuntu'\nVERSION_ID='24.04'") == "ubuntu 24.04");
  CHECK(release("/etc/os-release", "ID=arch\nBUILD_ID=rolling\n") == "arch rolling");
  CHECK(release("/etc/os-release", "ID=debian\nVERSION_CODENAME=trixie\n") == "debian trixie");
  CHECK(release("/etc/nothing", "") == "unknown unknown");
}

TEST_CASE("governor and clock are those of the CPUs asked about") {
  FakeMachine machine;
  const std::string cpu = "/sys/devices/system/cpu/cpu";
  machine.file(cpu + "0/cpufreq/scaling_governor", "performance\n");
  machine.file(cpu + "1/cpufreq/scaling_governor", "powersave\n");
  machine.file(cpu + "0/cpufreq/cpuinfo_max_freq", "3000000\n");
  machine.file(cpu + "1/cpufreq/cpuinfo_max_freq", "3700500\n");
  CHECK(read_governor(machine.tree(), {0}) == "performance");
  CHECK(read_governor(machine.tree(), {0, 1}) == "performance, powersave");
  CHECK(read_governor(machine.tree(), {2}) == "unknown");
  CHECK(read_max_mhz(machine.tree(), {0}) == 3000.0);
  CHECK(read_max_mhz(machine.tree(), {0, 1}) == 3700.5);
  CHECK_FALSE(read_max_mhz(machine.tree(), {2}));
}

TEST_CASE("turbo: Intel's switch is the other way round") {
  FakeMachine machine;
  CHECK(read_turbo(machine.tree()) == "unknown");
  machine.file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  CHECK(read_turbo(machine.tree()) == "on");
  machine.file("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  CHECK(read_turbo(machine.tree()) == "off");
  machine.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  CHECK(read_turbo(machine.tree()) == "on");
  machine.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  CHECK(read_turbo(machine.tree()) == "off");
}

TEST_CASE("virtualisation: processor flag, CPUID, firmware, in this order") {
  const std::vector<std::string> metal = {"fpu", "sse2"}, guest = {"fpu", "hypervisor", "sse2"},
                                 arm = {"asimd"};
  FakeMachine nothing;
  CHECK(read_virtualization(nothing.tree(), metal, "") == "none");
  CHECK(read_virtualization(nothing.tree(), guest, "") == "hypervisor");
  CHECK(read_virtualization(nothing.tree(), guest, "KVMKVMKVM") == "kvm");
  CHECK(read_virtualization(nothing.tree(), guest, "Microsoft Hv") == "microsoft");
  CHECK(read_virtualization(nothing.tree(), arm, "") == "unknown");

  FakeMachine firmware;
  firmware.file("/sys/class/dmi/id/sys_vendor", "QEMU\n");
  firmware.file("/sys/class/dmi/id/product_name", "Standard PC (Q35 + ICH9, 2009)\n");
  CHECK(read_virtualization(firmware.tree(), guest, "") == "qemu");
  CHECK(read_virtualization(firmware.tree(), guest, "KVMKVMKVM") == "kvm");
  CHECK(read_virtualization(firmware.tree(), arm, "") == "qemu");

  FakeMachine metal_cloud;  // a cloud's bare-metal machine carries the cloud's name
  metal_cloud.file("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  CHECK(read_virtualization(metal_cloud.tree(), metal, "") == "none");

  FakeMachine xen;
  xen.file("/sys/hypervisor/type", "xen\n");
  CHECK(read_virtualization(xen.tree(), metal, "") == "xen");

  FakeMachine server;
  server.file("/sys/class/dmi/id/sys_vendor", "Ampere(R)\n");
  CHECK(read_virtualization(server.tree(), arm, "") == "none");
}

TEST_CASE("the surrounding container leaves marks") {
  const auto container = [](const std::string& path, const std::string& text) {
    FakeMachine machine;
    machine.file(path, text);
    return read_container(machine.tree());
  };
  CHECK(container("/etc/hostname", "x") == "");
  CHECK(container("/.dockerenv", "") == "docker");
  CHECK(container("/run/.containerenv", "engine=podman") == "podman");
  CHECK(container("/proc/self/cgroup", "0::/kubepods.slice/pod1\n") == "kubernetes");
  CHECK(container("/proc/self/cgroup", "4:memory:/docker/0123\n") == "docker");
  CHECK(container("/proc/self/cgroup", "4:memory:/user.slice\n") == "");
}

TEST_CASE("container programs are told by name and version") {
  const std::map<std::string, std::string> printed = {
      {"bwrap", "bubblewrap 0.8.0"},
      {"podman", "podman version 4.3.1"},
      {"docker", "Docker version 20.10.24+dfsg1, build 297e128"},
      {"apptainer", "apptainer version 1.1.9-1.el8"},
      {"runc", "mystery"}};
  const auto runtimes =
      find_runtimes([&](const std::string& program) -> std::optional<std::string> {
        const auto found = printed.find(program);
        return found == printed.end() ? std::nullopt : std::optional(found->second);
      });
  CHECK(runtimes == std::vector<std::string>{"bubblewrap 0.8.0", "podman 4.3.1",
                                             "docker 20.10.24+dfsg1", "runc",
                                             "apptainer 1.1.9-1.el8"});
}

TEST_CASE("a program that is missing or fails has no version") {
  CHECK_FALSE(run_for_version("no-such-program-here"));
  CHECK_FALSE(run_for_version("false"));
  CHECK(run_for_version("true").has_value());
}
