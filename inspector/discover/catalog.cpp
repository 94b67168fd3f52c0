#include "inspector/discover/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "specs/format/names.hpp"
#include "specs/version/version.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::Json;

bool is_utf8(const std::string& text) { return specs::to_utf8(text) == text; }

// What a run must see of a library: the directory, which holds the libraries that it loads beside itself; the file
// alone where the directory holds more than libraries.
std::string shown_for(const fs::path& library) {
  const auto directory = library.parent_path();
  const char* home = std::getenv("HOME");
  for (const fs::path& kept :
       {fs::path("/"), fs::path("/tmp"), fs::path("/home"), fs::path(home ? home : "/")}) {
    const bool holds_it =
        std::mismatch(directory.begin(), directory.end(), kept.begin(), kept.end()).first ==
        directory.end();
    if (holds_it) return library.string();
  }
  return directory.string();
}

Json library_artifact(const fs::path& library) {
  return {{"type", "path"}, {"file", shown_for(library)}, {"library", library.string()}};
}

Json program_artifact(const fs::path& program) {
  return {{"type", "path"}, {"file", program.string()}, {"program", program.string()}};
}

Json any_of(const std::vector<std::string>& versions) {
  Json list = Json::array();
  for (const auto& version : versions) list.push_back("==" + version);
  return list.size() == 1 ? list[0] : Json{{"any", list}};
}

class Writer {
 public:
  Writer(const Json& given, const std::string& day, const Remarks& remarks)
      : given_(given), day_(day), remarks_(remarks) {}

  Json take() {
    return {{"$schema", "stackx/catalog/1"},
            {"description", fmt::format("What stackx found on this machine on {}", day_)},
            {"components", std::move(components_)}};
  }

  // Under the name that the catalogs give the model, with what they say of it; else under the driver's.
  void add_gpu(const FoundGpu& gpu) {
    const auto name = gpu.known.empty() ? gpu.detected.version.text() : gpu.known;
    auto& entry = version_of("gpu", name);
    entry = gpu.known.empty() ? Json::object() : given_["gpu"]["versions"][name];
    entry.erase("sources");
    entry["source"] = fmt::format("found on this machine: its driver calls it {} (read {})",
                                  specs::to_utf8(gpu.model), day_);
    for (const auto& [attribute, value] : gpu.detected.attributes)
      if (const auto* text = std::get_if<std::string>(&value)) entry["attributes"][attribute] = *text;
    auto& aliases = entry["attributes"]["aliases"];
    if (std::find(aliases.begin(), aliases.end(), gpu.model) == aliases.end())
      aliases.push_back(specs::to_utf8(gpu.model));
  }

  void add_cuda(const CudaFound& cuda) {
    for (const auto& toolkit : cuda.toolkits) {
      const auto version = toolkit.version + (toolkit.holder.empty() ? "" : "+" + toolkit.holder);
      if (!add("cuda", version, cuda_entry(toolkit), toolkit.root)) continue;
      for (const auto& library : toolkit.libraries)
        add_cuda_library(library, "==" + version, toolkit.holder, "cuda" + toolkit.version);
    }
    for (const auto& [library, major] : cuda.system) {
      const auto toolkits = toolkits_of(cuda, major);
      if (!toolkits.is_null()) {
        add_cuda_library(library, toolkits, "", "system");
      } else {
        left_out(library.file, major.empty() ? "no CUDA toolkit is here"
                                             : fmt::format("it is for CUDA {}, of which no toolkit is here", major));
      }
    }
  }

