#include "inspector/machine/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <regex>
#include <set>
#include <utility>

#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"

namespace stackx::inspector {
namespace {

using Names = std::pair<const char*, const char*>;

// What a hypervisor calls itself in CPUID leaf 0x40000000.
constexpr std::array<Names, 12> signatures = {{{"KVMKVMKVM", "kvm"},
                                               {"Linux KVM Hv", "kvm"},
                                               {"VMwareVMware", "vmware"},
                                               {"Microsoft Hv", "microsoft"},
                                               {"XenVMMXenVMM", "xen"},
                                               {"TCGTCGTCGTCG", "qemu"},
                                               {"VBoxVBoxVBox", "oracle"},
                                               {"bhyve bhyve", "bhyve"},
                                               {"ACRNACRNACRN", "acrn"},
                                               {"prl hyperv", "parallels"},
                                               {"lrpepyh vr", "parallels"},
                                               {"QNXQVMBSQG", "qnx"}}};

// How firmware tables name virtual machines.
constexpr std::array<Names, 13> firmware = {{{"Amazon EC2", "amazon"},
                                             {"Google Compute Engine", "google"},
                                             {"KVM", "kvm"},
                                             {"QEMU", "qemu"},
                                             {"OpenStack", "kvm"},
                                             {"KubeVirt", "kvm"},
                                             {"VMware", "vmware"},
                                             {"innotek GmbH", "oracle"},
                                             {"VirtualBox", "oracle"},
                                             {"Xen", "xen"},
                                             {"Bochs", "bochs"},
                                             {"Parallels", "parallels"},
                                             {"Virtual Machine", "microsoft"}}};

constexpr std::array<const char*, 5> firmware_files = {"product_name", "sys_vendor", "board_vendor",
                                                       "bios_vendor", "product_version"};

std::string from_firmware(const Tree& tree) {
  for (const char* file : firmware_files) {
    const std::string text = tree.line(std::string("/sys/class/dmi/id/") + file).value_or("");
    for (const auto& [word, name] : firmware)
      if (text.find(word) != std::string::npos) return name;
  }
  const std::string device_tree = tree.text("/proc/device-tree/hypervisor/compatible").value_or("");
  if (device_tree.find("kvm") != std::string::npos) return "kvm";
  if (device_tree.find("xen") != std::string::npos) return "xen";
  return "";
}

std::string from_signature(const std::string& signature) {
  for (const auto& [word, name] : signatures)
    if (signature == word) return name;
  return "";
}

std::string cpufreq(int cpu, const char* file) {
  return fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/{}", cpu, file);
}

std::string unquote(const std::string& text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

Release read_release(const Tree& tree) {
  auto text = tree.text("/etc/os-release");
  if (!text) text = tree.text("/usr/lib/os-release");
  Release release{"unknown", "unknown"};
  if (!text) return release;
  if (const auto id = value_of(*text, "ID", '=')) release.id = unquote(*id);
  for (const char* key :
       {"VERSION_ID", "BUILD_ID", "VERSION_CODENAME"})  // rolling releases have no VERSION_ID
    if (const auto version = value_of(*text, key, '=')) {
      release.version = unquote(*version);
      break;
    }
  return release;
}

std::string read_governor(const Tree& tree, const std::vector<int>& cpus) {
  std::set<std::string> governors;
  for (const int cpu : cpus)
    if (const auto governor = tree.line(cpufreq(cpu, "scaling_governor")))
      governors.insert(*governor);
  return governors.empty() ? "unknown" : fmt::format("{}", fmt::join(governors, ", "));
}

std::optional<double> read_max_mhz(const Tree& tree, const std::vector<int>& cpus) {
  std::optional<double> highest;
  for (const int cpu : cpus)
    if (const auto khz = tree.number(cpufreq(cpu, "cpuinfo_max_freq")))
      highest = std::max(highest.value_or(0), static_cast<double>(*khz) / 1000);
  return highest;
}

std::string read_turbo(const Tree& tree) {
  if (const auto off = tree.number("/sys/devices/system/cpu/intel_pstate/no_turbo"))
    return *off == 0 ? "on" : "off";
  if (const auto on = tree.number("/sys/devices/system/cpu/cpufreq/boost"))
    return *on == 0 ? "off" : "on";
  return "unknown";
}

std::string read_virtualization(const Tree& tree, const std::vector<std::string>& isa,
                                const std::string& signature) {
  const bool x86 = std::ranges::find(isa, "fpu") != isa.end();
  const bool flagged = std::ranges::find(isa, "hypervisor") != isa.end();
  const std::string hypervisor = tree.line("/sys/hypervisor/type").value_or("");
  if (x86 && !flagged && hypervisor.empty())
    return "none";  // firmware names clouds on their bare metal as well
  for (const std::string& name : {from_signature(signature), from_firmware(tree), hypervisor})
    if (!name.empty()) return name;
  if (flagged) return "hypervisor";
  return tree.exists("/sys/class/dmi/id/sys_vendor") ? "none" : "unknown";
}

std::string read_container(const Tree& tree) {
  const std::string group = tree.text("/proc/self/cgroup").value_or("");
  if (group.find("kubepods") != std::string::npos || tree.exists("/var/run/secrets/kubernetes.io"))
    return "kubernetes";
  if (tree.exists("/run/.containerenv")) return "podman";
  if (tree.exists("/.dockerenv") || group.find("/docker/") != std::string::npos) return "docker";
  if (tree.exists("/.singularity.d")) return "apptainer";
  if (tree.exists("/dev/.lxc") || group.find("/lxc/") != std::string::npos) return "lxc";
  return "";
}

std::optional<std::string> run_for_version(const std::string& program) {
  if (find_program(program).empty()) return std::nullopt;
  Command command;
  command.argv = {program, "--version"};
  command.environment = tool_environment();
  command.deadline = std::chrono::seconds(5);
  command.stdout_limit = command.stderr_limit = 1 << 16;
  const Finished finished = run(command);
  if (!finished.ok()) return std::nullopt;
  return trim(finished.out.substr(0, finished.out.find('\n')));
}

std::vector<std::string> find_runtimes(const VersionText& version_text) {
  constexpr std::array<Names, 8> programs = {{{"bwrap", "bubblewrap"},
                                              {"podman", "podman"},
                                              {"docker", "docker"},
                                              {"runc", "runc"},
                                              {"crun", "crun"},
                                              {"apptainer", "apptainer"},
                                              {"singularity", "singularity"},
                                              {"nerdctl", "nerdctl"}}};
  static const std::regex number(R"([0-9]+(\.[0-9]+)+[0-9A-Za-z.+~-]*)");
  std::vector<std::string> runtimes;
  for (const auto& [program, name] : programs) {
    const auto text = version_text(program);
    if (!text) continue;
    std::smatch match;
    runtimes.push_back(
        std::regex_search(*text, match, number) ? fmt::format("{} {}", name, match.str()) : name);
  }
  return runtimes;
}

}  // namespace stackx::inspector
