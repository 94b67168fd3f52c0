#include "advisor/candidate/wish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "advisor/candidate/candidate.hpp"
#include "advisor/candidate/newest_candidate.hpp"
#include "advisor/check/asked.hpp"
#include "advisor/check/misspelt.hpp"
#include "advisor/check/world/python_world.hpp"
#include "advisor/facts/frameworks.hpp"
#include "inspector/discover/python_environments.hpp"
#include "specs/catalog/driver.hpp"
#include "specs/error.hpp"
#include "specs/hardware/accelerator.hpp"
#include "specs/python/conda_environment.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/asked/project.hpp"

namespace stackx::advisor {
namespace {

// "==11.8.*" -> "11.8"; what is no single version or series is left to the catalogs.
std::string series_of(const std::string& range) {
  if (!range.starts_with("==")) return "";
  auto text = range.substr(range.find_first_not_of("= "));
  if (text.ends_with(".*")) text.resize(text.size() - 2);
  return text.find_first_of(",|<>! ") == text.npos ? text : "";
}

// A project of stackx: its roots that are packages, and what it says of the machine.
void take_project(const specs::Project& project, const Knowledge& knowledge, Wish& wish) {
  for (const auto& root : project.requires_) {
    const auto& text = root.constraint.text;
    if (root.component == "python" && wish.question.python.empty())
      wish.question.set_python(series_of(text));
    else if (root.component == "cuda" && wish.cuda.empty())
      wish.cuda = specs::minor_release(series_of(text));
    else if (root.component == "driver" && wish.question.driver.empty())
      wish.question.driver = series_of(text);
    else if (knowledge.package(root.component))
      if (auto dependency = specs::parse_dependency(root.component + (text == "*" ? "" : text)))
        wish.question.asked.push_back({std::move(*dependency), project.file.string()});
  }
}

// What the index would have of it.
void take_conda(const std::filesystem::path& file, const specs::PythonContext& context, Wish& wish) {
  auto project = specs::read_python_project(file, context);
  wish.question.asked = std::move(project.dependencies);
  if (project.python) wish.question.pythons = project.python->dependency.versions;
  if (wish.cuda.empty()) wish.cuda = specs::read_conda_environment(file).cuda;
}

std::string root_among(const std::vector<specs::PlacedDependency>& asked, const std::vector<std::string>& usual,
                       const Knowledge& knowledge) {
  const auto is_asked = [&](const std::string& name) {
    return std::ranges::any_of(asked,
                               [&](const auto& placed) { return knowledge.real_name(placed.dependency.name) == name; });
  };
  for (const auto& name : usual)
    if (is_asked(name)) return name;
  for (const auto& [name, role] : frameworks())
    if (is_leading(name) && is_asked(name)) return name;
  return "";
}

constexpr const char* on_tpus = "jax";  // what computes with torch elsewhere

// The package of this name may be for CPUs or another vendor's accelerators, and the facts say which one is for these:
// onnxruntime-gpu, torch-neuronx, vllm-tpu.
std::string for_gpus(const Knowledge& knowledge, const std::string& name, const std::string& vendor) {
  const auto& releases = knowledge.package(name)->releases;
  if (releases.empty()) return name;
  const auto newest = specs::pep440_version(specs::public_version(releases.back().version.text()));
  const auto instead = instead_for(knowledge.about(name, newest), vendor);
  return instead.empty() || instead.find('[') != instead.npos ? name : instead;
}

}  // namespace

std::vector<std::string> usual_for(const specs::WorkloadFamilies& families, const specs::Workload& workload,
                                   const workspace::AskedHardware& hardware) {
  if (const auto framework = named_framework(workload); !framework.empty()) return {framework};
  const auto* family = families.find(workload.pi);
  if (!family) return {};
  if (hardware.component != "gpu") return family->usual_cpu;
  if (hardware.vendor == "google" && !family->usual_gpu.empty() && family->usual_gpu.front() == "torch") return {on_tpus};
  return family->usual_gpu;
}

std::optional<Wish> wish_of(const SpaceOptions& options, const WishFrom& from, const Knowledge& knowledge,
                            const workspace::Context& context) {
  const auto& hardware = from.hardware;
  if (hardware.component.empty()) return std::nullopt;
  const auto usual = usual_for(from.families, from.workload, hardware);
  const auto file = options.lock.empty() ? options.project : options.lock;
  const bool of_conda = !options.project.empty() && specs::is_conda_environment(file);
  const bool of_python = !file.empty() && !of_conda && (!options.lock.empty() || specs::is_python_project(file));
  const auto known = std::ranges::find_if(usual, [&](const auto& name) { return knowledge.package(name) != nullptr; });

  if (file.empty() && known == usual.end()) return std::nullopt;

  CheckRequest request;
  request.what = {of_python ? file.string() : known == usual.end() ? "torch" : *known};
  request.hardware = hardware.component == "gpu" ? hardware.name : "host";
  request.driver = options.have.driver;
  request.python = options.context.python.empty() ? options.have.python : options.context.python;
  if (of_python) request.extras = options.context.extras, request.groups = options.context.groups;
  Wish wish;
  request.accelerators = std::make_shared<specs::Accelerators>(specs::load_accelerators(context.data_directory()));
  wish.question = question_of(request, knowledge, context);
  if (of_python && workspace::is_of_words(file)) refuse_misspelt(wish.question.asked, knowledge, *request.accelerators);
  wish.cuda = options.have.cuda;
  if (!of_python) wish.question.asked.clear();
  if (hardware.component != "gpu") wish.question.gpu.reset(), wish.question.driver.clear();
  if (!hardware.machine.empty()) wish.question.machine = hardware.machine;
  wish.question.remarks.clear();
  wish.question.hardware = hardware.name;
  if (!options.have.glibc.empty())
    wish.question.glibc = options.have.glibc;
  else if (hardware.version != "host")
    wish.question.glibc.clear();
  if (of_conda) take_conda(file, options.context, wish);
  if (!file.empty() && !of_python && !of_conda && from.space) take_project(from.space->project(), knowledge, wish);

  wish.root = root_among(wish.question.asked, usual, knowledge);
  if (wish.root.empty() && known != usual.end()) wish.root = wish.question.gpu ? for_gpus(knowledge, *known, wish.question.gpu->vendor) : *known;
  if (wish.root.empty()) return std::nullopt;
  if (hardware.component != "gpu" && knowledge.package(wish.root) == nullptr) return std::nullopt;  // a library of the catalogs
  if (of_conda && wish.cuda != options.have.cuda && !newest_candidate(knowledge, wish)) wish.cuda.clear();  // an index has no such build
  const auto named = named_framework(from.workload);
  if (const auto asked = inspector::framework_of(wish.root); !named.empty() && asked && *asked != named)
    throw bad_input(fmt::format("--workload: framework={}, but {} asks for {}; leave one of them out", named, file.string(), wish.root));
  return wish;
}

std::string pin_of(const Knowledge& knowledge, const Wish& wish) {
  for (const auto& placed : wish.question.asked)
    if (knowledge.real_name(placed.dependency.name) == wish.root && !specs::single_version(placed.dependency.versions).empty())
      return placed.dependency.text();
  return "";
}

std::string plain_install_brings(const Knowledge& knowledge, const Wish& wish, const Candidate& candidate) {
  const auto& question = wish.question;
  const auto* package = knowledge.package(wish.root);
  if (!package || !question.gpu) return "";
  const specs::PackageRelease* newest = nullptr;
  std::optional<specs::Target> target;
  if (!question.python.empty()) target.emplace(question.release_of(question.python), "linux " + question.machine);
  const auto is_for = [&](const auto& release) {  // pip passes by what is for other Pythons
    return !target || target->is_within(specs::range_or_any(release.requires_python));
  };
  for (const auto& release : package->releases)
    if (!specs::is_local(release.version.text()) && !release.yanked && !release.version.is_prerelease() && is_for(release))
      newest = &release;
  if (!newest) return "";
  const auto plain = fmt::format("A plain `pip install {}` brings {} {}", wish.root, wish.root, newest->version.text());
  const auto fact = knowledge.about(wish.root, newest->version, "", question.machine);
  if (!fact.gpu_from.empty())
    return fmt::format("A plain `pip install {}` computes on the processor: the extra brings the {}'s part.", wish.root,
                       kind_in_words(*question.gpu));
  if (wish.root == "tensorflow" && !fact.system.empty() && candidate.pinned.system.empty())
    return "A plain `pip install tensorflow` brings no CUDA: it loads CUDA and cuDNN of the system, if they are there.";
  if (!fact.built_for || candidate.version == newest->version.text() || !pin_of(knowledge, wish).empty()) return "";
  if (!fact.built_for->rocm.empty() || fact.built_for->for_cpus()) return plain + ", which uses no GPU.";
  const auto gpu = gpu_in_words(*question.gpu);
  if (question.gpu->vendor != "nvidia") return fmt::format("{}, which is built for NVIDIA's CUDA.", plain);
  const auto reach = fact.built_for->reach(question.gpu->compute_capability);
  if (reach == specs::GpuBuild::Reach::none) return fmt::format("{}, a build without kernels for {}.", plain, gpu);
  const auto least = knowledge.drivers().least(fact.built_for->cuda, reach);
  if (least && !question.driver.empty() && specs::is_newer(*least, specs::newest_of_branch(question.driver)))
    return fmt::format("{}, which needs driver {} or newer.", plain, *least);
  return "";
}

}  // namespace stackx::advisor
