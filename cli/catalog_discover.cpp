#include "cli/catalog_discover.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "cli/output/file.hpp"
#include "inspector/discover/blas_libraries.hpp"
#include "inspector/discover/catalog.hpp"
#include "inspector/discover/cuda_toolkits.hpp"
#include "inspector/discover/environment_modules.hpp"
#include "inspector/discover/python_environments.hpp"
#include "inspector/python/interpreters.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using inspector::Remark;
using inspector::Remarks;

struct CatalogDiscoverOptions {
  std::string output;
  std::vector<std::string> only;
  bool verbose = false;

  bool wants(const std::string& what) const {
    return only.empty() || std::find(only.begin(), only.end(), what) != only.end();
  }
};

std::vector<inspector::EnvironmentModule> modules_of(const inspector::Tree& tree,
                                                     const Remarks& remarks) {
  std::string path;
  if (const char* value = std::getenv("MODULEPATH")) path = value;
  for (const char* home : {"MODULESHOME", "LMOD_DIR"})
    if (const char* value = std::getenv(home)) path += fmt::format(":{}/modulefiles", value);
  if (path.empty()) {
    remarks({Remark::note, "environment modules: none here ($MODULEPATH is not set)"});
    return {};
  }
  return inspector::find_modules(tree, path, remarks);
}

// What the modules would put into a variable, and its parent directories where they are meant.
std::vector<fs::path> paths_of(const std::vector<inspector::EnvironmentModule>& modules,
                               std::initializer_list<const char*> variables) {
  std::vector<fs::path> result;
  for (const auto& module : modules)
    for (const char* variable : variables)
      for (const auto& path : module.of(variable)) result.emplace_back(path);
  return result;
}

std::vector<inspector::Interpreter> find_interpreters(
    const std::vector<inspector::EnvironmentModule>& modules) {
  auto places = inspector::usual_interpreter_places();
  for (const auto& directory : paths_of(modules, {"PATH"})) places.programs.push_back(directory);
  for (const auto& environment : inspector::usual_virtual_environments())
    places.prefixes.push_back(environment);
  return inspector::find_interpreters(places);
}

