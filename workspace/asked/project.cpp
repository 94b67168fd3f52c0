#include "workspace/asked/project.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "inspector/machine/tree.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/conda_environment.hpp"
#include "specs/python/pep508.hpp"
#include "specs/python/project.hpp"
#include "workspace/asked/pasted.hpp"
#include "workspace/output.hpp"

namespace stackx::workspace {
namespace {

namespace fs = std::filesystem;
using specs::Dependency;

constexpr std::array project_files{"project.json", "pyproject.toml", "requirements.txt", "Pipfile", "environment.yml"};

std::vector<std::string> found_in(const fs::path& directory) {
  std::vector<std::string> found;
  std::error_code error;
  for (const char* name : project_files)
    if (fs::is_regular_file(directory / name, error)) found.push_back((directory / name).lexically_normal().string());
  return found;
}

// What a person calls a file, not a package: "prject.json", "dir/x", "Pipfile".
bool is_called_like_a_file(const std::string& text) {
  constexpr std::array<std::string_view, 10> endings{".json", ".txt", ".in", ".toml", ".yml", ".yaml", ".lock", ".py", ".cfg", ".md"};
  return text.find('/') != text.npos || text == "Pipfile" || std::ranges::any_of(endings, [&](auto ending) { return text.ends_with(ending); });
}

constexpr std::string_view blanks = " \t\r\n";

// One requirement, which may hold blanks, or several with blanks between.
std::optional<std::vector<Dependency>> packages_of(const std::string& text) {
  if (auto one = specs::parse_dependency(text)) return std::vector{std::move(*one)};
  std::vector<Dependency> several;
  for (const auto& word : inspector::words(text, blanks)) {
    auto one = specs::parse_dependency(word);
    if (!one) return std::nullopt;
    several.push_back(std::move(*one));
  }
  return several;
}

constexpr const char* kept_in = "asked";          // by what was asked
constexpr const char* pasted_file = "pasted.txt";  // what no directory can be called: it holds addresses

fs::path keep(const fs::path& file, const std::string& text) {
  std::error_code error;  // then writing tells
  fs::create_directories(file.parent_path(), error);
  if (!specs::replace_text_file(file, text))
    throw broken_environment(fmt::format("{}: cannot be written; set XDG_CACHE_HOME to another directory", file.string()));
  return file;
}

fs::path keep(const std::vector<Dependency>& packages) {
  std::vector<std::string> lines;
  for (const auto& one : packages) lines.push_back(one.text());
  const auto text = fmt::format("{}\n", fmt::join(lines, "\n"));
  auto name = fmt::format("{}", fmt::join(lines, " "));  // what the project is called in every answer
  constexpr std::size_t longest = 100;
  if (name.size() > longest) name = fmt::format("{}-{}", name.substr(0, longest), specs::sha256(text).substr(0, 8));
  return keep(inspector::cache_directory() / kept_in / name / "requirements.txt", text);
}

// What `pip install ...` says, but for where and how.
fs::path keep(const Pasted& pasted) {
  std::vector<Dependency> packages;
  for (const auto& one : pasted.requirements)
    if (auto dependency = specs::parse_dependency(one)) packages.push_back(std::move(*dependency));
  if (packages.size() == pasted.requirements.size() && pasted.indexes.empty() && pasted.files.empty() && pasted.constraints.empty() &&
      !packages.empty())
    return keep(packages);
  auto lines = pasted.requirements;
  for (const auto& one : pasted.files) lines.push_back("-r " + fs::absolute(one).string());
  for (const auto& one : pasted.constraints) lines.push_back("-c " + fs::absolute(one).string());
  lines.insert(lines.end(), pasted.indexes.begin(), pasted.indexes.end());
  const auto text = fmt::format("{}\n", fmt::join(lines, "\n"));
  return keep(inspector::cache_directory() / "pasted" / specs::sha256(text).substr(0, 8) / pasted_file, text);
}

}  // namespace

fs::path named_project(const fs::path& text) {
  std::error_code error;
  if (fs::is_directory(text, error)) {
    const auto found = found_in(text);
    if (found.size() > 1) throw bad_input(fmt::format("{}: is a directory; name one of the projects in it: {}", text.string(), fmt::join(found, ", ")));
    return found.empty() ? text : fs::path(found.front());
  }
  if (text.empty() || fs::exists(text, error)) return text;
  if (is_installer({text.string()})) return keep(read_installer({text.string()}));
  if (!specs::parse_dependency(text.string())) refuse_misread(inspector::words(text.native(), blanks));
  if (is_called_like_a_file(text.string())) return text;
  const auto packages = packages_of(text.string());
  if (!packages || packages->empty() || std::ranges::any_of(*packages, [](const auto& one) { return !one.url.empty(); })) return text;
  const bool is_bare = packages->size() == 1 && packages->front().text() == packages->front().name;
  if (is_bare) remark("no file is called {}: taken for the package\n", text.string());
  return keep(*packages);
}

std::string pasted_python(const fs::path& text) {
  std::error_code error;
  if (text.empty() || fs::exists(text, error) || !is_installer({text.string()})) return "";
  return read_installer({text.string()}).python;
}

std::string called(const fs::path& project) {
  const auto directory = project.parent_path();
  return directory.parent_path() == inspector::cache_directory() / kept_in ? directory.filename().string() : project.string();
}

bool is_of_words(const fs::path& project) { return called(project) != project.string() || project.filename() == pasted_file; }

std::string projects_in(const fs::path& directory) {
  const auto found = found_in(directory);
  return found.empty() ? "" : fmt::format("; a project in it: {}", fmt::join(found, ", "));
}

std::vector<std::string> asked_packages(const fs::path& project) {
  std::vector<std::string> names;
  if (project.empty() || !specs::is_python_project(project) || specs::is_conda_environment(project)) return names;
  std::vector<std::string> elsewhere;
  for (const auto& one : specs::read_python_project(project, {}, &elsewhere).dependencies) names.push_back(one.dependency.name);
  return names;
}

}  // namespace stackx::workspace
