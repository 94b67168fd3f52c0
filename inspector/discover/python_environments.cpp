#include "inspector/discover/python_environments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>

#include "inspector/machine/tree.hpp"
#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"
#include "specs/format/digest.hpp"
#include "specs/python/pep508.hpp"
#include "specs/version/version.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

constexpr const char* question = R"(
import os, sys
sys.stdout.write('stackx\0' + ''.join(os.path.abspath(p) + '\0' for p in sys.path if p and os.path.isdir(p)))
)";

struct Framework {
  const char* distribution;
  const char* name;
};
constexpr std::array<Framework, 11> frameworks{{{"numpy", "numpy"},
                                                {"tensorflow", "tensorflow"},
                                                {"tensorflow-cpu", "tensorflow"},
                                                {"tensorflow-gpu", "tensorflow"},
                                                {"intel-tensorflow", "tensorflow"},
                                                {"jax", "jax"},
                                                {"torch", "torch"},
                                                {"onnxruntime", "onnxruntime"},
                                                {"onnxruntime-gpu", "onnxruntime"},
                                                {"mxnet", "mxnet"},
                                                {"mxnet-mkl", "mxnet"}}};

// "Name" and "Version" stand in the headers, which end at the first empty line.
std::optional<Distribution> read_metadata(const fs::path& file) {
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return std::nullopt;  // a pipe would never begin
  std::ifstream stream(file, std::ios::binary);
  Distribution result;
  result.metadata = file;
  for (std::string line; std::getline(stream, line) && !trim(line).empty();) {
    if (line.starts_with("Name:") && result.name.empty())
      result.name = specs::normalized_name(trim(line.substr(5)));
    if (line.starts_with("Version:") && result.version.empty())
      result.version = trim(line.substr(8));
  }
  if (result.name.empty() || result.version.empty()) return std::nullopt;
  return result;
}

std::optional<fs::path> metadata_of(const fs::path& entry) {
  const auto name = entry.filename().string();
  std::error_code error;
  if (name.ends_with(".dist-info")) return entry / "METADATA";
  if (name.ends_with(".egg-info"))
    return fs::is_directory(entry, error) ? entry / "PKG-INFO" : entry;
  return std::nullopt;
}

// "root-.pyenv-versions-3.11.7" is no name that a user would know: below the home, it begins there.
std::string slug_of(const fs::path& directory) {
  auto path = directory;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    const auto below = directory.lexically_relative(home);
    if (!below.empty() && *below.begin() != ".." && below != ".") path = below;
  }
  std::string slug;
  bool lossy = false;
  for (const char c : path.string()) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    lossy |= !kept && c != '/';
    if (kept || (!slug.empty() && slug.back() != '-')) slug += kept ? c : '-';
  }
  slug.erase(0, std::min(slug.find_first_not_of(".-"), slug.size()));
  while (slug.ends_with('-')) slug.pop_back();
  if (lossy || slug.size() > 80)
    slug = slug.substr(0, 80) + "-" + specs::sha256(directory.string()).substr(0, 8);
  return slug.empty() ? "root" : slug;
}

const fs::path& home_of(const Interpreter& interpreter) {
  return interpreter.environment.empty() ? interpreter.prefix : interpreter.environment;
}

// Those that PIs can measure: their version is one, and what they need beside them is there.
std::vector<std::string> usable_frameworks(const PythonEnvironment& environment,
                                           const Remarks& remarks) {
  std::vector<std::string> result;
  for (const auto& [name, distribution] : environment.distributions) {
    if (!framework_of(name)) continue;
    const auto left_out = [&](const std::string& why) {
      remarks({Remark::left_out, fmt::format("{} {} in {}: {}", name, distribution.version,
                                             environment.interpreter.program.string(), why)});
    };
    if (!specs::Version::parse(distribution.version, specs::Versioning::pep440)) {
      left_out("its version is none that PEP 440 knows");
    } else if (name == "jax" && !environment.distributions.contains("jaxlib")) {
      left_out("jaxlib, which computes for it, is not installed");
    } else {
      result.push_back(name);
    }
  }
  return result;
}