  void add_library(const BlasLibrary& library) {
    const auto& kind = library.answer.kind;
    const bool single = kind == "netlib" || library.answer.threading == "sequential";
    Json requires_{{"threads", single ? "==1" : "*"}};
    if (kind == "openblas") requires_["openblas-coretype"] = any_of(library.settings);
    if (kind == "onednn") requires_["onednn-max-isa"] = "*";
    if (kind == "mkl") {
      requires_["mkl-threading"] = any_of(library.settings);
      requires_["mkl-interface"] = requires_["mkl-instructions"] = "*";
    }
    Json entry{{"requires", requires_},
               {"provides", {{"blas", library.provides}}},
               {"artifacts", {library_artifact(library.file)}},
               {"source", source(library.file)}};
    if (!library.reports.empty() && library.reports != library.version)
      entry["reports"] = library.reports;
    add(library.component, library.version, entry, library.file);
    for (const auto& [name, range] : requires_.items()) need_setting(name);
  }

  void add_interpreter(const Interpreter& interpreter) {
    add("python", interpreter.version,
        {{"artifacts", {program_artifact(interpreter.program)}},
         {"source", source(interpreter.program)}},
        interpreter.program);
  }

  void add_environment(const PythonEnvironment& environment) {
    if (environment.frameworks.empty() || !writable(environment.interpreter.program)) return;
    const auto& python = environment.interpreter.version;
    Json requires_{{"python", "==" + python}};
    auto held = environment.frameworks;
    if (environment.distributions.contains("jaxlib") && environment.distributions.contains("jax"))
      held.emplace_back("jaxlib");
    for (const auto& name : held)
      requires_[name] = "==" + environment.distributions.at(name).version;
    add("python-environment", environment.name,
        {{"requires", requires_},
         {"artifacts", {program_artifact(environment.interpreter.program)}},
         {"source", source(environment.interpreter.program)}},
        environment.interpreter.program);
    // A virtual environment's base may be no interpreter of its own here.
    if (!has("python", python)) orphans_[python].push_back(environment.name);
    for (const auto& name : held) {
      const auto& distribution = environment.distributions.at(name);
      holders_[name][key_of(distribution.version)].push_back(
          {distribution.version, environment.name, distribution.metadata});
      if (const auto framework = framework_of(name))
        version_of("framework", name) = {{"requires", {{name, "*"}}},
                                         {"parameters", {{"framework", *framework}}}};
    }
    need_setting("threads");
  }

  // Frameworks, once all environments are known.
  void finish() {
    for (const auto& [name, versions] : holders_) {
      for (const auto& [key, held] : versions) {
        std::vector<std::string> environments;
        Json sources = Json::array();
        for (const auto& one : held) {
          environments.push_back(one.environment);
          sources.push_back(source(one.metadata));
        }
        version_of(name, held[0].version) = {
            {"requires", {{"python-environment", any_of(environments)}}}, {"sources", sources}};
      }
    }
    for (const auto& [python, environments] : orphans_)
      version_of("python", python) = {{"requires", {{"python-environment", any_of(environments)}}}};
    need_gpu_settings();
  }

 private:
  struct Holder {
    std::string version, environment;
    fs::path metadata;
  };

  std::string source(const fs::path& path) const {
    return fmt::format("found on this machine: {} (read {})", specs::to_utf8(path.string()), day_);
  }

  void left_out(const fs::path& what, const std::string& why) {
    remarks_({Remark::left_out, fmt::format("{}: {}", specs::to_utf8(what.string()), why)});
  }

  bool writable(const fs::path& path) {
    if (is_utf8(path.string())) return true;
    left_out(path, "its path is not UTF-8, which a catalog is");
    return false;
  }

  static std::string key_of(const std::string& version) {
    const auto parsed = specs::Version::parse(version, specs::Versioning::pep440);
    return parsed ? std::string(parsed->key()) : version;
  }

  bool has(const std::string& component, const std::string& version) const {
    const auto found = keys_.find(component);
    return found != keys_.end() && found->second.contains(key_of(version));
  }

  Json& version_of(const std::string& component, const std::string& version) {
    auto& entry = components_[component];
    if (entry.is_null()) entry = head_of(component);
    return entry["versions"][version];
  }

