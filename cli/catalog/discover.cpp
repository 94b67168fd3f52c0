#include "cli/catalog/discover.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "analysis/text/table.hpp"
#include "cli/output/file.hpp"
#include "inspector/discover/blas_libraries.hpp"
#include "inspector/discover/catalog.hpp"
#include "inspector/discover/cuda/copies.hpp"
#include "inspector/discover/cuda/environments.hpp"
#include "inspector/discover/cuda/question.hpp"
#include "inspector/discover/cuda/toolkits.hpp"
#include "inspector/discover/environment_modules.hpp"
#include "inspector/discover/python_environments.hpp"
#include "inspector/python/interpreters.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/hardware/accelerator.hpp"
#include "workspace/allowed_paths.hpp"
#include "workspace/asked/shell_words.hpp"
#include "workspace/load.hpp"
#include "workspace/output.hpp"
#include "workspace/this_machine.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

namespace fs = std::filesystem;
using inspector::Remark;
using inspector::Remarks;

struct CatalogDiscoverOptions {
  std::string output, project;
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

inspector::InterpreterPlaces interpreter_places(const std::vector<inspector::EnvironmentModule>& modules) {
  auto places = inspector::usual_interpreter_places();
  for (const auto& directory : paths_of(modules, {"PATH"})) places.programs.push_back(directory);
  for (const auto& environment : inspector::usual_virtual_environments())
    places.prefixes.push_back(environment);
  return places;
}

std::vector<std::string> cuda_roots(const inspector::Tree& tree, const std::vector<inspector::EnvironmentModule>& modules) {
  auto roots = inspector::usual_cuda_roots(tree);
  for (const auto& path : paths_of(modules, {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDADIR"}))
    roots.push_back(path);
  // .../cuda/12.2/bin; a library directory may lie one deeper.
  for (const auto& path : paths_of(modules, {"PATH", "LD_LIBRARY_PATH"})) {
    roots.push_back(path.parent_path());
    roots.push_back(path.parent_path().parent_path());
  }
  return roots;
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

// Each model once, under the name that the catalogs know it by.
std::vector<inspector::FoundGpu> find_gpus(const Globals& globals, const Remarks& remarks) {
  const auto host = workspace::this_machine(globals);
  const auto accelerators = specs::load_accelerators(globals.data_directory());
  std::vector<inspector::FoundGpu> result;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < host.gpus.size(); ++i) {
    const auto& model = host.gpus[i].model;
    if (!seen.insert(model).second) continue;
    const auto* known = accelerators.identify(model);
    result.push_back({model, known ? known->name : "", *host.gpu_entry(i)});
    remarks({Remark::found, fmt::format("gpu {}: {}, driver {}", known ? known->name : result.back().detected.version.text(), model,
                                        host.driver)});
  }
  if (host.gpus.empty()) remarks({Remark::note, "no GPU is to be seen here" + (host.gpu_note.empty() ? "" : ": " + host.gpu_note)});
  return result;
}

inspector::Discovered discover(const CatalogDiscoverOptions& options, const specs::Json& components,
                               const Globals& globals, const Remarks& remarks) {
  const inspector::Tree tree;
  inspector::Packages packages;
  inspector::Discovered found;
  const auto modules = modules_of(tree, remarks);
  const auto roots = cuda_roots(tree, modules);
  if (options.wants("cuda")) {
    found.gpus = find_gpus(globals, remarks);
    found.cuda = inspector::find_cuda(tree, roots, packages, remarks);
  }
  const auto places = interpreter_places(modules);
  const auto interpreters = inspector::find_interpreters(places);
  // Interpreters that no stack of this catalog needs are not worth a word.
  const bool packages_wanted = options.wants("environments") || options.wants("blas") || options.wants("cuda");
  auto environments =
      packages_wanted
          ? inspector::look_into(
                interpreters, options.wants("environments") ? remarks : [](const Remark&) {})
          : std::vector<inspector::PythonEnvironment>();
  if (options.wants("cuda")) {
    auto prefixes = places.prefixes;
    prefixes.insert(prefixes.end(), roots.begin(), roots.end());  // $CUDA_HOME may be an environment of conda
    inspector::add_environments(found.cuda, tree, environments, prefixes, inspector::asked_by, remarks);
    inspector::mark_copies(found.cuda, tree, remarks);
  }
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

// What a project may require of the catalog, the most telling first.
struct Offer {
  const char* name;
  const char* words;
  bool by_matmul;  // the PI of the project that is proposed
};
constexpr std::array<Offer, 5> offers{{{"gpu-matmul", "matrix products on the GPU", true},
                                       {"gpu-convolution", "convolutions on the GPU", false},
                                       {"gpu-collectives", "collectives of the GPUs", false},
                                       {"blas", "matrix products on the CPU", true},
                                       {"framework", "what Python frameworks compute", true}}};
constexpr std::size_t screen = 80;  // columns

// "cublas 13.1.0.3, 12.4.5.8+torch; cublaslt ...": the versions that provide it; "" if none does.
std::string providers_of(const std::string& name, const specs::Json& components) {
  std::vector<std::string> result;
  for (const auto& [component, entry] : components.items()) {
    std::vector<std::string> versions;
    for (const auto& [version, one] : entry["versions"].items())
      if (component == name || (one.contains("provides") && one["provides"].contains(name))) versions.push_back(version);
    if (versions.empty()) continue;
    const auto listed = fmt::format("{}", fmt::join(versions, ", "));
    result.push_back(component == name ? listed : component + " " + listed);
  }
  return fmt::format("{}", fmt::join(result, "; "));
}

// Settings that no version requires: they have a say where the project requires them.
std::string free_settings(const specs::Json& components) {
  std::set<std::string> names;
  for (const auto& [name, component] : components.items())
    if (component["kind"] == "setting" && name != "framework") names.insert(name);
  for (const auto& [name, component] : components.items())
    for (const auto& [version, entry] : component["versions"].items())
      if (entry.contains("requires"))
        for (const auto& [required, range] : entry["requires"].items()) names.erase(required);
  return fmt::format("{}", fmt::join(names, ", "));
}

// What to run on what was found.
specs::Json project_over(const std::string& catalog, const std::string& required) {
  const bool gpu = required.starts_with("gpu-");
  const int size = gpu ? 4096 : 512;
  specs::Json project{{"$schema", "stackx/project/1"},
                      {"name", "here"},
                      {"catalogs", {catalog}},
                      {"requires", {{required, "*"}}},
                      {"hardware", {{"cpu", "host"}}},
                      {"workload", {{"pi", "matmul"}, {"params", {{"m", size}, {"n", size}, {"k", size}, {"dtype", "float32"}}}}}};
  if (!gpu) return project;
  project["hardware"] = {{"gpu", "host"}, {"driver", "host"}};
  project["workload"]["params"]["dtype"] = {"float32", "tf32", "float16", "bfloat16"};
  project["campaign"] = {{"sampler", {{"kind", "all"}}},
                         {"rounds", 5},
                         {"sentinels", 1},
                         {"limits", {{"seconds", 300}, {"memory_gib", 16}}}};
  return project;
}

// A member a line, to be read and copied.
std::string laid_out(const specs::Json& project) {
  std::string text = "{";
  for (const auto& [key, value] : project.items())
    text += fmt::format("{}\n  {}: {}", text.size() > 1 ? "," : "", specs::Json(key).dump(), value.dump());
  return text + "\n}\n";
}

// Says what a project may require; returns what one to begin with does: the first that runs here.
std::string say_offers(const specs::Json& components) {
  std::string here, elsewhere, text;
  for (const auto& offer : offers) {
    const auto providers = providers_of(offer.name, components);
    if (providers.empty()) continue;
    const bool runs = offer.name != std::string_view("gpu-matmul") || components.contains("gpu");
    if (auto& chosen = runs ? here : elsewhere; offer.by_matmul && chosen.empty()) chosen = offer.name;
    text += fmt::format("  {:<15}  {}\n", offer.name,
                        analysis::wrap(fmt::format("{}: {}", offer.words, providers), 19, screen));
  }
  if (const auto settings = free_settings(components); !text.empty() && !settings.empty())
    text += fmt::format("  {:<15}  {}\n", "beside these", analysis::wrap(settings + ": settings to compare", 19, screen));
  if (!text.empty()) workspace::say("\nIts stacks, by what a project requires:\n{}", workspace::Block{text});
  return here.empty() ? elsewhere : here;
}

// What the catalog holds, and a project that compares it.
void say_what_next(const specs::Json& components, const CatalogDiscoverOptions& options) {
  const auto compared = say_offers(components);
  if (compared.empty()) {
    if (!options.project.empty()) workspace::say("no project written: nothing of it multiplies matrices\n");
    return;
  }
  const bool kept = !options.output.empty() && options.output != "-";
  const auto project = laid_out(project_over(kept ? fs::absolute(options.output).string() : "discovered.json", compared));
  if (options.project.empty())
    workspace::say("\nTo compare them{}, write this as project.json (--project FILE does):\n{}",
                   kept ? "" : ", with the catalog in discovered.json", workspace::Block{project});
  else
    write_output(options.project, project);
  const auto file = workspace::shell_quoted(options.project.empty() ? "project.json" : options.project);
  workspace::say("\nNext: stackx resolve {} --count\n      stackx inspect {}\n", file, file);
}

// Settings and GPUs of the catalogs that come with stackx.
specs::Json shipped_components(const Globals& globals) {
  specs::Json result = specs::Json::object();
  for (const char* name : {"blas.json", "cuda-wheels.json", "gpus.json", "gpu-settings.json"})
    result.update(specs::Node::parse_file(globals.data_directory() / name).at("components").json());
  return result;
}

void discover_catalog(const CatalogDiscoverOptions& options, Globals& globals) {
  if (!options.project.empty() && (options.output.empty() || options.output == "-"))
    throw bad_input("--project: the project names the catalog as a file; add -o FILE");
  const auto shipped = shipped_components(globals);
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
  if (components.empty() || (components.size() == 1 && components.contains("gpu"))) {
    workspace::say("nothing that stacks are made of is installed here: no catalog written\n");
    globals.exit_code = 1;
    return;
  }
  write_output(options.output, text);
  workspace::allow(workspace::named_paths(catalog));
  std::size_t versions = 0;
  for (const auto& [name, component] : components.items()) versions += component["versions"].size();
  workspace::say("\n{} found, {} left out: {} with {}\n", found, left_out, workspace::counted(components.size(), "component"),
                 workspace::counted(versions, "version"));
  say_what_next(components, options);
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
  command.add_option("--project", options->project, "Write also a project that compares what was found (with -o)")
      .type_name("FILE");
  command.add_option("--only", options->only, "Look for these alone; may be repeated")
      .check(one_of({"cuda", "blas", "python", "environments"}))
      .one_each()
      .option_text("cuda|blas|python|environments");
  command.add_flag("-v,--verbose", options->verbose, "Say also where was looked in vain");
  command.callback([options, &globals] { discover_catalog(*options, globals); });
}

}  // namespace stackx::cli
