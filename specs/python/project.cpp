#include "specs/python/project.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/python/conda_environment.hpp"
#include "specs/python/package_sources.hpp"
#include "specs/python/pipfile.hpp"
#include "specs/python/pyproject.hpp"
#include "specs/python/requirements_txt.hpp"
#include "specs/thoth/amun.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

namespace fs = std::filesystem;

// The Pythons that the catalogs offer and the file allows, newest first.
std::vector<Version> allowed_pythons(const PythonProject& project, const Catalog& catalog) {
  std::vector<Version> result;
  const Component* python = catalog.find("python");
  if (!python || python->versioning != Versioning::pep440) return result;
  for (const auto& entry : python->versions)
    if (!project.python || project.python->dependency.versions.contains(entry.version))
      result.push_back(entry.version);
  std::ranges::sort(result, [](const Version& a, const Version& b) { return a > b; });
  return result;
}

// The roots and pins of a project, one for each component.
class Assembly {
 public:
  explicit Assembly(const Catalog& catalog) : catalog_(catalog) {}

  bool knows(const std::string& name) const {
    return catalog_.find(name) || catalog_.is_virtual(name);
  }

  void add(const PlacedDependency& placed) {
    const Dependency& dependency = placed.dependency;
    add(dependency.name, dependency.versions, placed.place);
    for (const auto& extra : dependency.extras)
      add(dependency.name + "+" + extra, dependency.versions, placed.place);
  }

  void add(const std::string& name, const SpecifierSet& versions, const std::string& place) {
    if (!knows(name)) unknown(name, place);
    auto [entry, fresh] = entries_.try_emplace(name);
    if (fresh) order_.push_back(name);
    if (versions.is_any()) return;
    range(name, versions.text(), place);
    auto& [text, seen] = entry->second;
    if (seen.insert(versions.text()).second) text += (text.empty() ? "" : ",") + versions.text();
  }

  std::vector<Requirement> requirements() const {
    std::vector<Requirement> result;
    for (const auto& name : order_) {
      const std::string& text = entries_.at(name).text;
      Requirement requirement;
      requirement.component = name;
      requirement.constraint.any = {{range(name, text, ""), {}}};
      requirement.constraint.text = text.empty() ? "*" : text;
      result.push_back(std::move(requirement));
    }
    return result;
  }

 private:
  SpecifierSet range(const std::string& name, const std::string& text,
                     const std::string& place) const {
    const Component* component = catalog_.find(name);
    const Versioning scheme = component ? component->versioning : Versioning::pep440;
    auto result = SpecifierSet::parse(text.empty() ? "*" : text, scheme);
    if (result) return *result;
    throw bad_input(fmt::format("{}: {}: {} (in the catalog its versions are {}, not PEP 440)",
                                place, in_quotes(text), result.error().reason, to_string(scheme)));
  }

  [[noreturn]] void unknown(const std::string& name, const std::string& place) const {
    const std::string package = name.substr(0, name.find('+'));
    const bool extra = package != name && knows(package);
    throw bad_input(fmt::format(
        "{}: no catalog declares or provides {}{}{}; name another catalog, or import one that "
        "holds it: stackx catalog import pypi '{}' --python 3.12 -o FILE",
        place, in_quotes(name),
        extra ? fmt::format(", the extra \"{}\" of {}", name.substr(package.size() + 1), package)
              : "",
        suggestion(name, known_names(catalog_)),
        extra ? fmt::format("{}[{}]", package, name.substr(package.size() + 1)) : name));
  }

  struct Entry {
    std::string text;  // the specifiers, joined
    std::set<std::string> seen;
  };

  const Catalog& catalog_;
  std::map<std::string, Entry> entries_;  // by component
  std::vector<std::string> order_;
};

std::optional<std::string> chosen_python(const PythonProject& project, const Catalog& catalog,
                                         const PythonContext& context) {
  if (!context.python.empty()) return context.python;
  const auto allowed = allowed_pythons(project, catalog);
  if (allowed.empty()) return std::nullopt;
  return allowed.front().text();
}

