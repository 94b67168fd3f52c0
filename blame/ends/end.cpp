#include "blame/ends/end.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "inspector/discover/python_environments.hpp"
#include "inspector/python/interpreters.hpp"
#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/lock_file.hpp"
#include "specs/python/package_list.hpp"
#include "specs/python/pip_text.hpp"
#include "specs/version/text_scanner.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/stored_stack.hpp"

namespace stackx::blame {
namespace {

namespace fs = std::filesystem;

// An environment has them to install, and nothing that is measured asks for them.
constexpr std::string_view installers[] = {"pip", "setuptools", "wheel", "uv", "distribute"};
// What a stack holds of its machine.
constexpr std::string_view hardware[] = {"cpu", "gpu", "driver"};

bool is_stack_id(std::string_view text) {
  return text.size() >= 6 && text.size() <= 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// "==3.11.*" and "==3.11.2" name one, ">=3.11" does not.
std::string python_in(const specs::SpecifierSet& range) {
  auto text = range.text();
  if (!text.starts_with("==") || text.find(',') != text.npos) return "";
  text.erase(0, text.find_first_not_of("= "));
  if (text.ends_with(".*")) text.resize(text.size() - 2);
  return text.find('*') == text.npos ? text : "";
}

// "torch==2.6.0 numpy=2.1.0", as the command line prints stacks, too -> a line each, each with "==".
std::string as_lines(std::string_view text) {
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_alone = text[i] == '=' && (i == 0 || std::string_view("=<>!~").find(text[i - 1]) == text.npos) && text.substr(i + 1, 1) != "=";
    lines += is_alone ? "==" : std::string(1, text[i] == ' ' ? '\n' : text[i]);
  }
  return lines + "\n";
}

class EndReader {
 public:
  EndReader(const std::string& text, const EndContext& context) : context_(context) {
    end_.text = text;
    end_.python = context.python;
  }

  End run() {
    const fs::path path = end_.text;
    std::error_code error;
    if (end_.text == "-") {
      take(specs::parse_freeze(specs::pip_text(std::string(std::istreambuf_iterator<char>(std::cin), {}), "stdin"), "stdin"));
    } else if (fs::is_fifo(path, error)) {  // <(pip freeze)
      take(specs::parse_freeze(specs::read_pip_text(path, "a list of packages"), end_.text));
    } else if (fs::is_directory(path, error)) {
      read_environment(path);
    } else if (fs::is_regular_file(path, error)) {
      read_file(path);
    } else if (is_stack_id(end_.text)) {
      read_stack();
    } else if (end_.text.find('=') != end_.text.npos) {
      take(specs::parse_freeze(as_lines(end_.text), end_.text));
    } else {
      throw bad_input(fmt::format("{}: neither a file nor an environment, nor the id of a stack; expected {}",
                                  specs::in_quotes(end_.text), kinds));
    }
    if (end_.packages.empty() && !end_.stack) throw bad_input(fmt::format("{}: names no package with a version", end_.text));
    return std::move(end_);
  }

 private:
  static constexpr const char* kinds =
      "a lock (Pipfile.lock, pylock.toml, uv.lock, poetry.lock), requirements (*.txt) with exact versions, the output of pip freeze, "
      "an environment (its directory or its python), packages (\"torch==2.6.0 numpy==2.1.0\"), or the id of a stack in the store (6 "
      "hexadecimal digits or more)";

  specs::PythonContext python_context() const {
    specs::PythonContext result;
    result.python = end_.python;
    result.platform = context_.platform;
    return result;
  }

  void read_file(const fs::path& file) {
    const auto name = file.filename().string();
    const auto extension = file.extension();
    end_.is_for_all_platforms = specs::is_for_all_platforms(file);
    if (specs::is_lock_file(file) || name == "Pipfile" || extension == ".toml" || extension == ".lock" || extension == ".yml" ||
        extension == ".yaml")
      take(specs::read_package_list(file, python_context(), context_.usual_python));
    else if (access(file.c_str(), X_OK) == 0 && name.starts_with("py"))
      read_installed(file);
    else
      read_requirements(file);
  }

  void read_requirements(const fs::path& file) {
    const auto text = specs::read_pip_text(file, "requirements");
    if (const auto begin = specs::trim(text).text.substr(0, 1); begin == "{" || begin == "[")
      throw bad_input(fmt::format("{}: is JSON and no lock; expected {}", file.string(), kinds));
    take(specs::read_requirements_list(file));
  }

