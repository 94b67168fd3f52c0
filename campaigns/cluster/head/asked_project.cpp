#include "campaigns/cluster/head/asked_project.hpp"

#include <fmt/format.h>

#include "campaigns/cluster/place.hpp"
#include "campaigns/python_project.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/project/own_pis.hpp"
#include "specs/project/project.hpp"
#include "workspace/asked/hardware.hpp"
#include "workspace/asked/plain_program.hpp"
#include "workspace/files/kept_file.hpp"
#include "workspace/load.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::campaigns::cluster {
namespace {

using specs::Json;

void check_words_of_own(const fs::path& file, const PythonAsked& asked) {
  const std::pair<const char*, const std::string&> words[] = {
      {"--workload", asked.workload}, {"--files", asked.files}, {"--python", asked.python}};
  for (const auto& [option, word] : words)
    if (!word.empty())
      throw bad_input(fmt::format("{}: {} belongs to Python projects; a project of stackx says this itself", file.string(), option));
}

// Hardware of which the targets may say a version, and no catalog has to list any: what a node has is looked up there.
Json catalog_of_machines() {
  return {{"$schema", "stackx/catalog/1"},
          {"components",
           {{"cpu", {{"kind", "hardware"}, {"versioning", "opaque"}, {"versions", Json::object()}}},
            {"driver", {{"kind", "driver"}, {"open", true}, {"versions", Json::object()}}}}}};
}

fs::path written_projects() { return fs::absolute(inspector::cache_directory()) / "cluster"; }

Json written(const std::vector<specs::Requirement>& requirements) {
  Json all = Json::object();
  for (const auto& one : requirements) all[one.component] = one.constraint.text;
  return all;
}

AskedProject of_python(const fs::path& file, const PythonAsked& asked, const workspace::Context& context) {
  check_files(asked.pi, asked.files);
  const auto project = specs::read_python_project(file, {});
  check_measured(asked.workload, asked.pi, "");
  std::optional<specs::PiProgram> program;
  if (!asked.pi.empty()) program = workspace::plain_program(asked.pi, asked.files, asked.prints);
  const auto workload = program ? plain_workload(*program, "") : asked_framework(project, asked.workload, context);
  specs::PythonContext beside;
  beside.python = measured_python(asked.python);
  const auto there_is = fs::absolute(kept_python_catalog(project, beside.python, asked.pip, asked.offline));
  beside.catalogs = {there_is.string()};
  const auto written_to = written_projects() / there_is.filename();
  workspace::keep_file(written_to, python_document(file, beside, workload, context).dump(2) + "\n");
  const bool on_gpus = computes_on_gpus(project, workload, program);
  return {written_to, specs::Node::parse_file(written_to), true, on_gpus, std::move(program)};
}

}  // namespace

TargetHardware target_hardware(const specs::ClusterTarget& target, bool exact, const std::string& who, const workspace::Context& context) {
  if (target.model.empty()) return target.hardware;
  if (target.model == "host") return {};
  const auto known = workspace::hardware_of_catalogs(target.model, {}, specs::load_accelerators(context.data_directory()), context);
  if (!known || known->component.empty())
    throw bad_input(fmt::format("{}: nobody knows the hardware {}; `stackx hw list` names all", who, specs::in_quotes(target.model)));
  return {{known->component, exact || known->models.size() < 2 ? known->version : target.model}};
}

specs::Workload workload_on(const TargetHardware& hardware, specs::Workload workload, bool on_gpus) {
  if (on_gpus && hardware.contains("gpu")) workload.params.try_emplace("device", "gpu");
  return workload;
}

bool computes_on_gpus(const specs::PythonProject& project, const specs::Workload& workload, const std::optional<specs::PiProgram>& program) {
  return program || (specs::takes_device(workload.pi) && comes_with_cuda(project, workload.params.at("framework")));
}

TargetHardware hardware_here(bool on_gpus, const workspace::Context& context) {
  return {{on_gpus && workspace::device_of(workspace::this_machine(context), "") ? "gpu" : "cpu", "host"}};
}

Json python_document(const fs::path& file, const specs::PythonContext& beside, const specs::Workload& workload, const workspace::Context& context) {
  auto [loaded, catalog] = specs::load_project(file, context.data_directory(), beside);
  workspace::Loaded with_python{std::move(loaded), std::move(catalog), {}, {}};
  need_python(with_python);
  const auto machines = written_projects() / "machines.json";
  workspace::keep_file(machines, catalog_of_machines().dump(2) + "\n");
  Json catalogs = beside.catalogs;
  catalogs.push_back(catalog_of_gpus);
  catalogs.push_back(machines.string());
  return {{"$schema", "stackx/project/1"},
          {"name", with_python.project.name},
          {"catalogs", std::move(catalogs)},
          {"requires", written(with_python.project.requires_)},
          {"pins", written(with_python.project.pins)},
          {"workload", specs::to_json(workload)}};
}

AskedProject asked_project(const fs::path& file, const PythonAsked& asked, const workspace::Context& context) {
  if (specs::is_python_project(file)) return of_python(file, asked, context);
  check_words_of_own(file, asked);
  std::optional<specs::PiProgram> program;
  if (!asked.pi.empty()) program = specs::foreign_program(asked.pi);
  return {file, project_document(file), false, false, std::move(program)};
}

specs::Node project_document(const fs::path& file) {
  auto document = specs::Node::parse_file(file);
  if (const auto schema = document.find("$schema"); schema && schema->json() == "stackx/cluster-settings/1")
    throw bad_input(fmt::format("{}: these are the settings of a cluster; name a project, and these with --settings {}", file.string(),
                                file.string()));
  document.schema("stackx/project/1");
  return document;
}

std::string project_name(const fs::path& file) {
  return specs::is_python_project(file) ? specs::read_python_project(file, {}).name : project_document(file).at("name").nonempty();
}

}  // namespace stackx::campaigns::cluster