bool has_markers(const PythonProject& project) {
  const auto has_marker = [](const auto& placed) { return placed.dependency.marker.has_value(); };
  return std::ranges::any_of(project.dependencies, has_marker) ||
         std::ranges::any_of(project.constraints, has_marker);
}

// 3.7 means every 3.7.x, unless the catalog has a version that is called so.
SpecifierSet that_python(const std::string& version, const Catalog& catalog) {
  const bool series = std::ranges::count(version, '.') == 1 &&
                      version.find_first_not_of("0123456789.") == version.npos;
  const Component* python = catalog.find("python");
  const bool listed = python && python->find(version);
  const auto range = SpecifierSet::parse(fmt::format("=={}{}", version, series && !listed ? ".*" : ""), Versioning::pep440);
  if (!range) throw bad_input(fmt::format("{} is no Python version; expected one like 3.11 or 3.11.4", in_quotes(version)));
  return *range;
}

std::string target_text(const MarkerEnvironment& environment) {
  const auto said = [&](const char* variable) {
    const auto found = environment.variables.find(variable);
    return found == environment.variables.end() ? "" : found->second;
  };
  return fmt::format("Python {} on {} {}", said("python_version"), said("sys_platform"), said("platform_machine"));
}

[[noreturn]] void refuse_markers(const PythonProject& project, const MarkerEnvironment& environment) {
  const auto& asked = project.dependencies;
  constexpr std::size_t most_shown = 5;
  std::string text = fmt::format("{}: {} requirement{}, but none for {} (--python, --platform)", project.file.string(), asked.size(),
                                 asked.size() == 1 ? "" : "s", target_text(environment));
  for (std::size_t i = 0; i < std::min(asked.size(), most_shown); ++i)
    text += fmt::format("\n  {}: {}", asked[i].place, to_utf8(asked[i].dependency.text()));
  if (asked.size() > most_shown) text += fmt::format("\n  and {} more", asked.size() - most_shown);
  throw bad_input(text);
}

// What conda would install of it counts as what the index calls so; what pip installs over it counts instead.
PythonProject of_conda_environment(const fs::path& file) {
  auto environment = read_conda_environment(file);
  PythonProject project{directory_name(file), file, std::move(environment.python), std::move(environment.pip), {}};
  auto& asked = project.dependencies;
  for (auto& one : environment.meant)
    if (std::ranges::none_of(asked, [&](const auto& other) { return other.dependency.name == one.dependency.name; }))
      asked.push_back(std::move(one));
  project.left_out = std::move(environment.no_name);
  return project;
}

}  // namespace

bool is_requirements_file(const fs::path& file) {
  return file.extension() == ".txt" || file.extension() == ".in";
}

bool is_python_project(const fs::path& file) {
  return file.filename() == "Pipfile" || file.filename() == "pyproject.toml" || is_conda_environment(file) ||
         is_requirements_file(file) || is_amun_file(file);
}

void refuse_optional_parts(const fs::path& file, const PythonContext& context) {
  if (!context.extras.empty())
    throw bad_input(fmt::format("{}: --extra {}: a pyproject.toml or uv.lock has extras of its own, this file has none; an extra of a package "
                                "stands with its name, as package[{}]",
                                file.string(), *context.extras.begin(), *context.extras.begin()));
  if (!context.groups.empty())
    throw bad_input(fmt::format("{}: --group {}: groups are of pyproject.toml, Pipfile and uv.lock, and this file has none", file.string(),
                                *context.groups.begin()));
}

namespace {

PythonProject with_what_is_elsewhere(const fs::path& file, const PythonContext& context, std::vector<std::string>& elsewhere) {
  if (is_requirements_file(file)) {
    RequirementsBeside beside;
    auto project = read_requirements_txt(file, &beside);
    elsewhere = std::move(beside.elsewhere);
    return project;
  }
  PackageSources sources;
  auto project = file.filename() == "Pipfile" ? read_pipfile(file, context.groups, &sources)
                                              : read_pyproject(file, context.extras, context.groups, &sources);
  elsewhere = std::move(sources.elsewhere);
  return project;
}

}  // namespace

