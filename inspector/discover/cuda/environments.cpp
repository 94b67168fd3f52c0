#include "inspector/discover/cuda/environments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "inspector/discover/cuda/wheels.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

// What brings NVIDIA's wheels along, by the name that people know it by.
std::string wheel_user(const std::string& distribution) {
  if (distribution == "torch") return "torch";
  if (distribution == "jax" || distribution.starts_with("jax-cuda")) return "jax";
  if (distribution.starts_with("cupy")) return "cupy";
  if (distribution == "onnxruntime-gpu") return "onnxruntime";
  return framework_of(distribution) == "tensorflow" ? "tensorflow" : "";
}

std::string holder_of(const PythonEnvironment& environment) {
  std::set<std::string> users;
  for (const auto& [name, distribution] : environment.distributions)
    if (const auto user = wheel_user(name); !user.empty()) users.insert(user);
  return users.empty() ? specs::label_from(environment.name)
                       : fmt::format("{}", fmt::join(users, "."));
}

// "nvidia/cublas/lib/libcublas.so.12": the site-packages was said before.
std::string below(const Tree& tree, const std::string& directory, const fs::path& file) {
  const auto rest = file.lexically_relative(fs::path(real_path(tree, directory)).parent_path());
  return rest.empty() || *rest.begin() == ".." ? file.string() : rest.string();
}

// Libraries that lie in one place, with the version of their runtime; none without another library.
std::vector<CudaToolkit> cuda_beside(const Tree& tree, const CudaPlace& place, const Remarks& remarks) {
  CudaToolkit toolkit;
  toolkit.root = place.root;
  for (const auto& kind : cuda_kinds) {
    const bool runtime = std::string_view(kind.component) == "cudart";
    auto library = look_for(tree, kind, place, remarks);
    if (!library) continue;
    if (runtime) toolkit.version = library->version, toolkit.told_by = library->told_by;
    toolkit.libraries.push_back(std::move(*library));
  }
  if (toolkit.libraries.empty() || (toolkit.libraries.size() == 1 && !toolkit.version.empty())) return {};
  if (!toolkit.version.empty()) return {std::move(toolkit)};
  remarks({Remark::left_out, fmt::format("{}: its libraries have no CUDA runtime beside them", place.root)});
  return {};
}

class EnvironmentReader {
 public:
  EnvironmentReader(CudaFound& found, const Tree& tree, const AskIn& ask, const Remarks& remarks)
      : found_(found), tree_(tree), ask_(ask), remarks_(remarks) {}

  void read(const PythonEnvironment& environment) {
    for (const auto& site : environment.sites) {
      const auto nvidia = site.string() + "/nvidia", torch = site.string() + "/torch";
      if (is_new(nvidia)) add(cuda_wheels(tree_, nvidia, environment, remarks_), nvidia, holder_of(environment), environment.name);
      if (is_new(torch + "/lib"))
        add(cuda_beside(tree_, {torch, {torch + "/lib"}, {}, ask_(environment.interpreter)}, remarks_), torch, "torch", environment.name);
    }
    if (environment.interpreter.environment.empty())
      read_conda(environment.interpreter.prefix, holder_of(environment), environment.name);
  }

  void read_conda(const fs::path& directory, const std::string& holder, const std::string& name) {
    const auto prefix = directory.string();
    if (!tree_.exists(prefix + "/conda-meta") || !is_new(prefix)) return;
    add(cuda_beside(tree_, {prefix, {prefix + "/lib"}, {}, {}}, remarks_), prefix, holder, name);
  }

 private:
  bool is_new(const std::string& directory) {
    return tree_.exists(directory) && seen_.insert(real_path(tree_, directory)).second;
  }

  void add(std::vector<CudaToolkit> toolkits, const std::string& directory, const std::string& holder, const std::string& name) {
    for (auto& toolkit : toolkits) {
      toolkit.holder = holder;
      if (!names_.insert(toolkit.version + "+" + holder).second) toolkit.holder += "." + specs::label_from(name);
      const auto say = [&](const std::string& what, const std::string& version, const std::string& where, const std::string& told_by) {
        say_found(fmt::format("{} {}+{}", what, version, toolkit.holder), where, told_by, remarks_);
      };
      say("cuda", toolkit.version, directory, toolkit.told_by);
      for (const auto& library : toolkit.libraries)
        say(library.component, library.version, below(tree_, directory, library.file), library.told_by);
      found_.toolkits.push_back(std::move(toolkit));
    }
  }

  CudaFound& found_;
  const Tree& tree_;
  const AskIn& ask_;
  const Remarks& remarks_;
  std::set<std::string> seen_, names_;  // directories; version and holder
};

}  // namespace

void add_environments(CudaFound& found, const Tree& tree, const std::vector<PythonEnvironment>& environments,
                      const std::vector<fs::path>& prefixes, const AskIn& ask, const Remarks& remarks) {
  EnvironmentReader reader(found, tree, ask, remarks);
  for (const auto& environment : environments) reader.read(environment);
  for (const auto& prefix : prefixes) {
    const auto name = fs::path(real_path(tree, prefix)).filename().string();
    const auto label = specs::label_from(name);
    reader.read_conda(prefix, label.empty() ? "conda" : label, name);
  }
}

}  // namespace stackx::inspector
