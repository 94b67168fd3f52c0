#include "inspector/machine/noise/noise.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "inspector/machine/cpu.hpp"
#include "inspector/machine/noise/checks.hpp"
#include "inspector/machine/platform.hpp"
#include "inspector/process/placement.hpp"

namespace stackx::inspector {
namespace {

constexpr std::chrono::milliseconds between_looks{300};

std::vector<std::string> processor_flags(const Tree& tree) {
  const auto text = tree.text("/proc/cpuinfo").value_or("");
  return words(value_of(text, "flags", ':').value_or(""));
}

Scene observe(const NoiseSources& sources, const std::vector<int>& cpus) {
  Scene scene;
  scene.tree = Tree(sources.root);
  scene.cpus = cpus;
  scene.allowed = parse_cpu_list(
      value_of(scene.tree.text("/proc/self/status").value_or(""), "Cpus_allowed_list", ':')
          .value_or(""));
  scene.virtualization =
      read_virtualization(scene.tree, processor_flags(scene.tree), sources.hypervisor);
  scene.contained = !read_container(scene.tree).empty();
  const Look before = look(scene.tree, cpus);
  if (sources.wait)
    sources.wait();
  else
    std::this_thread::sleep_for(between_looks);
  scene.now = look(scene.tree, cpus);
  scene.processors = scene.now.processors;
  scene.activity = between(before, scene.now, ::getpid());
  return scene;
}

// CPUs that an inspection of this arm is given; 0: all. A setting `threads` has its number for a
// version.
std::size_t cpus_of(const specs::Arm& arm) {
  for (const auto* named : {&arm.workload.params, &arm.stack.components})
    if (const auto threads = named->find("threads"); threads != named->end())
      return static_cast<std::size_t>(parse_unsigned(threads->second).value_or(0));
  return 0;
}

std::size_t count(const NoiseReport& report, NoiseVerdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(report.findings, verdict, &Finding::verdict));
}

}  // namespace

const char* to_string(NoiseVerdict verdict) {
  switch (verdict) {
    case NoiseVerdict::good:
      return "good";
    case NoiseVerdict::noisy:
      return "noisy";
    case NoiseVerdict::unknown:
      return "unknown";
  }
  return "";
}

NoiseReport look_for_noise(const NoiseSources& sources, const std::vector<int>& cpus) {
  const Scene scene = observe(sources, cpus);
  NoiseReport report{cpus, {}};
  for (const auto check : {check_load, check_others, check_steal, check_virtualization,
                           check_governor, check_turbo, check_siblings, check_cpu_set, check_quota,
                           check_memory, check_swap, check_numa_balancing, check_huge_pages})
    report.findings.push_back(check(scene));
  for (const auto check : {check_heat, check_battery})
    if (auto finding = check(scene)) report.findings.push_back(std::move(*finding));
  return report;
}

NoiseReport look_for_noise(std::size_t threads) {
  NoiseSources sources;
  sources.hypervisor = hypervisor_signature();
  return look_for_noise(sources, place(usable_processors(), threads));
}

NoiseReport look_for_noise(const specs::Plan& plan) {
  if (plan.campaign.cpus > 0) return look_for_noise(plan.campaign.cpus);
  std::size_t most = 1;
  for (const auto& arm : plan.arms) {
    const auto cpus = cpus_of(arm);
    if (cpus == 0) return look_for_noise(std::size_t{0});
    most = std::max(most, cpus);
  }
  return look_for_noise(most);
}

nlohmann::json to_json(const NoiseReport& report) {
  auto findings = nlohmann::json::array();
  for (const auto& finding : report.findings) {
    nlohmann::json json = {
        {"what", finding.what}, {"found", finding.found}, {"verdict", to_string(finding.verdict)}};
    if (!finding.advice.empty()) json["advice"] = finding.advice;
    findings.push_back(std::move(json));
  }
  return {{"cpus", report.cpus},
          {"findings", findings},
          {"good", count(report, NoiseVerdict::good)},
          {"noisy", count(report, NoiseVerdict::noisy)},
          {"unknown", count(report, NoiseVerdict::unknown)}};
}

std::string tally(const NoiseReport& report) {
  return fmt::format("{} of {} checks good, {} noisy, {} unknown; for inspections on CPU {}", count(report, NoiseVerdict::good),
                     report.findings.size(), count(report, NoiseVerdict::noisy), count(report, NoiseVerdict::unknown),
                     cpu_list(report.cpus));
}

std::string summary(const NoiseReport& report) {
  std::string text;
  for (const auto& finding : report.findings)
    if (finding.verdict == NoiseVerdict::noisy)
      text += fmt::format("noise: {}: {}\n", finding.what, finding.found);
  return text + fmt::format(
                    "noise: {} of {} checks quiet; `stackx hw noise` shows all, and what to "
                    "change\n",
                    count(report, NoiseVerdict::good), report.findings.size());
}

}  // namespace stackx::inspector
