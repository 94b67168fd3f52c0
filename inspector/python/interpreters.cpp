#include "inspector/python/interpreters.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <utility>

#include "inspector/machine/tree.hpp"
#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"
#include "specs/version/version.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds patience{10};

// Written for every Python from 2.6 on. Fields end in NUL, which no path holds.
constexpr const char* question = R"(
import sys
v = sys.version_info
level = {'alpha': 'a', 'beta': 'b', 'candidate': 'rc'}.get(v[3])
version = '%d.%d.%d' % v[:3] + ('%s%d' % (level, v[4]) if level else '')
kind = getattr(sys, 'implementation', None)
name = kind.name if kind else ('pypy' if hasattr(sys, 'pypy_version_info') else 'cpython')
tag = getattr(kind, 'cache_tag', None) or ''
flags = sys.abiflags if v[0] > 2 else 'm' + ('u' if sys.maxunicode > 0xffff else '')
word = '64' if sys.maxsize > 2 ** 32 else '32'
base = getattr(sys, 'base_prefix', None) or getattr(sys, 'real_prefix', None) or sys.prefix
sys.stdout.write('\0'.join(
    ['stackx', name, version, tag, 'cp%d%d%s' % (v[0], v[1], flags), word, base, sys.executable or '', '']))
)";

std::vector<std::string> fields(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t from = 0, to; (to = text.find('\0', from)) != std::string::npos; from = to + 1)
    result.push_back(text.substr(from, to - from));
  return result;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Virtual environments are told by what they hold: with -S no interpreter before 3.14 says that it is one.
fs::path virtual_environment_of(const fs::path& program) {
  const auto root = program.parent_path().parent_path();
  if (is_file(program.parent_path() / "pyvenv.cfg")) return program.parent_path();
  if (is_file(root / "pyvenv.cfg")) return root;
  std::error_code error;
  for (fs::directory_iterator entry(root / "lib", error), end; !error && entry != end;
       entry.increment(error))
    if (is_file(entry->path() / "orig-prefix.txt")) return root;  // virtualenv before 20: Python 2
  return {};
}

// The interpreter that an old virtualenv was made from; `said` is the environment itself there.
fs::path base_of(const fs::path& environment, const fs::path& said) {
  if (environment.empty() || said != environment) return said;
  std::error_code error;
  for (fs::directory_iterator entry(environment / "lib", error), end; !error && entry != end;
       entry.increment(error)) {
    std::ifstream stream(entry->path() / "orig-prefix.txt");
    std::string line;
    if (std::getline(stream, line) && !trim(line).empty()) return trim(line);
  }
  return said;
}

