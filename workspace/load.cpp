#include "workspace/load.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "inspector/gpu_requirements.hpp"
#include "inspector/machine/host.hpp"
#include "resolver/resolver.hpp"
#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/project/is_project.hpp"
#include "specs/python/project.hpp"
#include "workspace/this_machine.hpp"

namespace stackx::workspace {

namespace fs = std::filesystem;

inspector::Pis find_pis(const fs::path& executable_directory) {
  const fs::path places[] = {executable_directory / "../kernels/python",
                             executable_directory / "../share/stackx/python"};
  std::error_code error;
  const auto& scripts = fs::is_directory(places[1], error) ? places[1] : places[0];
  return {executable_directory / "stackx-pi", scripts.lexically_normal(), {}};
}

std::vector<fs::path> user_overlays() {
  fs::path config;
  if (const char* chosen = std::getenv("XDG_CONFIG_HOME"); chosen && *chosen)
    config = chosen;
  else if (const char* home = std::getenv("HOME"))
    config = fs::path(home) / ".config";
  return specs::json_files(config / "stackx/catalogs");
}

namespace {

bool of_gpu(const std::string& component) { return component == "gpu" || component == "driver"; }
bool of_driver(const std::string& component) { return component == "driver"; }

// That it is asked for, and that anything requires something of it.
void forget(bool (*which)(const std::string& component), specs::Project& project, specs::Catalog& catalog) {
  std::erase_if(project.hardware, [&](const auto& one) { return which(one.first) && one.second == "host"; });
  for (auto& [name, component] : catalog.components)
    for (auto& entry : component.versions) {
      const auto erased = std::erase_if(entry.requires_, [&](const auto& one) { return which(one.component); });
      if (erased > 0) entry.attributes[inspector::gpu_needed] = "yes";
    }
}

// A processor that no catalog lists: this machine where it has one, else a machine of which nothing else is known.
void bind_processor(specs::Project& project, specs::Catalog& catalog, const specs::Host& host, const Context& context) {
  const auto asked = project.hardware.find("cpu");
  const auto* component = catalog.find("cpu");
  if (asked == project.hardware.end() || asked->second == "host" || !component || component->find(asked->second)) return;
  const auto& table = microarchitectures(context);
  const auto* known = table.find(asked->second);
  if (!known)
    throw bad_input(fmt::format("{}: /hardware/cpu: no processor is called {}{}; `stackx hw list` names all", project.file.string(),
                                specs::in_quotes(asked->second), specs::suggestion(asked->second, table.nearest(asked->second))));
  auto machine = host;
  if (host.cpu.microarchitecture != known->id) machine = machine_with(known->id, context);
  specs::Project processor;
  processor.file = project.file;
  processor.hardware["cpu"] = "host";
  resolver::bind_host(processor, catalog, machine);
  asked->second = processor.hardware["cpu"];
}

// A name that several models share is that of the machine at hand if it is one of them, else the most usual one.
void bind_gpu_name(specs::Project& project, const specs::Catalog& catalog, const specs::Gpu* here) {
  const auto asked = project.hardware.find("gpu");
  const auto* component = catalog.find("gpu");
  if (asked == project.hardware.end() || asked->second == "host" || !component || component->find(asked->second)) return;
  const auto models = specs::models_named(*component, asked->second);
  const bool is_here = here != nullptr && std::ranges::any_of(models, [&](const auto& model) { return specs::is_model_of(model, *here, component); });
  if (!models.empty()) asked->second = is_here ? "host" : models.front();
}

bool wants_gpu_of_host(const specs::Project& project) {
  return std::ranges::any_of(project.hardware, [](const auto& one) {
    return of_gpu(one.first) && one.second == "host";
  });
}

bool names_gpu(const specs::Project& project) {
  const auto gpu = project.hardware.find("gpu");
  return gpu != project.hardware.end() && gpu->second != "host";
}

}  // namespace

std::optional<inspector::GpuDevice> device_of(const specs::Host& host, const std::string& asked) {
  const auto visible = inspector::visible_devices(host);
  if (!asked.empty()) return inspector::choose_devices(visible, {asked}).front();
  return visible.empty() ? std::nullopt : std::optional(visible.front());
}

Loaded load(const fs::path& project_file, const Context& where,
            const specs::PythonContext& context, Need need, const std::string& device) {
  const specs::PythonContext nothing;
  const bool asked = !context.python.empty() || context.platform != nothing.platform ||
                     !context.extras.empty() || !context.groups.empty();
  if (asked && !specs::is_python_project(project_file)) {
    specs::check_is_project(project_file);
    throw bad_input(
        fmt::format("{}: --python, --platform, --extra and --group belong to Python projects "
                    "(requirements.txt, "
                    "Pipfile, pyproject.toml); a project of stackx says all of this itself",
                    project_file.string()));
  }
  auto with_overlays = context;
  if (with_overlays.overlays.empty() && with_overlays.of_user) with_overlays.overlays = user_overlays();
  auto [project, catalog] = specs::load_project(project_file, where.data_directory(), with_overlays);
  Loaded loaded{std::move(project), std::move(catalog), {}, {}};
  const bool of_host = std::ranges::any_of(loaded.project.hardware,
                                           [](const auto& one) { return one.second == "host"; });
  if (!of_host && need == Need::stacks) {
    bind_processor(loaded.project, loaded.catalog, {}, where);
    bind_gpu_name(loaded.project, loaded.catalog, nullptr);
    return loaded;
  }
  loaded.host = inspector::detect_host(where.data_directory());
  bind_processor(loaded.project, loaded.catalog, loaded.host, where);
  loaded.device = device_of(loaded.host, device);
  bind_gpu_name(loaded.project, loaded.catalog, loaded.device ? &loaded.host.gpus.at(loaded.device->card) : nullptr);
  if (need == Need::inspections && !loaded.device && wants_gpu_of_host(loaded.project))
    forget(of_gpu, loaded.project, loaded.catalog);
  if (need == Need::nodes && names_gpu(loaded.project)) forget(of_driver, loaded.project, loaded.catalog);
  resolver::bind_host(loaded.project, loaded.catalog, loaded.host,
                      loaded.device ? loaded.device->card : loaded.host.gpus.size());
  return loaded;
}

}  // namespace stackx::workspace