void append_entries(std::vector<fs::path>& list, const fs::path& parent) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error))
    found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  list.insert(list.end(), found.begin(), found.end());
}

}  // namespace

std::optional<std::string> framework_of(const std::string& distribution) {
  for (const auto& framework : frameworks)
    if (distribution == framework.distribution) return framework.name;
  // mxnet-cu112, mxnet-cu92mkl
  if (distribution.starts_with("mxnet-cu")) return "mxnet";
  return std::nullopt;
}

std::vector<fs::path> ask_sites(const Interpreter& interpreter) {
  Command command;
  command.argv = {interpreter.program.string(), "-E", "-s", "-c", question};
  command.environment = tool_environment();
  command.deadline = std::chrono::seconds(20);
  const auto finished = run(command);
  // What a .pth file prints comes before.
  const auto begin = finished.out.rfind(std::string("stackx\0", 7));
  if (!finished.ok() || begin == std::string::npos) return {};
  std::vector<fs::path> result;
  for (std::size_t from = begin + 7, to; (to = finished.out.find('\0', from)) != std::string::npos;
       from = to + 1) {
    const fs::path directory = finished.out.substr(from, to - from);
    if (directory == "/") continue;  // where it was started
    if (std::find(result.begin(), result.end(), directory) == result.end())
      result.push_back(directory);
  }
  return result;
}

std::map<std::string, Distribution> distributions_in(const std::vector<fs::path>& sites) {
  std::map<std::string, Distribution> result;
  for (const auto& site : sites) {
    std::vector<fs::path> entries;
    append_entries(entries, site);
    for (const auto& entry : entries) {
      const auto file = metadata_of(entry);
      if (!file) continue;
      if (auto distribution = read_metadata(*file)) {
        const auto name = distribution->name;
        result.emplace(name, std::move(*distribution));
      }
    }
  }
  return result;
}

std::vector<PythonEnvironment> look_into(const std::vector<Interpreter>& interpreters,
                                         const Remarks& remarks) {
  std::vector<PythonEnvironment> result;
  std::set<std::string> names;
  for (const auto& interpreter : interpreters) {
    PythonEnvironment environment;
    environment.interpreter = interpreter;
    environment.sites = ask_sites(interpreter);
    if (environment.sites.empty()) {
      remarks({Remark::left_out, fmt::format("the packages of {}: it does not say where they are",
                                             interpreter.program.string())});
    }
    environment.distributions = distributions_in(environment.sites);
    environment.frameworks = usable_frameworks(environment, remarks);
    const auto name =
        fmt::format("python{}-{}", specs::minor_release(interpreter.version), slug_of(home_of(interpreter)));
    environment.name = name;
    if (!names.insert(name).second) {
      environment.name += "-" + specs::sha256(interpreter.program.string()).substr(0, 8);
      names.insert(environment.name);
    }
    if (!environment.frameworks.empty()) {
      std::vector<std::string> held;
      for (const auto& one : environment.frameworks)
        held.push_back(one + " " + environment.distributions.at(one).version);
      remarks({Remark::found, fmt::format("{}: {} with {}", environment.name,
                                          interpreter.program.string(), fmt::join(held, ", "))});
    }
    result.push_back(std::move(environment));
  }
  return result;
}

std::vector<fs::path> usual_virtual_environments() {
  std::vector<fs::path> result;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr || *value != '/' ? fs::path() : fs::path(value);
  };
  if (const auto active = variable("VIRTUAL_ENV"); !active.empty()) result.push_back(active);
  std::error_code error;
  const auto here = fs::current_path(error), home = variable("HOME");
  for (const auto& parent : {here, home}) {
    if (parent.empty()) continue;
    result.push_back(parent / ".venv");
    result.push_back(parent / "venv");
  }
  if (home.empty()) return result;
  for (const char* place :
       {".virtualenvs", "venvs", "envs", ".local/share/virtualenvs", ".cache/pypoetry/virtualenvs"})
    append_entries(result, home / place);
  return result;
}

}  // namespace stackx::inspector
