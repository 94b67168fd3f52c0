#include "watch/asked.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "campaigns/cluster/head/asked_project.hpp"
#include "campaigns/python_project.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/project/is_project.hpp"
#include "specs/python/project.hpp"
#include "watch/cluster_target.hpp"
#include "workspace/asked/plain_program.hpp"
#include "workspace/asked/workload.hpp"

namespace stackx::watch {
namespace {

namespace cluster = campaigns::cluster;

void name_plain_program(const WatchOptions& options, const std::string& device, Subject& subject) {
  subject.program = workspace::plain_program(options.pi, options.files, options.prints);
  subject.workload = campaigns::plain_workload(*subject.program, device);
}

Subject on_nodes(const WatchOptions& options, const specs::PythonProject& project, const workspace::Context& context) {
  const auto target = cluster_target(options);
  Subject subject{project.name, {}, std::nullopt, {}};
  if (options.pi.empty())
    subject.workload = campaigns::asked_framework(project, options.workload, context);
  else
    name_plain_program(options, {}, subject);
  const bool on_gpus = cluster::computes_on_gpus(project, subject.workload, subject.program);
  const auto hardware = target.model == "host" ? cluster::hardware_here(on_gpus, context)
                                               : cluster::target_hardware(target, true, "--cluster", context);
  subject.workload = cluster::workload_on(hardware, std::move(subject.workload), on_gpus);
  return subject;
}

Subject of_python_project(const WatchOptions& options, const workspace::Context& context) {
  const auto project = specs::read_python_project(options.project, {});
  campaigns::check_measured(options.workload, options.pi, options.runner);
  if (options.cluster) return on_nodes(options, project, context);
  Subject subject{project.name, {}, std::nullopt, options.device};
  if (!options.pi.empty()) {
    name_plain_program(options, options.device, subject);
    return subject;
  }
  subject.workload = campaigns::framework_workload(project, options.workload, options.device, context);
  return subject;
}

specs::Workload chosen_workload(const WatchOptions& options, std::vector<specs::Workload> workloads, const workspace::Context& context) {
  if (!options.workload.empty()) {
    const auto is_there = [&](const auto& name) { return std::ranges::find(workloads, name, &specs::Workload::pi) != workloads.end(); };
    const auto wanted = workspace::workload_to_measure(options.workload, context, is_there);
    if (workloads.empty()) return wanted;
    std::erase_if(workloads, [&](const auto& one) { return !wanted.matches(one); });
    if (workloads.empty()) throw bad_input(fmt::format("--workload {}: {} names no such workload", options.workload, options.project.string()));
  }
  if (workloads.size() == 1) return workloads.front();
  throw bad_input(workloads.empty() ? fmt::format("{}: says no workload: what is to be measured? --workload NAME[:KEY=VALUE,...] (`stackx workload list`)",
                                                  options.project.string())
                                    : fmt::format("{}: names {} workloads, and a stack may be faster at one and slower at another; say which: "
                                                  "--workload {}",
                                                  options.project.string(), workloads.size(), workloads.front().text()));
}

Subject of_project(const WatchOptions& options, const workspace::Context& context) {
  const auto document = specs::Node::parse_file(options.project);
  document.schema("stackx/project/1");
  std::vector<specs::Workload> workloads;
  if (const auto node = document.find("workload")) workloads = specs::expand_workloads(*node);
  Subject subject{document.at("name").nonempty(), {}, std::nullopt, options.device};
  if (!options.pi.empty() && workloads.empty() && options.workload.empty()) {
    name_plain_program(options, {}, subject);  // a project's stacks say whether they use a GPU
    return subject;
  }
  if (!options.files.empty()) throw bad_input("--files: shows a directory to a plain program, and this project says its workload itself");
  subject.workload = chosen_workload(options, std::move(workloads), context);
  if (options.pi.empty()) return subject;
  subject.program = specs::foreign_program(options.pi);
  subject.workload.program = subject.program->identity();
  return subject;
}

}  // namespace

Subject subject_of(const WatchOptions& options, const workspace::Context& context) {
  specs::check_is_project(options.project);
  if (options.pi.empty() && !options.files.empty()) throw bad_input("--files: shows a directory to the program of --pi; add that");
  return specs::is_python_project(options.project) ? of_python_project(options, context) : of_project(options, context);
}

}  // namespace stackx::watch