PythonProject read_python_project(const fs::path& file, const PythonContext& context, std::vector<std::string>* elsewhere) {
  const bool has_groups = file.filename() == "pyproject.toml" || (file.filename() == "Pipfile" && context.extras.empty());
  if (!has_groups) refuse_optional_parts(file, context);
  if (elsewhere && (has_groups || is_requirements_file(file))) return with_what_is_elsewhere(file, context, *elsewhere);
  if (file.filename() == "pyproject.toml")
    return read_pyproject(file, context.extras, context.groups);
  if (has_groups) return read_pipfile(file, context.groups);
  if (is_requirements_file(file)) return read_requirements_txt(file);
  if (is_conda_environment(file)) return of_conda_environment(file);
  auto requirements = load_amun(file).requirements;
  if (requirements) return std::move(*requirements);
  throw bad_input(
      file.string() +
      ": /python/requirements: not there: the specification says where and what to run, but not which "
      "packages; name the Pipfile that belongs to it as the project");
}

Project to_project(const PythonProject& python_project, const Catalog& catalog,
                   const PythonContext& context) {
  const auto python = chosen_python(python_project, catalog, context);
  std::optional<MarkerEnvironment> environment;
  if (python) environment = MarkerEnvironment::for_python(*python, context.platform);

  check_something_asked(python_project, environment);
  Assembly roots(catalog), pins(catalog);
  for (const auto& placed : python_project.dependencies)
    if (applies(placed, environment)) roots.add(placed);
  const bool knows_python = roots.knows("python");
  if (knows_python && python_project.python) roots.add(*python_project.python);
  if (knows_python && python && (has_markers(python_project) || !context.python.empty()))
    pins.add("python", that_python(*python, catalog), "python");
  for (const auto& placed : python_project.constraints)
    if (applies(placed, environment) && pins.knows(placed.dependency.name))
      pins.add(placed.dependency.name, placed.dependency.versions, placed.place);

  Project project;
  project.name = python_project.name;
  project.file = python_project.file;
  project.catalogs = context.catalogs;
  project.requires_ = roots.requirements();
  project.pins = pins.requirements();
  return project;
}

PlacedDependency read_dependency(std::string_view text, const std::string& place) {
  auto dependency = parse_dependency(text);
  if (!dependency)
    throw bad_input(fmt::format("{}: {}: column {}: {}", place, in_quotes(text),
                                dependency.error().column,
                                to_utf8(dependency.error().reason.substr(0, 500))));
  if (!dependency->url.empty())
    throw bad_input(fmt::format(
        "{}: {} comes from a URL, but a catalog holds released versions; write {} and versions "
        "instead ({}==1.2)",
        place, in_quotes(text), dependency->name, dependency->name));
  return {std::move(*dependency), place};
}

PlacedDependency python_dependency(std::string_view versions, const std::string& place) {
  auto range = SpecifierSet::parse(versions, Versioning::pep440);
  if (!range)
    throw bad_input(fmt::format("{}: {}: column {}: {}", place, in_quotes(versions),
                                range.error().column, range.error().reason));
  Dependency dependency;
  dependency.name = "python";
  dependency.versions = std::move(*range);
  return {std::move(dependency), place};
}

std::string directory_name(const fs::path& file) {
  std::error_code error;
  const std::string name = fs::absolute(file, error).parent_path().filename().string();
  return name.empty() ? file.stem().string() : name;
}

bool applies(const PlacedDependency& placed, const std::optional<MarkerEnvironment>& environment) {
  if (!placed.dependency.marker) return true;
  if (environment) return placed.dependency.holds(*environment);
  throw bad_input(fmt::format(
      "{}: whether {} holds depends on the Python, which neither the file nor a catalog names; "
      "name it: --python 3.11",
      placed.place, in_quotes(placed.dependency.marker->text())));
}

void check_something_asked(const PythonProject& project, const std::optional<MarkerEnvironment>& environment) {
  if (project.dependencies.empty())
    throw bad_input(project.file.string() +
                    ": asks for no package; what is the stack for? (optional groups count only when they are named)");
  const auto holds = [&](const PlacedDependency& placed) { return applies(placed, environment); };
  if (std::ranges::none_of(project.dependencies, holds)) refuse_markers(project, *environment);  // else applies() threw
}

}  // namespace stackx::specs
