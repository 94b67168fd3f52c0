#include "advisor/recipes/containerfile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "advisor/recipes/parts.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::ArtifactType;
using specs::Json;
using Words = std::vector<std::string>;

constexpr const char* home = "/opt/stackx";
constexpr const char* write_lines =
    "import os, sys; os.path.isdir('/opt/stackx') or os.makedirs('/opt/stackx'); "
    "open(sys.argv[1], 'w').write('\\n'.join(sys.argv[2:]) + '\\n')";

// ["a", "b"]; from the word `fold` on, one word a line.
std::string exec_form(const Words& words, std::size_t fold = 1000) {
  std::string text = "[";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i >= fold ? ", \\\n     " : ", ";
    text += Json(words[i]).dump();
  }
  return text + "]";
}

std::string env_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '$') result += '\\';
    result += c;
  }
  return result + "\"";
}

class Writer {
 public:
  Writer(const specs::Stack& stack, const specs::Workload& workload, const specs::Catalog& catalog,
         const ContainerText& asked)
      : stack_(stack),
        workload_(workload),
        asked_(asked),
        script_(asked.script),
        parameters_(workload.params) {
    for (const auto& [name, version] : stack.components) {
      const auto* component = catalog.find(name);
      const auto* entry = component ? component->find(version) : nullptr;
      if (entry) read(*component, *entry);
    }
  }

  std::string write() {
    head();
    base();
    for (const auto& [name, value] : variables_)
      if (!has_control(value)) line("ENV {}={}", name, env_quoted(value));
    system_packages();
    python_packages();
    entry_point();
    return std::move(text_);
  }

