#include "advisor/recipes/container/container_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "advisor/recipes/parts.hpp"
#include "advisor/recipes/stack_packages.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::ArtifactType;
using Words = std::vector<std::string>;

constexpr const char* home = "/opt/stackx";

class StepsOf {
 public:
  StepsOf(const specs::Stack& stack, const specs::Workload& workload, const specs::Catalog& catalog,
          const ContainerText& asked)
      : workload_(workload),
        asked_(asked),
        script_(asked.script),
        parameters_(workload.params) {
    for (const auto& [name, version] : stack.components) {
      const auto* component = catalog.find(name);
      const auto* entry = component ? component->find(version) : nullptr;
      if (entry) read(*component, *entry);
    }
  }

  ContainerSteps steps() {
    base();
    system_packages();
    python_packages();
    entry_point();
    steps_.variables = variables_;
    steps_.program = program_;
    return std::move(steps_);
  }

 private:
  void read(const specs::Component& component, const specs::VersionEntry& entry) {
    if (component.name == "python") python_ = entry.version.text();
    variables_.insert(entry.environment.begin(), entry.environment.end());
    parameters_.insert(entry.parameters.begin(), entry.parameters.end());
    for (const auto& artifact : entry.artifacts) {
      if (!artifact.program.empty()) program_ = artifact.program;
      if (!artifact.library.empty())
        add_library(component.name, entry, artifact.type == ArtifactType::wheel
                                               ? fmt::format("{}/site/{}", home, artifact.library)
                                               : artifact.library);
      read(component, entry, artifact);
    }
  }

  // As RecipeParts does: what provides something is loaded by the PI, the rest are its partners.
  void add_library(const std::string& component, const specs::VersionEntry& entry, const std::string& file) {
    if (!library_.empty() && entry.provides.empty()) return partners_.push_back(file);
    if (!library_.empty()) partners_.push_back(library_);
    library_ = file;
    library_component_ = component;
  }

  void read(const specs::Component& component, const specs::VersionEntry& entry,
            const specs::Artifact& artifact) {
    switch (artifact.type) {
      case ArtifactType::wheel:
      case ArtifactType::sdist: {
        const auto& name = artifact.package.empty() ? component.name : artifact.package;
        const auto& version =
            artifact.package_version.empty() ? entry.version.text() : artifact.package_version;
        check_python_name(name);  // they become a line of a requirements file
        check_python_version(name, version);
        hashes_[name + "==" + version].insert(artifact.sha256);
        break;
      }
      case ArtifactType::system:
        system_.insert(artifact.package_version.empty() || !oci_.empty()
                           ? artifact.package
                           : artifact.package + "=" + artifact.package_version);
        break;
      case ArtifactType::debootstrap:
        suite_ = artifact.file;
        break;
      case ArtifactType::oci:
        oci_ = artifact.file;
        break;
      case ArtifactType::path:
        throw bad_input(fmt::format(
            "Containerfile: {} {} is {} on this machine: no Containerfile can bring that",
            component.name, entry.version.text(), artifact.file));
    }
  }

  bool is_python() const { return asked_.base ? !asked_.base->program.empty() : !python_.empty(); }

  void base() {
    if (asked_.base) {
      steps_.from = reference(asked_.base->image);
      if (!asked_.base->cuda.empty()) steps_.cuda = reference(asked_.base->cuda);
      program_ = asked_.base->program;
      variables_.insert(asked_.base->variables.begin(), asked_.base->variables.end());
      system_.insert(asked_.base->system.begin(), asked_.base->system.end());
    } else if (!oci_.empty()) {
      steps_.from = reference(oci_);
    } else if (!suite_.empty()) {
      steps_.notes.push_back("stackx makes this base itself: mmdebstrap --variant=minbase " + reference(suite_));
      steps_.from = fmt::format("docker.io/library/debian:{}-slim", reference(suite_));
      for (const char* package : {"ca-certificates", "python3", "python3-pip"}) system_.insert(package);
    } else if (is_python()) {
      steps_.from = python_image(python_);
      program_ = python_.starts_with("2.") ? "python2" : "python3";
    } else {
      steps_.from = "docker.io/library/debian:bookworm-slim";
      if (!hashes_.empty())
        for (const char* package : {"ca-certificates", "python3", "python3-pip"}) system_.insert(package);
      for (const char* package : {"libstdc++6", "libgomp1"}) system_.insert(package);
    }
    if (program_.empty() && !asked_.base) program_ = "python3";
  }

