// What surrounds the processor: operating system, frequency policy, virtualisation, container,
// container programs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inspector/machine/tree.hpp"

namespace stackx::inspector {

struct Release {
  std::string id, version;  // "debian", "12"; "unknown" if not shown
};
Release read_release(const Tree& tree);

// Of these CPUs (topology's): the governor, "a, b" where they differ, "unknown" without cpufreq;
// the highest MHz.
std::string read_governor(const Tree& tree, const std::vector<int>& cpus);
std::optional<double> read_max_mhz(const Tree& tree, const std::vector<int>& cpus);
std::string read_turbo(const Tree& tree);  // "on", "off", "unknown"

// "kvm", "vmware", ... as systemd-detect-virt names them; "none" on hardware; "hypervisor" if there
// is one that does not say which; "unknown" if nothing tells. `isa` are the processor's flags,
// `signature` what CPUID calls the hypervisor.
std::string read_virtualization(const Tree& tree, const std::vector<std::string>& isa,
                                const std::string& signature);

// "docker", "podman", "kubernetes", "lxc"; empty if none is seen.
std::string read_container(const Tree& tree);

// First line that `program --version` prints; nothing if the program is missing or fails.
using VersionText = std::function<std::optional<std::string>(const std::string& program)>;
std::optional<std::string> run_for_version(const std::string& program);

// Programs that can isolate or contain a run here: "bubblewrap 0.8.0", "podman 4.3.1"; without a
// version if it prints none that can be told.
std::vector<std::string> find_runtimes(const VersionText& version_text);

}  // namespace stackx::inspector
