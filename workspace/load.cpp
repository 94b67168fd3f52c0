#include "workspace/load.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "inspector/gpu_requirements.hpp"
#include "inspector/machine/host.hpp"
#include "specs/error.hpp"
#include "specs/python/project.hpp"

namespace stackx::cli {

namespace fs = std::filesystem;

fs::path find_data_directory(const fs::path& executable_directory) {
  if (const char* chosen = std::getenv("STACKX_DATA"); chosen != nullptr && *chosen != '\0') {
    if (!fs::is_directory(chosen))
      throw broken_environment(fmt::format(
          "$STACKX_DATA: {} is no directory; unset it or name the directory of the catalogs",
          chosen));
    return chosen;
  }
  const fs::path places[] = {executable_directory / "../specs/data",
                             executable_directory / "../share/stackx/data"};
  for (const auto& place : places)
    if (fs::is_directory(place)) return fs::canonical(place);
  throw broken_environment(
      fmt::format("the catalogs that come with stackx are neither in {} nor in {}; set "
                  "$STACKX_DATA to their directory",
                  places[0].lexically_normal().string(), places[1].lexically_normal().string()));
}

inspector::Pis find_pis(const fs::path& executable_directory) {
  const fs::path places[] = {executable_directory / "../kernels/python",
                             executable_directory / "../share/stackx/python"};
  std::error_code error;
  const auto& scripts = fs::is_directory(places[1], error) ? places[1] : places[0];
  return {executable_directory / "stackx-pi", scripts.lexically_normal(), {}};
}

void add_project_options(CLI::App& command, ProjectOptions& options) {
  command
      .add_option("project", options.file,
                  "Project file (stackx/project/1), requirements.txt, Pipfile, pyproject.toml or Amun "
                  "specification")
      ->required()
      ->type_name("PROJECT");
  auto& context = options.context;
  command
      .add_option(
          "--catalog", context.catalogs,
          "Catalog for a Python project: a path, or the name of one that comes with stackx; "
          "may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--python", context.python,
                  "Python that the markers of a Python project hold for; default: the newest that "
                  "its catalogs have and it allows")
      ->type_name("X.Y");
  command
      .add_option("--platform", context.platform,
                  "Platform that the markers of a Python project hold for")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--extra", context.extras, "Optional dependencies to take in; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--group", context.groups,
                  "Dependency group or Pipfile section to take in (dev: dev-packages); may be "
                  "repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

namespace {

bool of_gpu(const std::string& component) { return component == "gpu" || component == "driver"; }

void forget_gpu(specs::Project& project, specs::Catalog& catalog) {
  std::erase_if(project.hardware, [](const auto& one) { return of_gpu(one.first) && one.second == "host"; });
  for (auto& [name, component] : catalog.components)
    for (auto& entry : component.versions) {
      const auto erased =
          std::erase_if(entry.requires_, [](const auto& one) { return of_gpu(one.component); });
      if (erased > 0) entry.attributes[inspector::gpu_needed] = "yes";
    }
}

bool wants_gpu_of_host(const specs::Project& project) {
  return std::ranges::any_of(project.hardware, [](const auto& one) {
    return of_gpu(one.first) && one.second == "host";
  });
}

}  // namespace

std::optional<inspector::GpuDevice> device_of(const specs::Host& host, const std::string& asked) {
  const auto visible = inspector::visible_devices(host);
  if (!asked.empty()) return inspector::choose_devices(visible, {asked}).front();
  return visible.empty() ? std::nullopt : std::optional(visible.front());
}

Loaded load(const fs::path& project_file, const Globals& globals,
            const specs::PythonContext& context, Need need, const std::string& device) {
  const specs::PythonContext nothing;
  const bool asked = !context.python.empty() || context.platform != nothing.platform ||
                     !context.extras.empty() || !context.groups.empty();
  if (asked && !specs::is_python_project(project_file))
    throw bad_input(
        fmt::format("{}: --python, --platform, --extra and --group belong to Python projects "
                    "(requirements.txt, "
                    "Pipfile, pyproject.toml); a project of stackx says all of this itself",
                    project_file.string()));
  auto [project, catalog] = specs::load_project(project_file, globals.data_directory, context);
  Loaded loaded{std::move(project), std::move(catalog), {}, {}};
  const bool of_host = std::ranges::any_of(loaded.project.hardware,
                                           [](const auto& one) { return one.second == "host"; });
  if (!of_host && need == Need::stacks) return loaded;
  loaded.host = inspector::detect_host(globals.data_directory);
  loaded.device = device_of(loaded.host, device);
  if (need == Need::inspections && !loaded.device && wants_gpu_of_host(loaded.project))
    forget_gpu(loaded.project, loaded.catalog);
  resolver::bind_host(loaded.project, loaded.catalog, loaded.host,
                      loaded.device ? loaded.device->card : loaded.host.gpus.size());
  return loaded;
}

std::string grouped(const resolver::BigInt& number) {
  std::string digits = number.str();
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string duration(double seconds) {
  if (seconds < 0) return "?";
  if (seconds < 59.95) return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0);
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string bytes(double count) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  while (count >= 1000 && unit < 4) count /= 1000, ++unit;
  return fmt::format("{:.{}f} {}", count, unit == 0 ? 0 : 1, units[unit]);
}

void print_json(const nlohmann::json& document) { fmt::print("{}\n", document.dump()); }

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

}  // namespace stackx::cli
