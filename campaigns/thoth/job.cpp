#include "campaigns/thoth/job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "campaigns/thoth/python.hpp"
#include "campaigns/thoth/stack.hpp"
#include "inspector/machine/host.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/wheel_target.hpp"
#include "specs/thoth/debian_names.hpp"
#include "specs/thoth/pi.hpp"
#include "workspace/files/kept_script.hpp"
#include "workspace/one_version.hpp"
#include "workspace/output.hpp"

namespace stackx::campaigns {
namespace {

namespace fs = std::filesystem;
using specs::Kind;
using specs::Outcome;
using specs::Versioning;

// Packages that bring a framework, as the Python PIs call it.
constexpr std::pair<std::string_view, std::string_view> frameworks[] = {
    {"tensorflow", "tensorflow"},
    {"tensorflow-cpu", "tensorflow"},
    {"tensorflow-gpu", "tensorflow"},
    {"intel-tensorflow", "tensorflow"},
    {"tf-nightly", "tensorflow"},
    {"torch", "torch"},
    {"jax", "jax"},
    {"onnxruntime", "onnxruntime"},
    {"mxnet", "mxnet"},
    {"numpy", "numpy"}};

// What Amun's image needs to install the stack, which stackx does itself.
constexpr std::string_view installers[] = {"micropipenv", "pipenv", "pip",
                                           "setuptools",  "wheel",  "virtualenv"};

// Names without the parameter: they measure no framework, or are told nothing.
bool measures_framework(const std::string& pi) {
  return pi == "matmul" || pi == "conv1d" || pi == "conv2d" || pi == "import";
}

class Thoth {
 public:
  Thoth(const specs::AmunSpecification& specification, const JobOptions& options,
        const workspace::Context& context)
      : spec_(specification),
        options_(options),
        context_(context),
        host_(inspector::detect_host(context.data_directory())) {}

  Job build() {
    read_script();
    check_hardware();
    if (!spec_.files.empty())
      refuse(Outcome::unsupported,
             fmt::format("files ({}): stackx puts no files into a stack", spec_.files[0].path));
    choose_stack();
    add_framework();
    add_environment();
    add_system_packages();
    remark_on_the_rest();
    job_.loaded.host = host_;
    job_.loaded.device = workspace::device_of(host_, options_.device);
    job_.loaded.project = project();
    for (auto& one : components_) job_.loaded.catalog.components.emplace(one.name, std::move(one));
    if (job_.refusal) say("{}: {}", specs::to_string(job_.refusal->outcome), job_.refusal->reason);
    return std::move(job_);
  }

 private:
  template <typename... Values>
  void say(fmt::format_string<Values...> format, Values&&... values) const {
    workspace::remark("{}: {}\n", spec_.file.filename().string(), fmt::format(format, std::forward<Values>(values)...));
  }

  void refuse(Outcome outcome, std::string reason) {  // the first reason stands
    if (!job_.refusal) job_.refusal = Refusal{outcome, std::move(reason)};
  }

  void read_script() {
    if (!options_.workload.empty()) {
      workload_ = specs::parse_workload(options_.workload);
    } else if (spec_.script.empty()) {
      workload_ = spec_.base.empty()
                      ? specs::parse_workload("matmul:dtype=float32,k=512,m=512,n=512")
                      : specs::Workload{"hello_world", {}};
      say("names no script: {} is measured; name another with --workload", workload_.text());
    } else if (spec_.script_is_url()) {
      known_script();
    } else {
      own_script();
    }
  }

  void known_script() {
    const auto pi = specs::thoth_pi(spec_.script, spec_.environment);
    if (pi) {
      workload_ = pi->workload;
      framework_ = pi->framework;
      say("script {}: our PI {}", spec_.script, workload_.text());
      return;
    }
    workload_ = {"script", {}};
    refuse(Outcome::unsupported, fmt::format("script {}: is not fetched, and {}; put its text into "
                                             "\"script\", or name a PI with --workload",
                                             spec_.script, pi.error()));
  }

  // Kept by its content, so that a resumed campaign finds it.
  void own_script() {
    const auto digest = specs::sha256(spec_.script);
    workload_ = {"script-" + digest.substr(0, 12), {}};
    const auto first = spec_.script.substr(0, spec_.script.find('\n'));
    if (first.starts_with("#!") && first.find("python") == first.npos)
      return refuse(
          Outcome::unsupported,
          fmt::format("script: begins with {}; a PI for a Python stack is a Python program",
                      specs::in_quotes(first)));
    job_.script = workspace::kept_script(spec_.script);
  }