 private:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
  }

  void read(const specs::Component& component, const specs::VersionEntry& entry) {
    if (component.name == "python") python_ = entry.version.text();
    variables_.insert(entry.environment.begin(), entry.environment.end());
    parameters_.insert(entry.parameters.begin(), entry.parameters.end());
    for (const auto& artifact : entry.artifacts) {
      if (!artifact.program.empty()) program_ = artifact.program;
      if (!artifact.library.empty()) {
        library_ = artifact.type == ArtifactType::wheel
                       ? fmt::format("{}/site/{}", home, artifact.library)
                       : artifact.library;
        library_component_ = component.name;
      }
      read(component, entry, artifact);
    }
  }

  void read(const specs::Component& component, const specs::VersionEntry& entry,
            const specs::Artifact& artifact) {
    switch (artifact.type) {
      case ArtifactType::wheel:
      case ArtifactType::sdist: {
        const auto& name = artifact.package.empty() ? component.name : artifact.package;
        const auto& version =
            artifact.package_version.empty() ? entry.version.text() : artifact.package_version;
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

  void head() {
    if (asked_.head.empty()) {
      line("# stack {}", stack_.id());
      for (const auto& [name, version] : stack_.components) line("#   {} {}", name, version);
      line("# workload {}", one_line(workload_.text()));
    }
    text_ += asked_.head;
    if (!script_.empty()) return;
    if (is_python())
      line(
          "# build context: the directory that holds stackx's python/ (kernels/ of the source "
          "tree)");
    else
      line("# build context: the directory that holds stackx-pi");
  }

  void base() {
    if (asked_.base) {
      line("FROM {}", reference(asked_.base->image));
      program_ = asked_.base->program;
      system_ = {asked_.base->system.begin(), asked_.base->system.end()};
    } else if (!oci_.empty()) {
      line("FROM {}", reference(oci_));
    } else if (!suite_.empty()) {
      line("# stackx makes this base itself: mmdebstrap --variant=minbase {}", reference(suite_));
      line("FROM docker.io/library/debian:{}-slim", reference(suite_));
      for (const char* package : {"ca-certificates", "python3", "python3-pip"})
        system_.insert(package);
    } else if (is_python()) {
      line("FROM docker.io/library/python:{}-slim", reference(specs::minor_release(python_)));
      program_ = "python3";
      if (python_.starts_with("2.")) program_ = "python2";
    } else {
      line("FROM docker.io/library/debian:bookworm-slim");
      if (!hashes_.empty())
        for (const char* package : {"ca-certificates", "python3", "python3-pip"})
          system_.insert(package);
      system_.insert("libstdc++6");
    }
    if (program_.empty() && !asked_.base) program_ = "python3";
  }

  // FROM ends at white space, and expands variables.
  static std::string reference(const std::string& text) {
    const bool safe =
        !text.empty() && text[0] != '-' && std::ranges::all_of(text, [](unsigned char c) {
          return std::isalnum(c) ||
                 std::string_view("./:@_-").find(static_cast<char>(c)) != std::string_view::npos;
        });
    if (safe) return text;
    throw bad_input(
        fmt::format("Containerfile: {} is no reference of an image", specs::in_quotes(text)));
  }

  void run(const Words& words, std::size_t fold = 1000) { line("RUN {}", exec_form(words, fold)); }

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
      const auto& packages = asked_.base->packages;
      pip.insert(pip.end(), packages.begin(), packages.end());
      if (packages.empty()) return;
      line("ARG PIP_EXTRA_INDEX_URL");  // build arguments that pip reads from the environment
      run(pip);
      return;
    }
    if (hashes_.empty()) return;
    const std::string file = fmt::format("{}/requirements.txt", home);
    Words words{program_, "-c", write_lines, file};
    const auto fold = words.size();
    for (const auto& [pinned, hashes] : hashes_) {
      words.push_back(pinned);
      for (const auto& hash : hashes) words.back() += " --hash=sha256:" + hash;
    }
    run(words, fold);
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
    if (!words.empty()) words.insert(words.begin(), "/usr/bin/env");
    if (is_python())
      python_entry(words);
    else
      native_entry(words);
    words.push_back(workload_.pi);
    if (!is_python() && !library_.empty())
      for (const auto& word :
           {std::string("--library"), library_, std::string("--component"), library_component_})
        words.push_back(word);
    for (const auto& [name, value] : parameters_) words.push_back(name + "=" + value);
    line("ENTRYPOINT {}", exec_form(words));
  }

  void python_entry(Words& words) {
    std::string script = fmt::format("{}/python/pi.py", home);
    if (script_.empty()) {
      line("COPY python {}/python", home);
      words.insert(words.end(), {program_, "-s"});
      if (!asked_.base) words.emplace_back("-S");
      for (const auto& word :
           {fmt::format("{}/python/bootstrap.py", home),
            asked_.base ? std::string("-") : fmt::format("{}/site", home), script})
        words.push_back(word);
      return;
    }
    script = fmt::format("{}/script.py", home);
    run({program_, "-c", write_lines, script, script_});
    words.insert(words.begin(), {"/usr/bin/env", fmt::format("PYTHONPATH={}/site", home)});
    if (words.size() > 2) words.erase(words.begin() + 2);  // one `env` for all
    words.push_back(program_);
    words.push_back(script);
  }

  void native_entry(Words& words) {
    line("COPY stackx-pi {}/stackx-pi", home);
    if (const auto slash = library_.rfind('/');
        slash != library_.npos && library_.starts_with(home))
      line("ENV LD_LIBRARY_PATH={}", env_quoted(library_.substr(0, slash)));
    words.push_back(fmt::format("{}/stackx-pi", home));
  }

  const specs::Stack& stack_;
  const specs::Workload& workload_;
  const ContainerText& asked_;
  const std::string& script_;
  std::map<std::string, std::string> parameters_, variables_;
  std::map<std::string, std::set<std::string>> hashes_;  // "name==version" -> SHA-256 of its files
  std::set<std::string> system_;
  std::string python_, program_, suite_, oci_, library_, library_component_, text_;
};

}  // namespace

std::string containerfile(const specs::Stack& stack, const specs::Workload& workload,
                          const specs::Catalog& catalog, const ContainerText& text) {
  return Writer(stack, workload, catalog, text).write();
}

}  // namespace stackx::advisor
