#include "campaigns/python_project.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "campaigns/thoth/python.hpp"
#include "inspector/discover/python_environments.hpp"
#include "inspector/paths.hpp"
#include "inspector/python/interpreters.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/project/own_pis.hpp"
#include "workspace/asked/workload.hpp"
#include "workspace/files/kept_file.hpp"
#include "workspace/index/index_catalog.hpp"
#include "workspace/index/pip_index.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::campaigns {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of(const specs::PythonProject& project) {
  std::map<std::string, std::size_t> times;
  for (const auto& one : project.dependencies) ++times[one.dependency.name];
  std::vector<std::string> names;
  for (const auto& one : project.dependencies) {
    auto dependency = one.dependency;
    if (times[dependency.name] > 1) dependency.versions = specs::SpecifierSet();
    if (auto text = dependency.text(); std::ranges::find(names, text) == names.end()) names.push_back(std::move(text));
  }
  return names;
}

// What asks for the framework.
std::vector<specs::Dependency> lines_of(const specs::PythonProject& project, const std::string& framework) {
  std::vector<specs::Dependency> lines;
  for (const auto& one : project.dependencies)
    if (inspector::framework_of(one.dependency.name) == framework) lines.push_back(one.dependency);
  return lines;
}

// "bench" of ./bench.py --batch 8.
std::string workload_name_of(const specs::PiProgram& program) {
  auto name = fs::path(program.path).stem().string();
  if (specs::is_sha256(name)) name = "script-" + name.substr(0, 12);  // of python -c and -m
  for (auto& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') c = '-';
  return name;
}

}  // namespace

std::string measured_python(const std::string& asked) {
  if (!asked.empty()) return asked;
  const auto here = inspector::ask_interpreter("/usr/bin/python3");
  const auto all = here ? std::vector{*here} : inspector::find_interpreters();
  const auto version = all.empty() ? std::string("3.12") : all.front().version;
  return version.substr(0, version.find('.', version.find('.') + 1));
}

specs::Imported asked_of_index(const specs::PythonProject& project, const std::string& python) {
  auto names = names_of(project);
  if (names.empty()) throw bad_input(project.file.string() + ": asks for no package: nothing to measure");
  return {.names = std::move(names), .pythons = {python}, .platform = Pythons::usual_platform()};
}

void write_python_catalog(const specs::PythonProject& project, const std::string& python, pypi::Index& index, const fs::path& file) {
  workspace::keep_file(file, workspace::index_catalog(asked_of_index(project, python), index).text);
}

fs::path kept_python_catalog(const specs::PythonProject& project, const std::string& python, const pypi::PipOptions& pip, bool offline) {
  const auto place = fs::weakly_canonical(fs::absolute(project.file)).string() + "\n" + python;
  const auto file = inspector::cache_directory() / "inspect" / (specs::sha256(place).substr(0, 16) + "-index.json");
  workspace::PipIndex index(pip, offline);
  write_python_catalog(project, python, *index, file);
  return file;
}

void need_python(workspace::Loaded& loaded) {
  const auto* python = loaded.catalog.find("python");
  auto& asked = loaded.project.requires_;
  if (python == nullptr || std::ranges::find(asked, "python", &specs::Requirement::component) != asked.end()) return;
  asked.push_back(specs::parse_requirement("python", specs::Node::parse_text("\"*\"", "a version"), python->versioning));
}

void check_measured(const std::string& workload, const std::string& pi, const std::string& runner) {
  if (pi.empty() == workload.empty())
    throw bad_input("a Python project does not say what is measured: expected one of --pi COMMAND (a program of your own) and --workload "
                    "NAME[:KEY=VALUE,...], as --workload matmul (`stackx workload list`)");
  if (runner == "container")
    throw bad_input("--runner container: needs a base image, which a Python project does not name; write a project of stackx that does "
                    "(docs/inspect.md)");
}

void check_files(const std::string& pi, const std::string& files) {
  if (pi.empty() && !files.empty()) throw bad_input("--files: shows a directory to the command of --pi; add that");
}

specs::Workload told_framework(specs::Workload workload, const std::function<bool(const std::string&)>& is_there, const std::string& asked,
                               const std::string& where) {
  specs::require_pi("--workload", workload.pi, true);
  specs::require_parameters("--workload", workload);
  std::vector<std::string> found{"torch", "tensorflow", "jax", "onnxruntime", "mxnet", "numpy"};
  std::erase_if(found, [&](const auto& framework) { return !is_there(framework); });
  const auto [named, fresh] = workload.params.try_emplace("framework", found.empty() ? "" : found.front());
  if (fresh && found.empty())
    throw bad_input(fmt::format("--workload {}: {} no framework that stackx's PIs measure; name a program of your own with --pi",
                                asked, where));
  if (named->second != "auto" && !found.empty() && std::ranges::find(found, named->second) == found.end())
    throw bad_input(fmt::format("--workload {}: framework={}, but {} {}; add {} there, or leave the framework out", asked, named->second,
                                where, found.front(), named->second));
  return workload;
}

bool brings_cuda(const std::string& package, const std::set<std::string>& extras, const std::string& versions) {
  const auto says = [](const std::string& text) { return text.find("cuda") != text.npos || text.find("gpu") != text.npos; };
  if (package == "torch") return versions.find("+cpu") == versions.npos;
  return says(package) || std::ranges::any_of(extras, says);
}

specs::Workload told_device(specs::Workload workload, const std::string& asked, const std::function<bool(const std::string&)>& with_cuda,
                            const workspace::Context& context) {
  if (workload.params.contains("device") || !specs::takes_device(workload.pi)) return workload;
  const auto framework = workload.params.find("framework");
  if (asked.empty() && (framework == workload.params.end() || !with_cuda(framework->second))) return workload;
  const auto host = workspace::this_machine(context);
  const auto device = workspace::device_of(host, asked);
  if (!device) return workload;
  workload.params["device"] = "gpu";
  if (asked.empty()) workspace::remark("--workload: on the {}; with device=cpu on the processor\n", host.gpus.at(device->card).model);
  return workload;
}

specs::Workload asked_framework(const specs::PythonProject& project, const std::string& asked, const workspace::Context& context) {
  const auto is_asked_for = [&](const std::string& framework) { return !lines_of(project, framework).empty(); };
  return told_framework(workspace::workload_to_measure(asked, context), is_asked_for, asked, project.file.string() + " asks for");
}

bool comes_with_cuda(const specs::PythonProject& project, const std::string& framework) {
  return std::ranges::any_of(lines_of(project, framework), [](const specs::Dependency& one) {
    return brings_cuda(one.name, {one.extras.begin(), one.extras.end()}, one.versions.text());
  });
}

specs::Workload framework_workload(const specs::PythonProject& project, const std::string& asked, const std::string& device,
                                   const workspace::Context& context) {
  const auto with_cuda = [&](const std::string& framework) { return comes_with_cuda(project, framework); };
  return told_device(asked_framework(project, asked, context), device, with_cuda, context);
}

specs::Workload plain_workload(const specs::PiProgram& program, const std::string& device) {
  specs::Workload workload{workload_name_of(program), {}, program.identity()};
  if (!program.arguments.empty()) workload.params["arguments"] = fmt::format("{}", fmt::join(program.arguments, " "));
  if (!device.empty()) workload.params["device"] = "gpu";
  return workload;
}

}  // namespace stackx::campaigns