  void check_hardware() {
    if (options_.dockerfile_only) return;
    const auto& wanted = spec_.run.hardware;
    const auto& cpu = host_.cpu;
    if ((wanted.cpu_family && *wanted.cpu_family != cpu.family) ||
        (wanted.cpu_model && *wanted.cpu_model != cpu.model_number))
      refuse(
          Outcome::unsupported,
          fmt::format(
              "run: asks for a CPU of family {} and model {}; this machine's are {} and {} ({})",
              wanted.cpu_family.value_or(cpu.family), wanted.cpu_model.value_or(cpu.model_number),
              cpu.family, cpu.model_number, cpu.model));
  }

  std::string asked_python() const {
    auto python = spec_.python;
    if (python.empty()) python = python_of_base(spec_.base);
    if (python.empty())
      throw bad_input(fmt::format(
          "{}: names no Python; add \"python_version\" to the requires of the Pipfile and its lock",
          spec_.file.string()));
    try {
      specs::Target(python, "linux x86_64");
    } catch (const Error& error) {
      throw bad_input(fmt::format("{}: python_version: {}", spec_.file.string(), error.what()));
    }
    return python;
  }

  void choose_stack() {
    const auto images_file = context_.data_directory() / "images.json";
    const auto images =
        fs::exists(images_file) ? specs::load_catalog(images_file) : specs::Catalog{};
    const bool runtime = std::ranges::any_of(host_.runtimes, [](const auto& one) {
      return one.starts_with("podman") || one.starts_with("docker");
    });
    const Pythons pythons(images, inspector::find_interpreters(), options_.runner, runtime);
    const auto asked = asked_python();
    if (const auto place = pythons.serving(asked)) {
      if (!options_.relax.empty()) say("--relax: not needed, Python {} is here", asked);
      return take_locked(*place, images);
    }
    if (options_.dockerfile_only)
      return take_locked({asked, asked, "", {}, Pythons::usual_platform()}, images);
    const auto reason = fmt::format(
        "Python {}: neither an image of the catalog nor an interpreter of this machine; {}", asked,
        pythons.text());
    if (options_.relax == "python" && !job_.refusal) {
      if (take_nearest(pythons, asked, images)) return;
    }
    refuse(Outcome::unsupported,
           reason + (options_.relax.empty() ? "; --relax python takes the nearest" : ""));
    take(spec_.locked ? named_packages(spec_, asked) : Packages{});
    add_python(asked);
  }

  void take_locked(const PythonPlace& place, const specs::Catalog& images) {
    tell(place);
    auto packages = packages_on(place);
    if (!packages) {
      refuse(packages.error().outcome, packages.error().reason);
      packages = named_packages(spec_, place.full);
    }
    take(std::move(*packages));
    use(place, images);
  }

  // Nothing is asked of the index where nothing will be installed.
  std::expected<Packages, Refusal> packages_on(const PythonPlace& place) const {
    if (job_.refusal || (!spec_.locked && !spec_.requirements))
      return named_packages(spec_, place.full);
    if (spec_.locked || options_.relax.empty()) return locked_packages(spec_, place, options_);
    say("nothing is locked: resolving the requirements for Python {}", place.python);
    return resolved_packages(spec_, place, options_);
  }

  bool take_nearest(const Pythons& pythons, const std::string& asked,
                    const specs::Catalog& images) {
    for (const auto& release : pythons.near(asked)) {
      const auto place = pythons.serving(release);
      if (!place) continue;
      say("Python {} is not here: resolving the requirements anew for {}", asked, release);
      auto packages = resolved_packages(spec_, *place, options_);
      if (!packages) {
        say("{}", packages.error().reason);
        continue;
      }
      say("this is NOT the locked stack: Python {} instead of {}, and the latest packages for it",
          release, asked);
      tell(*place);
      take(std::move(*packages));
      use(*place, images);
      return true;
    }
    return false;
  }

  void tell(const PythonPlace& place) const {
    if (place.image.empty() && options_.dockerfile_only) return;
    const std::string base = spec_.base.empty() ? "Python " + place.python : "base " + spec_.base;
    if (!place.image.empty())
      say("{}: taken as the image {}, which has Python {}", base, place.image, place.python);
    else
      say("{}: no image of the catalog serves; taken as Python {} of this machine ({})", base,
          place.full, place.program.string());
  }

  void take(Packages packages) {
    for (auto& one : packages) components_.push_back(std::move(one));
  }

  void add_python(const std::string& version) {
    components_.push_back(
        workspace::one_version("python", Kind::runtime, Versioning::pep440, version, spec_.file.string()));
  }

  void use(const PythonPlace& place, const specs::Catalog& images) {
    add_python(place.python);
    if (place.image.empty()) return;
    image_ = place.image;
    auto image = *images.find("image");
    image.versions = {*image.find(place.image)};
    components_.push_back(std::move(image));
  }

  bool has(std::string_view name) const {
    return std::ranges::any_of(components_, [&](const auto& one) { return one.name == name; });
  }