  // FROM ends at white space, and expands variables.
  static std::string reference(const std::string& text) {
    const bool safe = !text.empty() && text[0] != '-' && std::ranges::all_of(text, [](unsigned char c) {
      return std::isalnum(c) || std::string_view("./:@_-").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (safe) return text;
    throw bad_input(fmt::format("Containerfile: {} is no reference of an image", specs::in_quotes(text)));
  }

  void run(Words words) { steps_.runs.push_back({std::move(words)}); }

  void system_packages() {
    if (system_.empty()) return;
    run({"apt-get", "update"});
    Words words{"apt-get", "install", "--yes", "--no-install-recommends", "--"};
    words.insert(words.end(), system_.begin(), system_.end());
    run(words);
  }

  void python_packages() {
    if (asked_.base) {
      Words pip{program_, "-m", "pip", "install", "--no-cache-dir"};
      if (asked_.base->site != "-") pip.insert(pip.end(), {"--target", asked_.base->site});
      const auto& words = asked_.base->pip;
      pip.insert(pip.end(), words.begin(), words.end());
      if (!words.empty()) run(pip);
      return;
    }
    if (hashes_.empty()) return;
    const std::string file = fmt::format("{}/requirements.txt", home);
    Words words;
    for (const auto& [pinned, hashes] : hashes_) {
      words.push_back(pinned);
      for (const auto& hash : hashes) words.back() += " --hash=sha256:" + hash;
    }
    steps_.runs.push_back({words, file});
    Words pip{program_, "-m", "pip"};
    if (python_.starts_with("2.") && !suite_.empty()) {  // Debian has no pip for it any more
      const std::string tools = fmt::format("{}/pip", home);
      run({"python3", "-m", "pip", "install", "--target", tools, "--python-version", "2.7",
           "--only-binary", ":all:", "pip==20.3.4", "setuptools==44.1.1", "wheel==0.37.1"});
      pip = {"/usr/bin/env", "PYTHONPATH=" + tools, program_, "-m", "pip"};
    }
    for (const char* word :
         {"install", "--no-cache-dir", "--require-hashes", "--no-deps", "--target"})
      pip.emplace_back(word);
    pip.push_back(fmt::format("{}/site", home));
    pip.emplace_back("--requirement");
    pip.push_back(file);
    run(pip);
  }

  void entry_point() {
    Words words;
    for (const auto& [name, value] : variables_)
      if (has_control(value)) words.push_back(name + "=" + value);
    std::erase_if(variables_, [](const auto& one) { return has_control(one.second); });
    if (!words.empty()) words.insert(words.begin(), "/usr/bin/env");
    if (!asked_.import_test.empty()) {
      words.insert(words.end(), {program_, "-c", asked_.import_test});
      steps_.entry = std::move(words);
      return;
    }
    if (is_python()) python_entry(words);
    else native_entry(words);
    words.push_back(workload_.pi);
    if (!is_python()) libraries(words);
    for (const auto& [name, value] : parameters_) words.push_back(name + "=" + value);
    steps_.entry = std::move(words);
  }

  void python_entry(Words& words) {
    const auto site = asked_.base ? asked_.base->site : fmt::format("{}/site", home);
    std::string script = fmt::format("{}/python/pi.py", home);
    if (script_.empty()) {
      steps_.context = "python";
      words.insert(words.end(), {program_, "-s"});
      if (site != "-") words.emplace_back("-S");
      words.insert(words.end(), {fmt::format("{}/python/bootstrap.py", home), site, script});
      return;
    }
    script = fmt::format("{}/script.py", home);
    steps_.runs.push_back({{script_}, script});
    words.insert(words.begin(), {"/usr/bin/env", fmt::format("PYTHONPATH={}/site", home)});
    if (words.size() > 2) words.erase(words.begin() + 2);  // one `env` for all
    words.push_back(program_);
    words.push_back(script);
  }

  void native_entry(Words& words) {
    steps_.context = "stackx-pi";
    std::set<std::string> directories;
    auto files = partners_;
    files.push_back(library_);
    for (const auto& file : files)
      if (const auto slash = file.rfind('/'); slash != file.npos && file.starts_with(home))
        directories.insert(file.substr(0, slash));
    auto places = fmt::format("{}", fmt::join(directories, ":"));
    if (!steps_.cuda.empty()) places = "/usr/local/cuda/lib64:/opt/cuda/lib";
    if (!places.empty()) variables_["LD_LIBRARY_PATH"] = places;
    words.push_back(fmt::format("{}/stackx-pi", home));
  }

  void libraries(Words& words) const {
    if (library_.empty()) return;
    words.insert(words.end(), {"--library", library_, "--component", library_component_});
    for (const auto& partner : partners_) words.insert(words.end(), {"--with", partner});
  }

  const specs::Workload& workload_;
  const ContainerText& asked_;
  const std::string& script_;
  std::map<std::string, std::string> parameters_, variables_;
  std::map<std::string, std::set<std::string>> hashes_;  // "name==version" -> SHA-256 of its files
  std::set<std::string> system_;
  std::string python_, program_, suite_, oci_, library_, library_component_;
  Words partners_;
  ContainerSteps steps_;
};

}  // namespace

ContainerSteps container_steps(const specs::Stack& stack, const specs::Workload& workload,
                               const specs::Catalog& catalog, const ContainerText& text) {
  return StepsOf(stack, workload, catalog, text).steps();
}

}  // namespace stackx::advisor
