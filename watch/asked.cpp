#include "watch/asked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "inspector/discover/python_environments.hpp"
#include "inspector/python/interpreters.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/project/is_project.hpp"
#include "specs/python/project.hpp"
#include "workspace/asked_workload.hpp"
#include "workspace/plain_program.hpp"

namespace stackx::watch {
namespace {

namespace fs = std::filesystem;

// "bench" of ./bench.py --batch 8.
std::string workload_name_of(const specs::PiProgram& program) {
  auto name = fs::path(program.path).stem().string();
  if (specs::is_sha256(name)) name = "script-" + name.substr(0, 12);  // of python -c and -m
  for (auto& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '-';
  return name;
}

void name_plain_program(const WatchOptions& options, Subject& subject) {
  subject.program = workspace::plain_program(options.pi, options.files, options.prints);
  subject.workload = {workload_name_of(*subject.program), {}, subject.program->identity()};
  if (!subject.program->arguments.empty())
    subject.workload.params["arguments"] = fmt::format("{}", fmt::join(subject.program->arguments, " "));
}

// A workload of stackx's own is told which of the project's packages computes.
void name_framework(const specs::PythonProject& project, const std::string& asked, specs::Workload& workload) {
  if (workload.params.contains("framework")) return;
  for (const auto* framework : {"torch", "tensorflow", "jax", "onnxruntime", "mxnet", "numpy"})
    for (const auto& one : project.dependencies)
      if (inspector::framework_of(one.dependency.name) == framework) {
        workload.params["framework"] = framework;
        return;
      }
  throw bad_input(fmt::format("--workload {}: {} asks for no framework that stackx's PIs measure; name a program of your own with --pi",
                              asked, project.file.string()));
}

Subject of_python_project(const WatchOptions& options, const workspace::Context& context) {
  const auto project = specs::read_python_project(options.project, {});
  if (options.pi.empty() == options.workload.empty())
    throw bad_input(fmt::format("{}: a Python project does not say what is measured: expected one of --pi COMMAND (a program of your own) and "
                                "--workload NAME[:KEY=VALUE,...] (`stackx workload list`)",
                                options.project.string()));
  if (options.runner == "container")
    throw bad_input("--runner container: needs a base image, which a Python project does not name; watch a project of stackx that does (docs/inspect.md)");
  Subject subject{project.name, {}, std::nullopt, options.device};
  if (!options.pi.empty()) {
    name_plain_program(options, subject);
    return subject;
  }
  subject.workload = workspace::workload_to_measure(options.workload, context);
  name_framework(project, options.workload, subject.workload);
  return subject;
}

specs::Workload chosen_workload(const WatchOptions& options, std::vector<specs::Workload> workloads, const workspace::Context& context) {
  if (!options.workload.empty()) {
    const auto wanted = workspace::workload_to_measure(options.workload, context);
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
    name_plain_program(options, subject);
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

std::string python_of(const WatchOptions& options) {
  if (!options.python.empty()) return options.python;
  const auto here = inspector::ask_interpreter("/usr/bin/python3");
  const auto all = here ? std::vector{*here} : inspector::find_interpreters();
  const auto version = all.empty() ? std::string("3.12") : all.front().version;
  return version.substr(0, version.find('.', version.find('.') + 1));
}

}  // namespace stackx::watch