  void take(const specs::PackageList& list) {
    if (list.python && end_.python.empty()) end_.python = python_in(*list.python);
    for (const auto& one : list.skipped) end_.skipped.push_back(one);
    const auto environment = specs::MarkerEnvironment::for_python(
        end_.python.empty() ? context_.usual_python : end_.python, context_.platform);
    std::map<std::string, std::string> pinned;  // by a constraints file
    for (const auto& [dependency, place] : list.constraints)
      if (dependency.holds(environment)) pinned.emplace(dependency.name, specs::single_version(dependency.versions));
    for (const auto& placed : list.dependencies) {
      const auto& dependency = placed.dependency;
      if (!dependency.url.empty()) {
        end_.skipped.push_back(dependency.name + " (not from an index)");
        continue;
      }
      if (!dependency.holds(environment)) continue;
      auto version = specs::single_version(dependency.versions);
      if (version.empty()) version = pinned[dependency.name];
      if (version.empty())
        throw bad_input(fmt::format(
            "{}: {} leaves a choice of versions, and which one ran is not known; pin it ({}==VERSION): pip freeze, pip-compile and "
            "uv pip compile write such files",
            placed.place, specs::in_quotes(dependency.text()), dependency.name));
      add(dependency.name, version, placed.place);
      if (!dependency.extras.empty())
        end_.extras[dependency.name].insert(dependency.extras.begin(), dependency.extras.end());
      if (const auto known = list.hashes.find(dependency.name); known != list.hashes.end())
        end_.hashes[dependency.name] = known->second;
    }
  }

  void add(const std::string& name, const std::string& version, const std::string& place) {
    if (name == "python") {  // no package of that name is meant
      if (end_.python.empty()) end_.python = version;
      return;
    }
    if (name == "driver") {  // as `stackx check` takes it
      end_.skipped.push_back(fmt::format("driver {} (the machine's, which no environment changes; NEW on either driver tells what it does)", version));
      return;
    }
    if (const auto parsed = specs::Version::parse(version, specs::Versioning::pep440); !parsed)
      throw bad_input(fmt::format("{}: {} {}: {}; expected a version as PEP 440 has it", place, name, specs::in_quotes(version),
                                  parsed.error().reason));
    const auto [known, is_first] = end_.packages.emplace(name, version);
    if (!is_first && known->second != version)
      throw bad_input(fmt::format("{}: {} is {} here and {} before; keep one", place, name, version, known->second));
  }

  void read_environment(const fs::path& directory) {
    std::error_code error;
    for (const char* program : {"bin/python", "bin/python3"})
      if (fs::exists(directory / program, error)) return read_installed(directory / program);
    throw bad_input(fmt::format("{}: a directory without bin/python; expected the directory of an environment (python -m venv)",
                                directory.string()));
  }

  void read_installed(const fs::path& program) {
    const auto interpreter = inspector::ask_interpreter(program);
    if (!interpreter)
      throw bad_input(fmt::format("{}: does not answer as CPython does; expected the interpreter of an environment",
                                  program.string()));
    if (end_.python.empty()) end_.python = interpreter->version;
    for (const auto& [name, one] : inspector::distributions_in(inspector::ask_sites(*interpreter))) {
      if (std::ranges::find(installers, name) != std::end(installers)) continue;
      std::error_code error;
      if (fs::exists(one.metadata.parent_path() / "direct_url.json", error))  // PEP 610
        end_.skipped.push_back(name + " (not from an index)");
      else if (!specs::Version::parse(one.version, specs::Versioning::pep440))
        end_.skipped.push_back(fmt::format("{} (its version {} is none)", name, specs::in_quotes(one.version)));
      else
        end_.packages.emplace(name, one.version);
    }
  }

  void read_stack() {
    if (context_.store.empty())
      throw bad_input(fmt::format("{}: reads like the id of a stack, but there is no store to look it up in", end_.text));
    const auto [stack, packages] = workspace::stored_stack(end_.text, context_.store, context_.catalog);
    for (const auto& [name, version] : stack.components)
      if (name == "python")
        end_.python = version;
      else if (packages.contains(name))
        end_.packages.emplace(name, version);
      else if (std::ranges::find(hardware, name) == std::end(hardware))
        end_.others.emplace(name, version);
    end_.stack = stack;
  }

  const EndContext& context_;
  End end_;
};

}  // namespace

End read_end(const std::string& text, const EndContext& context) { return EndReader(text, context).run(); }

}  // namespace stackx::blame