  static Json head_of(const std::string& component) {
    static const std::map<std::string, std::pair<const char*, const char*>> known{
        {"gpu", {"hardware", "GPUs of this machine by model"}},
        {"cuda",
         {"runtime", "CUDA toolkits that are installed here, and those of environments (+torch: of one with PyTorch)"}},
        {"cublas", {"package", "cuBLAS of toolkits and environments"}},
        {"cublaslt", {"package", "cuBLASLt of toolkits and environments"}},
        {"nvrtc",
         {"package", "Compilers for kernels at run time: with one as its library, matmul measures "
                     "stackx's own kernels"}},
        {"cudnn", {"package", "cuDNN libraries that are installed here"}},
        {"nccl", {"package", "NCCL libraries that are installed here"}},
        {"python", {"runtime", "Python interpreters that are installed here"}},
        {"python-environment",
         {"runtime", "Python interpreters with the frameworks in their site-packages"}},
        {"framework", {"setting", "Which framework the PI measures"}}};
    const auto found = known.find(component);
    const bool local = component.starts_with("local-");
    Json head{
        {"kind", found == known.end() ? "package" : found->second.first},
        {"description", found != known.end() ? found->second.second
                        : local ? "A BLAS library that is installed here, as it describes itself"
                                : "As Python environments here hold it"},
        {"versions", Json::object()}};
    if (component == "python-environment" || component == "framework" || component == "gpu")
      head["versioning"] = "opaque";
    return head;
  }

  // False if it was left out: its version is none, or there already.
  bool add(const std::string& component, const std::string& version, const Json& entry,
           const fs::path& path) {
    if (!writable(path)) return false;
    if (component != "python-environment" &&
        !specs::Version::parse(version, specs::Versioning::pep440)) {
      left_out(path, fmt::format("\"{}\" is no version that PEP 440 knows", version));
      return false;
    }
    if (!keys_[component].insert(key_of(version)).second) {
      left_out(path, fmt::format("{} {} is there already, from another place", component, version));
      return false;
    }
    version_of(component, version) = entry;
    return true;
  }

  // Its runtime is what the memory and the launches of a GPU are measured with, and a partner of all the others.
  Json cuda_entry(const CudaToolkit& toolkit) const {
    Json entry{{"artifacts", Json::array()}, {"source", source(toolkit.told_by)}};
    auto& artifacts = entry["artifacts"];
    if (toolkit.holder.empty()) artifacts.push_back({{"type", "path"}, {"file", toolkit.root.string()}});
    for (const auto& library : toolkit.libraries) {
      if (library.component == "cudart") {
        artifacts.insert(artifacts.begin(), library_artifact(library.file));
        entry["reports"] = library.reports;
      } else if (!toolkit.holder.empty() && (library.component == "cublas" || library.component == "nvrtc")) {
        artifacts.push_back(library_artifact(library.file));  // cuDNN calls them; in a toolkit they lie beside it
      }
    }
    return entry;
  }

  // Those that a library of the system is for; environments bring their own. Null: none is here.
  static Json toolkits_of(const CudaFound& cuda, const std::string& major) {
    std::vector<std::string> versions;
    bool of_environments = false;
    for (const auto& toolkit : cuda.toolkits) {
      of_environments |= !toolkit.holder.empty();
      if (toolkit.holder.empty() && (major.empty() || toolkit.version.starts_with(major + ".")))
        versions.push_back(toolkit.version);
    }
    if (versions.empty()) return nullptr;
    if (of_environments) return any_of(versions);
    return major.empty() ? "*" : fmt::format("=={}.*", major);
  }

  void add_cuda_library(const CudaLibrary& library, const Json& cuda, const std::string& holder,
                        const std::string& label) {
    if (library.copy || library.component == "cudart") return;
    Json entry{{"requires", {{"cuda", cuda}}},
               {"provides", {{use_of(library.component).provides, library.version}}},
               {"artifacts", {library_artifact(library.file)}},
               {"source", source(library.told_by)}};
    const std::string setting = use_of(library.component).setting;
    if (!setting.empty()) entry["requires"][setting] = "*";
    if (!holder.empty() || library.reports != library.version) entry["reports"] = library.reports;
    auto version = library.version + (holder.empty() ? "" : "+" + holder);
    if (has(library.component, version)) {  // two toolkits hold the same one
      entry["reports"] = library.reports;
      version += "+" + label;
    }
    add(library.component, version, entry, library.file);
    if (!setting.empty()) need_setting(setting);
  }

