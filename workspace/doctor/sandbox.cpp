#include "inspector/confinement/sandbox.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "inspector/confinement/supervised_run.hpp"
#include "inspector/machine/tree.hpp"
#include "inspector/process/process.hpp"
#include "workspace/doctor/install_command.hpp"
#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"

namespace stackx::workspace {
namespace {

constexpr const char* unconfined =
    "what is measured sees your files and your network: measure only what you would run yourself";

// What a process says of itself that runs where PIs run.
inspector::RunResult look_around(const Context& context, const inspector::Sandbox& sandbox) {
  inspector::SupervisedRun what;
  what.supervisor = context.executable_directory / "stackx-supervise";
  what.argv = {inspector::find_program("cat").string(), "/proc/self/status", "/proc/self/uid_map"};
  what.confinement.memory_bytes = std::uint64_t{64} << 20;
  what.timeout_seconds = 2;
  return inspector::run(what, sandbox);
}

bool says(const std::string& status, const char* key, const char* value) {
  return inspector::value_of(status, key, ':').value_or("") == value;
}

// What holds there, as it was seen from inside.
std::vector<std::string> holds(const std::string& status) {
  std::vector<std::string> result;
  if (says(status, "Seccomp", "2")) result.emplace_back("system calls filtered");
  if (says(status, "CapEff", "0000000000000000")) result.emplace_back("no capabilities");
  if (says(status, "NoNewPrivs", "1")) result.emplace_back("no new privileges");
  const auto users = inspector::value_of(status, "Uid", ':').value_or("");
  if (::geteuid() == 0 && !users.empty() && !users.starts_with("0")) result.emplace_back("another user than root");
  if (status.find("4294967295") == status.npos) result.emplace_back("a user namespace");  // the map of the first namespace
  return result;
}

Finding none_works(const inspector::Sandbox& sandbox) {
  const bool missing = inspector::find_program("bwrap").empty();
  const auto found = brief_words(sandbox.description(), 200);
  if (missing) return {"sandbox", Status::poor, found, unconfined, install_command("bubblewrap")};
  return {"sandbox", Status::poor, found, unconfined,
          "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000; in a container "
          "start that with --security-opt seccomp=unconfined), or upgrade bubblewrap to 0.7 or newer"};
}

}  // namespace

Findings look_at_sandbox(const Context& context) {
  const auto supervisor = context.executable_directory / "stackx-supervise";
  if (inspector::find_program(supervisor.string()).empty())
    return {{"sandbox", Status::unknown, "not tried without stackx-supervise", "", ""}};
  const auto sandbox = inspector::Sandbox::probe(supervisor, moment);
  if (!sandbox.available()) return {none_works(sandbox)};
  std::vector<std::string> all{sandbox.description()};
  if (!inspector::find_program("cat").empty())
    if (const auto seen = look_around(context, sandbox).process.out; !seen.empty())
      for (auto& one : holds(seen)) all.push_back(std::move(one));
  const bool counted = sandbox.has_control_group();
  all.emplace_back(counted ? "memory held by a control group" : "memory counted by the supervisor, no control group");
  return {{"sandbox", Status::ok, fmt::format("{}", fmt::join(all, ", ")), "", ""}};
}

}  // namespace stackx::workspace