  // A setting, so that its results compare with those of projects that vary the framework.
  void add_framework() {
    if (!measures_framework(workload_.pi) || workload_.params.contains("framework")) return;
    for (const auto& [package, framework] : frameworks) {
      if (!has(package) || (!framework_.empty() && framework_ != framework)) continue;
      auto setting =
          workspace::one_version("framework", Kind::setting, Versioning::opaque, std::string(framework), "");
      setting.versions[0].parameters = {{"framework", std::string(framework)}};
      components_.push_back(std::move(setting));
      return;
    }
    if (!framework_.empty() && !job_.refusal)
      refuse(Outcome::unsupported,
             fmt::format("the script measures {}, which is not among the packages", framework_));
  }

  void add_environment() {
    if (spec_.environment.empty()) return;
    const auto version = specs::sha256(specs::Json(spec_.environment).dump()).substr(0, 12);
    auto setting = workspace::one_version("environment", Kind::setting, Versioning::opaque, version, "");
    setting.versions[0].environment = spec_.environment;
    components_.push_back(std::move(setting));
  }

  void add_system_packages() {
    if (spec_.packages.empty()) return;
    const auto names = specs::load_debian_names(context_.data_directory() / "debian-names.json");
    for (const auto& rpm : spec_.packages) {
      const auto known = names.names.find(rpm);
      if (const auto why = names.not_needed.find(rpm); why != names.not_needed.end()) {
        say("packages: {}: not installed: {}", rpm, why->second);
      } else if (known == names.names.end()) {
        say("packages: {}: not installed: {} has no Debian name for it", rpm, "debian-names.json");
      } else if (image_.empty()) {
        say("packages: {}: the local runner installs no system packages (Debian's {})", rpm,
            known->second);
      } else {
        add_system_package(rpm, known->second);
      }
    }
  }

  void add_system_package(const std::string& rpm, const std::string& debian) {
    const auto name = "debian-" + debian;
    if (has(name)) return;
    if (name.find('.') != name.npos)
      return say("packages: {}: Debian's {} cannot be a component's name", rpm, debian);
    auto system = workspace::one_version(name, Kind::package, Versioning::opaque, "suite", "");
    specs::Artifact artifact{};
    artifact.type = specs::ArtifactType::system;
    artifact.package = debian;
    system.versions[0].artifacts = {artifact};
    components_.push_back(std::move(system));
    say("packages: {}: Debian's {}", rpm, debian);
  }

  void remark_on_the_rest() const {
    for (const auto& text : spec_.python_packages) {
      const auto name = text.substr(0, text.find_first_of("[<>=!~; "));
      const bool known = std::ranges::find(installers, name) != std::end(installers);
      say("python_packages: {}: not installed{}", text,
          known ? ": stackx installs packages itself"
                : "; add it to the Pipfile if the script needs it");
    }
    if (spec_.update)
      say("update: not done: the image is as it was made{}",
          spec_.update_string.empty()
              ? ""
              : fmt::format(" (update_string {})", specs::in_quotes(spec_.update_string)));
    if (spec_.build.cpus || spec_.build.memory_bytes)
      say("build requests: builds are not limited here");
    if (!spec_.locked) return;
    const auto sources = spec_.lock("3.6")->sources;  // the same for every Python
    if (sources.size() > 1)
      say("sources {}: all packages are looked up on the index that pip uses; the lock's hashes "
          "decide",
          fmt::join(sources, ", "));
  }

  specs::Project project() const {
    specs::Project result;
    result.name = spec_.identifier.empty() ? specs::directory_name(spec_.file) : spec_.identifier;
    result.file = spec_.file;
    for (const auto& one : components_) result.requires_.push_back(workspace::exactly(one));
    result.workloads = {workload_};
    auto& campaign = result.campaign;
    campaign.sampler.kind = specs::SamplerSpec::Kind::all;
    campaign.rounds = spec_.batch_size;
    campaign.runner = image_.empty() ? "local" : "container";
    if (spec_.run.memory_bytes) campaign.memory_gib = *spec_.run.memory_bytes / (1 << 30);
    if (spec_.run.cpus)
      campaign.cpus = static_cast<std::uint64_t>(std::ceil(std::min(*spec_.run.cpus, 1e6)));
    return result;
  }

  const specs::AmunSpecification& spec_;
  const JobOptions& options_;
  const workspace::Context& context_;
  specs::Host host_;
  Job job_;
  specs::Workload workload_;
  std::string framework_, image_;
  std::vector<specs::Component> components_;
};

}  // namespace

Job load_thoth(const specs::AmunSpecification& specification, const JobOptions& options,
               const workspace::Context& context) {
  return Thoth(specification, options, context).build();
}

}  // namespace stackx::campaigns