// "python", "python3", "python3.11"; not "python3-config", "python3.13t".
bool is_interpreter_name(const std::string& name) {
  if (!name.starts_with("python")) return false;
  const auto number = name.substr(6);
  if (number.empty()) return true;
  if (number[0] != '2' && number[0] != '3') return false;
  if (number.size() == 1) return true;
  return number.size() > 2 && number[1] == '.' &&
         std::all_of(number.begin() + 2, number.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<fs::path> directories_in(const fs::path& parent) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (fs::is_directory(entry->path(), ignored)) result.push_back(entry->path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

fs::path from_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value != '/' ? fs::path() : fs::path(value);
}

void append(std::vector<fs::path>& list, const std::vector<fs::path>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

void add_conda(std::vector<fs::path>& prefixes, const fs::path& home) {
  if (const auto active = from_variable("CONDA_PREFIX"); !active.empty())
    prefixes.push_back(active);
  std::vector<fs::path> parents{"/opt"};
  if (!home.empty()) parents.push_back(home);
  for (const auto& parent : parents) {
    for (const char* name : {"conda", "miniconda", "miniconda3", "miniforge3", "mambaforge",
                             "anaconda3", "micromamba"}) {
      prefixes.push_back(parent / name);
      append(prefixes, directories_in(parent / name / "envs"));
    }
  }
  if (home.empty()) return;
  append(prefixes, directories_in(home / ".conda" / "envs"));
  std::ifstream list(home / ".conda" / "environments.txt");  // conda's own list of its environments
  for (std::string line; std::getline(list, line);)
    if (line.starts_with("/")) prefixes.emplace_back(trim(line));
}

// The files that may be interpreters, the most telling names first ("python3.11" before "python3").
std::vector<fs::path> candidates_in(const fs::path& directory) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    if (is_interpreter_name(entry->path().filename())) result.push_back(entry->path());
  std::sort(result.begin(), result.end(), [](const fs::path& a, const fs::path& b) {
    const auto left = a.filename().string(), right = b.filename().string();
    return std::pair(right.size(), left) < std::pair(left.size(), right);
  });
  return result;
}

// Whether its name leaves it open: python3.12 is no 3.11, python3 and what has a name of its own may be.
bool may_be(const fs::path& program, const std::string& release) {
  const auto name = program.filename().string();
  if (!is_interpreter_name(name) || name == "python") return true;
  const auto named = name.substr(std::string_view("python").size()) + ".", wanted = release + ".";
  return named.starts_with(wanted) || wanted.starts_with(named);
}

bool older(const Interpreter& a, const Interpreter& b) {
  const auto left = specs::Version::parse(a.version, specs::Versioning::pep440);
  const auto right = specs::Version::parse(b.version, specs::Versioning::pep440);
  return left && right ? *left < *right : a.version < b.version;
}

class Finder {
 public:
  Finder(const Start& start, std::string release) : start_(start), release_(std::move(release)) {}
  void look_in(const fs::path& directory) {
    // Shims start whatever the user's settings say; what they stand for is found where it is installed.
    if (directory.filename() == "shims") return;
    for (const auto& file : candidates_in(directory)) look_at(file);
  }
  std::vector<Interpreter> take() { return std::move(found_); }

 private:
  void look_at(const fs::path& file) {
    const bool own = virtual_environment_of(file).empty();
    std::error_code error;
    const auto real = fs::canonical(file, error);
    // In a virtual environment the name matters: the real file is that of its base.
    const auto program = own ? real : file;
    if (error || !asked_.insert(own ? real : fs::canonical(file.parent_path(), error)).second)
      return;
    if (!release_.empty() && (!own || !may_be(real, release_))) return;
    auto interpreter = ask_interpreter(program, start_);
    if (!interpreter) return;
    // What was asked may have started another program.
    const auto started = fs::canonical(interpreter->program, error);
    if (own && started != real && !asked_.insert(started).second) return;
    found_.push_back(std::move(*interpreter));
  }

  const Start& start_;
  const std::string release_;
  std::set<fs::path> asked_;
  std::vector<Interpreter> found_;
};

}  // namespace

InterpreterPlaces usual_interpreter_places() {
  InterpreterPlaces places{{"/usr/bin", "/usr/local/bin"}, {}};
  const fs::path home = from_variable("HOME");
  const char* path = std::getenv("PATH");
  for (const auto& directory : words(path == nullptr ? "" : path, ":"))
    if (directory.starts_with("/")) places.programs.emplace_back(directory);
  append(places.prefixes, directories_in("/opt"));
  auto pyenv = from_variable("PYENV_ROOT");
  if (pyenv.empty() && !home.empty()) pyenv = home / ".pyenv";
  if (!pyenv.empty()) append(places.prefixes, directories_in(pyenv / "versions"));
  if (!home.empty()) {
    for (const char* tool :
         {".asdf/installs/python", ".local/share/mise/installs/python", ".local/share/uv/python"})
      append(places.prefixes, directories_in(home / tool));
  }
  add_conda(places.prefixes, home);
  return places;
}

std::vector<Interpreter> find_interpreters(const InterpreterPlaces& places, const Start& start,
                                           const std::string& release) {
  Finder finder(start, release);
  for (const auto& directory : places.programs) finder.look_in(directory);
  for (const auto& prefix : places.prefixes) finder.look_in(prefix / "bin");
  auto found = finder.take();
  std::stable_sort(found.begin(), found.end(), [](const Interpreter& a, const Interpreter& b) {
    if (older(a, b) || older(b, a)) return older(b, a);
    return a.environment.empty() && !b.environment.empty();
  });
  return found;
}

std::optional<std::string> start_directly(const std::vector<std::string>& argv) {
  Command command;
  command.argv = argv;
  command.environment = tool_environment();
  command.deadline = patience;
  command.stdout_limit = command.stderr_limit = std::size_t{1} << 20;
  auto finished = run(command);
  return finished.ok() ? std::optional(std::move(finished.out)) : std::nullopt;
}

std::optional<Interpreter> ask_interpreter(const fs::path& program, const Start& start) {
  if (program.empty() || !is_file(program)) return std::nullopt;
  std::error_code error;
  const auto absolute = fs::absolute(program, error);
  const auto printed = start({absolute.string(), "-E", "-s", "-S", "-c", question});
  const auto said = fields(printed.value_or(""));
  if (said.size() != 8 || said[0] != "stackx" || said[1] != "cpython")
    return std::nullopt;
  const auto& abi = said[4];
  if (said[5] != "64" || abi.find('t') != std::string::npos) return std::nullopt;
  Interpreter result;
  result.program = absolute;
  result.version = said[2];
  result.cache_tag = said[3];
  result.abi = abi;
  result.environment = virtual_environment_of(absolute);
  result.prefix = base_of(result.environment, said[6]);
  // A script that starts an interpreter is not what a sandbox can start: the interpreter is.
  const fs::path executable = said[7];
  if (result.environment.empty() && executable.is_absolute() && is_file(executable) &&
      !fs::equivalent(executable, absolute, error))
    result.program = executable;
  return result;
}

const Interpreter* serving(const std::vector<Interpreter>& interpreters,
                           const std::string& version) {
  if (version.empty()) return nullptr;
  for (const auto& interpreter : interpreters) {
    if (!interpreter.environment.empty()) continue;
    if (interpreter.version == version) return &interpreter;
    const auto& own = interpreter.version;
    // "3.1" is not served by 3.11, and "3.6.1" not by 3.6.15.
    if (own.starts_with(version) && own.size() > version.size() && own[version.size()] == '.')
      return &interpreter;
  }
  return nullptr;
}

}  // namespace stackx::inspector
