#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/text/words.hpp"
#include "inspector/machine/tree.hpp"
#include "inspector/process/passed_environment.hpp"
#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"

namespace stackx::workspace {
namespace {

constexpr const char* no_batch = "no batch script can be handed in from here";
constexpr const char* no_pods = "no pod can be started from here";

// What a cluster's own tools need of the environment (logins of a cloud, proxies, SLURM_CONF) nobody can list: all of it,
// as they would have from a shell.
Answer ask_cluster(const std::vector<std::string>& argv) { return ask(argv, inspector::installer_environment()); }

// Slurm's programs without a slurm.conf look for the controller in the DNS, and end when there is none; even --version.
bool is_unconfigured(const std::string& said) {
  return said.find("resolve_ctls_from_dns_srv") != said.npos || said.find("configuration source") != said.npos;
}

std::string partitions(const std::string& told) {
  std::vector<std::string> names;
  for (auto& name : inspector::words(told, "\n"))
    if (names.size() < 100 && std::ranges::find(names, name) == names.end()) names.push_back(name);
  constexpr std::size_t most = 5;
  std::string text = analysis::counted(names.size(), "partition");
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) text += (i == 0 ? ": " : ", ") + brief_words(names[i], 30);
  return text + (names.size() > most ? ", ..." : "");
}

// Its server's version, of {"gitVersion": "v1.30.2", ...}.
std::string server_version(const std::string& told) {
  const auto document = nlohmann::json::parse(told, nullptr, false);
  if (!document.is_object() || !document.contains("gitVersion") || !document["gitVersion"].is_string()) return "";
  return brief_words(document["gitVersion"].get<std::string>(), 40);
}

}  // namespace

Findings look_at_slurm() {
  const auto version = ask_cluster({"sinfo", "--version"});
  if (!version.there) return {{"Slurm", Status::none, "no sinfo here", "", ""}};
  if (!version.ok && is_unconfigured(version.why)) return {{"Slurm", Status::none, "sinfo, and no cluster that it is to ask (no slurm.conf)", "", ""}};
  if (!version.ok)
    return {{"Slurm", Status::poor, "sinfo does not run: " + version.why, no_batch, "sinfo --version"}};
  const auto told = version_in(version.text);
  const auto name = told.empty() ? "Slurm of an unknown version" : "Slurm " + told;
  const auto answer = ask_cluster({"sinfo", "--noheader", "--format=%R"});
  if (!answer.ok)
    return {{"Slurm", Status::poor, fmt::format("{}; its controller does not answer: {}", name, answer.why),
             no_batch, "scontrol ping"}};
  const auto batch = inspector::find_program("sbatch").empty() ? "; no sbatch" : "";
  return {{"Slurm", Status::ok, fmt::format("{}, {}{}", name, partitions(answer.text), batch), "", ""}};
}

// kubectl is asked for what needs no discovery, which it would write into a cache of its own.
Findings look_at_kubernetes() {
  const auto context = ask_cluster({"kubectl", "config", "current-context"});
  if (!context.there) return {{"Kubernetes", Status::none, "no kubectl here", "", ""}};
  const auto name = brief_words(context.text, 60);
  if (!context.ok || name.empty()) {
    const bool unset = context.why.find("current-context is not set") != std::string::npos || context.why.empty();
    if (unset) return {{"Kubernetes", Status::none, "kubectl, and no cluster that it is to use (no current context)", "", ""}};
    return {{"Kubernetes", Status::poor, "kubectl does not run: " + context.why, no_pods, "kubectl config current-context"}};
  }
  const auto answer = ask_cluster({"kubectl", "--request-timeout=2s", "get", "--raw", "/version"});
  if (!answer.ok)
    return {{"Kubernetes", Status::poor, fmt::format("context {}: the cluster does not answer: {}", name, answer.why),
             no_pods, "kubectl cluster-info"}};
  const auto version = server_version(answer.text);
  if (version.empty())
    return {{"Kubernetes", Status::poor, fmt::format("context {}: what answers is no Kubernetes", name), no_pods, "kubectl cluster-info"}};
  return {{"Kubernetes", Status::ok, fmt::format("context {}, Kubernetes {}", name, version), "", ""}};
}

}  // namespace stackx::workspace