  struct CudaUse {
    const char* provides;  // as the catalogs that come with stackx call it
    const char* setting;   // that it takes
  };
  static CudaUse use_of(const std::string& component) {
    static const std::map<std::string, CudaUse> uses{{"cublas", {"gpu-matmul", ""}},
                                                     {"cublaslt", {"gpu-matmul", "cublaslt-search"}},
                                                     {"nvrtc", {"gpu-matmul", "own-kernel"}},
                                                     {"cudnn", {"gpu-convolution", ""}},
                                                     {"nccl", {"gpu-collectives", ""}}};
    return uses.at(component);
  }

  // What frameworks can be told on a GPU.
  void need_gpu_settings() {
    if (!components_.contains("gpu") || !components_.contains("framework")) return;
    const auto& frameworks = components_["framework"]["versions"];
    const auto on_gpus = [&](const char* name) { return frameworks.contains(name); };
    if (on_gpus("torch") || on_gpus("jax") || on_gpus("tensorflow"))
      for (const char* name : {"tf32", "execution", "cuda-module-loading"}) need_setting(name);
    if (on_gpus("torch")) need_setting("torch-blas");
    if (on_gpus("jax")) need_setting("xla-gemm");
  }

  // Copies a setting as it is, so that it is one with the catalog's beside which it may stand, and the settings and hardware that its
  // versions require. What a library requires for a setting is that library's to say (mkl in blas.json), and met by what lies here:
  // it was asked.
  void need_setting(const std::string& name) {
    if (components_.contains(name)) return;
    const auto found = given_.find(name);
    if (found == given_.end()) return;
    Json component = *found;
    component.erase("sources");
    component["source"] = fmt::format("the catalog that comes with stackx (read {})", day_);
    components_[name] = component;
    for (const auto& entry : component["versions"])
      if (const auto requires_ = entry.find("requires"); requires_ != entry.end())
        for (const auto& [required, range] : requires_->items()) need_setting(required.substr(0, required.find('.')));
  }

  const Json& given_;
  const std::string& day_;
  const Remarks& remarks_;
  Json components_ = Json::object();
  std::map<std::string, std::set<std::string>> keys_;
  std::map<std::string, std::map<std::string, std::vector<Holder>>> holders_;
  std::map<std::string, std::vector<std::string>> orphans_;
};

std::vector<std::pair<std::string, Environment>> values_of(const Json& components,
                                                           const std::string& name) {
  std::vector<std::pair<std::string, Environment>> result;
  if (!components.contains(name)) return result;
  for (const auto& [version, entry] : components[name]["versions"].items()) {
    Environment environment;
    if (entry.contains("environment"))
      for (const auto& [variable, value] : entry["environment"].items())
        environment[variable] = value.get<std::string>();
    result.emplace_back(version, std::move(environment));
  }
  return result;
}

}  // namespace

Settings settings_of(const Json& components) {
  return {values_of(components, "openblas-coretype"), values_of(components, "mkl-threading")};
}

Json catalog_of(const Discovered& found, const Json& components, const std::string& day,
                const Remarks& remarks) {
  Writer writer(components, day, remarks);
  for (const auto& gpu : found.gpus) writer.add_gpu(gpu);
  writer.add_cuda(found.cuda);
  for (const auto& library : found.libraries) writer.add_library(library);
  for (const auto& interpreter : found.interpreters) writer.add_interpreter(interpreter);
  for (const auto& environment : found.environments) writer.add_environment(environment);
  writer.finish();
  return writer.take();
}

}  // namespace stackx::inspector