inspector::CudaFound find_cuda(const inspector::Tree& tree,
                               const std::vector<inspector::EnvironmentModule>& modules,
                               inspector::Packages& packages, const Remarks& remarks) {
  auto roots = inspector::usual_cuda_roots(tree);
  for (const auto& path : paths_of(modules, {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDADIR"}))
    roots.push_back(path);
  // .../cuda/12.2/bin; a library directory may lie one deeper.
  for (const auto& path : paths_of(modules, {"PATH", "LD_LIBRARY_PATH"})) {
    roots.push_back(path.parent_path());
    roots.push_back(path.parent_path().parent_path());
  }
  return inspector::find_cuda(tree, roots, packages, remarks);
}

std::vector<fs::path> blas_files(const std::vector<inspector::EnvironmentModule>& modules,
                                 const std::vector<inspector::PythonEnvironment>& environments) {
  auto directories = inspector::usual_blas_directories();
  for (const auto& path : paths_of(modules, {"LD_LIBRARY_PATH", "LIBRARY_PATH"}))
    directories.push_back(path);
  for (const auto& root :
       paths_of(modules, {"MKLROOT", "MKL_ROOT", "OPENBLAS_HOME", "OPENBLAS_ROOT"}))
    for (const char* below : {"lib", "lib64", "lib/intel64"}) directories.push_back(root / below);
  auto files = inspector::loader_files();
  const auto more = inspector::find_blas_files(directories, environments);
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

inspector::Discovered discover(const CatalogDiscoverOptions& options, const specs::Json& components,
                               const Globals& globals, const Remarks& remarks) {
  const inspector::Tree tree;
  inspector::Packages packages;
  inspector::Discovered found;
  const auto modules = modules_of(tree, remarks);
  if (options.wants("cuda")) found.cuda = find_cuda(tree, modules, packages, remarks);
  const auto interpreters = find_interpreters(modules);
  // Interpreters that no stack of this catalog needs are not worth a word.
  const bool packages_wanted = options.wants("environments") || options.wants("blas");
  auto environments =
      packages_wanted
          ? inspector::look_into(
                interpreters, options.wants("environments") ? remarks : [](const Remark&) {})
          : std::vector<inspector::PythonEnvironment>();
  if (options.wants("blas"))
    found.libraries = inspector::ask_libraries(
        blas_files(modules, environments),
        inspector::ask_with(globals.executable_directory / "stackx-pi"),
        inspector::settings_of(components), packages, environments, remarks);
  for (const auto& interpreter : interpreters) {
    if (!options.wants("python") || !interpreter.environment.empty()) continue;
    remarks({Remark::found,
             fmt::format("python {}: {}", interpreter.version, interpreter.program.string())});
    found.interpreters.push_back(interpreter);
  }
  if (options.wants("environments")) found.environments = std::move(environments);
  return found;
}

// A project that counts and measures what the catalog holds.
void hint(const specs::Json& components, const std::string& output) {
  const auto file =
      output.empty() || output == "-" ? "discovered.json" : fs::absolute(output).string();
  bool blas = false;
  for (const auto& [name, component] : components.items()) blas |= name.starts_with("local-");
  const bool framework = components.contains("framework");
  if (!blas && !framework) return;
  specs::Json project{
      {"$schema", "stackx/project/1"},
      {"name", "here"},
      {"catalogs", {file}},
      {"requires", {{blas ? "blas" : "framework", "*"}}},
      {"hardware", {{"cpu", "host"}}},
      {"workload",
       {{"pi", "matmul"}, {"params", {{"m", 512}, {"n", 512}, {"k", 512}, {"dtype", "float32"}}}}}};
  workspace::say(
      "\nTo use it{}, write this as project.json:\n  {}\nthen: stackx resolve project.json "
      "--count; "
      "stackx inspect project.json\n",
      output.empty() ? " (as discovered.json)" : "", project.dump());
  if (blas && framework) workspace::say("For the Python frameworks, require \"framework\" instead of \"blas\".\n");
}

void discover_catalog(const CatalogDiscoverOptions& options, Globals& globals) {
  const auto shipped =
      specs::Node::parse_file(globals.data_directory() / "blas.json").at("components").json();
  std::size_t found = 0, left_out = 0;
  const Remarks remarks = [&](const Remark& remark) {
    found += remark.kind == Remark::found ? 1 : 0;
    left_out += remark.kind == Remark::left_out ? 1 : 0;
    if (remark.kind == Remark::note && !options.verbose) return;
    workspace::say("{}{}\n",
                   remark.kind == Remark::found      ? "found     "
                   : remark.kind == Remark::left_out ? "left out  "
                                                     : "note      ",
                   specs::to_utf8(remark.text));
  };
  const auto day = workspace::today();
  const auto document =
      inspector::catalog_of(discover(options, shipped, globals, remarks), shipped, day, remarks);
  const auto text = document.dump(globals.json ? -1 : 2) + "\n";
  const auto catalog = specs::parse_catalog(specs::Node::parse_text(text, "the discovered catalog"));
  specs::check(catalog, "the discovered catalog");
  const auto& components = document["components"];
  if (components.empty()) {
    workspace::say("nothing that stacks are made of is installed here: no catalog written\n");
    globals.exit_code = 1;
    return;
  }
  write_output(options.output, text);
  workspace::allow(workspace::named_paths(catalog));
  std::size_t versions = 0;
  for (const auto& [name, component] : components.items()) versions += component["versions"].size();
  workspace::say("{} found, {} left out: {} with {}\n", found, left_out, workspace::counted(components.size(), "component"),
                 workspace::counted(versions, "version"));
  hint(components, options.output);
}

}  // namespace

void add_catalog_discover(Command catalog, Globals& globals) {
  auto options = std::make_shared<CatalogDiscoverOptions>();
  const auto command = catalog.add_subcommand("discover",
                                         "A catalog of what is installed on this machine: CUDA "
                                         "toolkits, BLAS libraries, Python environments with "
                                         "frameworks, environment modules. Its stacks run with the "
                                         "local runner, nothing is downloaded");
  command.add_option("-o,--output", options->output, "Catalog to write, instead of stdout")
      .type_name("FILE");
  command.add_option("--only", options->only, "Look for these alone; may be repeated")
      .check(one_of({"cuda", "blas", "python", "environments"}))
      .one_each()
      .option_text("cuda|blas|python|environments");
  command.add_flag("-v,--verbose", options->verbose, "Say also where was looked in vain");
  command.callback([options, &globals] { discover_catalog(*options, globals); });
}

}  // namespace stackx::cli
