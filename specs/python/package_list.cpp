#include "specs/python/package_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/conda_environment.hpp"
#include "specs/python/lock_file.hpp"
#include "specs/python/package_sources.hpp"
#include "specs/python/pipfile.hpp"
#include "specs/python/poetry.hpp"
#include "specs/python/pyproject.hpp"
#include "specs/python/requirements_txt.hpp"
#include "specs/version/text_scanner.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::specs {
namespace {

namespace fs = std::filesystem;

// What somebody installed from elsewhere, for a person: cut, and printable whatever it held.
std::string skipped_text(std::string_view text, std::string_view why) {
  auto shown = to_utf8(text.substr(0, 60));
  while (text.size() > 60 && shown.ends_with("\xEF\xBF\xBD")) shown.resize(shown.size() - 3);  // a character cut in two
  return shown.append(why);
}

PackageList of_project(PythonProject project) {
  PackageList list{std::move(project.dependencies), std::move(project.constraints), {}, {}};
  list.overrides = std::move(project.overrides);
  if (project.python) list.python = project.python->dependency.versions;
  return list;
}

// What a source that counts in the environment says of each package that is asked for there.
void take_sources(PackageSources sources, const MarkerEnvironment& environment, PackageList& list) {
  list.index = std::move(sources.index);
  list.extra_indexes = std::move(sources.beside);
  list.first_indexes = std::move(sources.first);
  for (const auto& one : sources.elsewhere) list.skipped.push_back(skipped_text(one, " (not from an index)"));
  std::erase_if(list.dependencies, [&](const PlacedDependency& placed) {
    const auto* source = source_of(placed.dependency.name, sources, environment);
    if (!source || !placed.dependency.holds(environment)) return false;
    if (source->elsewhere.empty()) list.own_index[source->package] = {source->index, source->url};
    else list.skipped.push_back(skipped_text(source->package, fmt::format(" (from {})", source->elsewhere)));
    return !source->elsewhere.empty();
  });
}

MarkerEnvironment environment_of(const PythonContext& context, const std::string& usual_python) {
  return MarkerEnvironment::for_python(context.python.empty() ? usual_python : context.python, context.platform);
}

PackageList with_sources(const fs::path& file, const PythonContext& context, const std::string& usual_python) {
  PackageSources sources;
  auto list = of_project(file.filename() == "Pipfile" ? read_pipfile(file, context.groups, &sources)
                                                      : read_pyproject(file, context.extras, context.groups, &sources));
  take_sources(std::move(sources), environment_of(context, usual_python), list);
  return list;
}

// uv's requires-python is PEP 440; poetry writes as its own form has it: ^3.11, ">=3.9,<3.9.1 || >3.9.1".
std::optional<SpecifierSet> python_of(const TomlNode& document) {
  const TomlNode* node = document.find("requires-python");
  if (const TomlNode* metadata = document.find("metadata"); !node && metadata && metadata->is_table())
    node = metadata->find("python-versions");
  if (!node || !node->is_text()) return std::nullopt;
  const auto text = node->text();
  auto range = SpecifierSet::parse(text, Versioning::pep440);
  if (!range) range = SpecifierSet::parse(pep440_of_poetry(text).value_or(""), Versioning::pep440);
  return range ? std::optional(*range) : std::nullopt;
}

// Where the file names no Python and its markers need one: the usual one, else another that the file allows.
Lock lock_for_some_python(const fs::path& file, const PythonContext& context, const std::string& usual_python) {
  for (const char* python : {usual_python.c_str(), "3.11", "3.10", "3.9", "3.13", "3.14", "3.8"}) try {
      return load_lock(file, python, context.platform);
    } catch (const Error&) {
    }
  return load_lock(file, usual_python, context.platform);
}

PackageList of_lock(const fs::path& file, const PythonContext& context, const std::string& usual_python) {
  PackageList list;
  if (file.extension() == ".toml") list.python = python_of(TomlNode::parse_file(file));
  Lock lock;
  try {
    lock = load_lock(file, context.python, context.platform);
    if (context.python.empty() && !lock.python.empty())  // that of Pipfile.lock
      list.python = python_dependency("==" + lock.python + (std::ranges::count(lock.python, '.') < 2 ? ".*" : ""), file.string())
                        .dependency.versions;
  } catch (const Error&) {
    if (!context.python.empty()) throw;
    lock = lock_for_some_python(file, context, usual_python);
  }
  list.hashes = lock.hashes;
  for (const auto& [name, version] : lock.components)
    list.dependencies.push_back(read_dependency(exact_requirement(name, version), lock.where.at(name)));
  return list;
}

// {registry = "..."} is an index; virtual, editable, directory, git, url are not.
bool is_from_index(const TomlNode& package) {
  const TomlNode* source = package.find("source");
  if (!source || !source->is_table()) return true;
  if (source->find("registry")) return true;
  const TomlNode* type = source->find("type");
  return type && type->is_text() && type->text() == "legacy";
}

// {hash = "sha256:0123abcd..."} of uv's wheels and sdist, and of Poetry's files.
void read_hashes_of(const TomlNode& package, std::vector<std::string>& found) {
  constexpr std::string_view sha256 = "sha256:";
  const auto take = [&](const TomlNode& file) {
    const auto* hash = file.is_table() ? file.find("hash") : nullptr;
    if (hash && hash->is_text() && hash->text().starts_with(sha256)) found.push_back(hash->text().substr(sha256.size()));
  };
  if (const auto* sdist = package.find("sdist")) take(*sdist);
  for (const char* list : {"wheels", "files"})
    if (const auto* files = package.find(list))
      for (const auto& file : files->items()) take(file);
}

// uv: resolution-markers = ["sys_platform == 'darwin'", ...], any of them; poetry: markers = "sys_platform == 'darwin'". Nothing
// where extras of the project decide, of which none is asked for.
std::optional<Marker> marker_of(const TomlNode& package) {
  std::string text;
  if (const auto* list = package.find("resolution-markers"); list)
    for (const auto& one : list->items()) text += (text.empty() ? "(" : " or (") + one.text() + ")";
  if (const auto* one = package.find("markers"); one && one->is_text()) text = one->text();
  if (text.empty() || text.contains("extra")) return std::nullopt;
  auto dependency = parse_dependency("x ; " + text);
  return dependency ? dependency->marker : std::nullopt;
}

// uv's own project in its lock, and what it asks for there: [package.optional-dependencies], [package.dev-dependencies].
class AskedOfLock {
 public:
  AskedOfLock(const TomlNode& document, const PythonContext& context, const std::string& usual_python)
      : environment_(environment_of(context, usual_python)) {
    if (context.extras.empty() && context.groups.empty()) return;
    const auto* packages = document.find("package");
    const auto* own = packages ? own_project(*packages) : nullptr;
    if (!own) document.fail("--extra, --group: no package here is the project itself, whose extras and groups they are");
    for (const auto& extra : context.extras) take(*own, "optional-dependencies", "extra", extra);
    for (const auto& group : context.groups) take(*own, "dev-dependencies", "dependency group", group);
  }

  // The version that is meant of several; "": nothing says so.
  std::string version_of(const std::string& name) const {
    const auto found = versions_.find(name);
    return found == versions_.end() ? "" : found->second;
  }

 private:
  static const TomlNode* own_project(const TomlNode& packages) {
    for (const auto& package : packages.items())
      if (const auto* source = package.find("source"); source && source->is_table())
        for (const char* kind : {"virtual", "editable"})
          if (const auto* place = source->find(kind); place && place->is_text() && place->text() == ".") return &package;
    return nullptr;
  }

  // Where extras exclude each other uv's markers ask for "extra-4-shop-cu128", four being the length of the project's name.
  void take(const TomlNode& own, const char* table, const char* what, const std::string& part) {
    const auto project = normalized_name(own.at("name").text()), kind = std::string(*what == 'e' ? "extra" : "group");
    environment_.variables["extra"] = fmt::format("{}-{}-{}-{}", kind, project.size(), project, normalized_name(part));
    for (const auto& one : optional_part(own, own.find(table), part, what).items())
      if (const auto* version = one.find("version"); version && holds(one))
        versions_[normalized_name(one.at("name").text())] = version->text();
  }

  bool holds(const TomlNode& dependency) const {
    const auto* text = dependency.find("marker");
    const auto marker = text ? Marker::parse(text->text()) : std::unexpected(ParseError{});
    return !marker || marker->holds(environment_);
  }

  MarkerEnvironment environment_;
  std::map<std::string, std::string> versions_;  // package -> the one of the extras that are asked for
};

// Of several versions the one that is meant; true: they are told apart.
bool keep_what_is_meant(std::vector<PlacedDependency>& placed, const std::string& version) {
  const auto is_meant = [&](const auto& one) { return single_version(one.dependency.versions) == version; };
  if (std::ranges::any_of(placed, is_meant)) {
    std::erase_if(placed, std::not_fn(is_meant));
    for (auto& one : placed) one.dependency.marker.reset();
  }
  return placed.size() == 1 || std::ranges::all_of(placed, [](const auto& one) { return one.dependency.marker.has_value(); });
}

// uv.lock: [manifest] overrides = [{name = "torch", specifier = "==2.4.0", marker = "..."}], as override-dependencies said.
std::vector<PlacedDependency> overrides_of_lock(const TomlNode& document) {
  std::vector<PlacedDependency> overrides;
  const auto* manifest = document.find("manifest");
  const auto* list = manifest && manifest->is_table() ? manifest->find("overrides") : nullptr;
  if (!list) return overrides;
  for (const auto& one : list->items()) {
    const auto* specifier = one.find("specifier");
    const auto* marker = one.find("marker");
    overrides.push_back(read_dependency(one.at("name").text() + (specifier ? specifier->text() : "") + (marker ? " ; " + marker->text() : ""),
                                        one.place()));
  }
  return overrides;
}

PackageList of_packages(const fs::path& file, const PythonContext& context, const std::string& usual_python) {
  const auto document = TomlNode::parse_file(file);
  const AskedOfLock asked(document, context, usual_python);
  PackageList list;
  list.python = python_of(document);
  list.overrides = overrides_of_lock(document);
  const bool is_poetry = file.filename() == "poetry.lock";
  std::map<std::string, std::vector<PlacedDependency>> by_name;
  if (const auto* packages = document.find("package"))
    for (const auto& package : packages->items()) {
      const auto name = package.at("name").text();
      const auto* version = package.find("version");
      if (!version || !is_from_index(package)) {
        list.skipped.push_back(skipped_text(name, " (not from an index)"));
        continue;
      }
      auto placed = read_dependency(name + "==" + version->text(), package.place());
      placed.dependency.marker = marker_of(package);
      by_name[placed.dependency.name].push_back(placed);
      if (std::vector<std::string> hashes; read_hashes_of(package, hashes), !hashes.empty())
        std::ranges::move(hashes, std::back_inserter(list.hashes[placed.dependency.name]));  // of all versions
    }
  for (auto& [name, placed] : by_name) {
    if (placed.size() == 1 && !is_poetry) placed.front().dependency.marker.reset();  // of uv: which fork of the lock it is in
    if (keep_what_is_meant(placed, asked.version_of(name)))
      std::ranges::move(placed, std::back_inserter(list.dependencies));
    else
      list.skipped.push_back(skipped_text(name, " (locked to several versions, by platform)"));
  }
  return list;
}

void take_indexes(RequirementsBeside& beside, PackageList& list) {
  if (!beside.index.empty()) list.index = std::move(beside.index);
  std::ranges::move(beside.extra_indexes, std::back_inserter(list.extra_indexes));
}

// "--extra-index-url URL" under `pip:`
bool names_an_index(const std::string& text, PackageList& list) {
  RequirementsBeside beside;
  if (!text.starts_with("-")) return false;
  try {
    parse_requirements_txt(text, "pip", &beside);
  } catch (const Error&) {  // another option: it is named as left out
    return false;
  }
  const bool is_it = !beside.index.empty() || !beside.extra_indexes.empty();
  take_indexes(beside, list);
  return is_it;
}

PackageList of_conda(const fs::path& file) {
  auto environment = read_conda_environment(file);
  PackageList list;
  list.dependencies = std::move(environment.pip);
  list.meant = std::move(environment.meant);
  list.conda_cuda = std::move(environment.cuda);
  if (environment.python) list.python = environment.python->dependency.versions;
  for (const auto& name : environment.of_conda) list.skipped.push_back(skipped_text(name, " (from conda)"));
  for (const auto& text : environment.elsewhere)
    if (!names_an_index(text, list)) list.skipped.push_back(skipped_text(text, " (not a package of an index)"));
  return list;
}

}  // namespace

std::string exact_requirement(const std::string& component, const std::string& version) {
  const auto plus = component.find('+');
  const auto name = plus == component.npos ? component : fmt::format("{}[{}]", component.substr(0, plus), component.substr(plus + 1));
  return name + "==" + version;
}

PackageList parse_freeze(std::string_view text, const std::string& name) {
  PackageList list;
  std::string kept;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trim(text.substr(0, end)).text;
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool elsewhere = line.starts_with("-e ") || line.find(" @ ") != line.npos;
    if (elsewhere && list.skipped.size() >= most_requirements)
      throw bad_input(fmt::format("{}: more than {} packages; no environment has so many", name, most_requirements));
    if (elsewhere)
      list.skipped.push_back(skipped_text(line.substr(line.starts_with("-e ") ? 3 : 0), " (not from an index)"));
    else
      kept += line;
    kept += '\n';
  }
  RequirementsBeside beside;
  list.dependencies = parse_requirements_txt(kept, name, &beside).dependencies;
  for (const auto& text_elsewhere : beside.elsewhere) list.skipped.push_back(skipped_text(text_elsewhere, " (not from an index)"));
  take_indexes(beside, list);
  return list;
}

PackageList read_requirements_list(const fs::path& file) {
  RequirementsBeside beside;
  auto project = read_requirements_txt(file, &beside);
  PackageList list{std::move(project.dependencies), std::move(project.constraints), {}, {}};
  for (const auto& text : beside.elsewhere) list.skipped.push_back(skipped_text(text, " (not from an index)"));
  for (const auto& [dependency, place] : list.dependencies)
    if (const auto known = beside.hashes.find(place); known != beside.hashes.end()) list.hashes[dependency.name] = known->second;
  take_indexes(beside, list);
  return list;
}

bool is_for_all_platforms(const fs::path& file) { return file.filename() == "uv.lock" || file.filename() == "poetry.lock"; }

PackageList read_package_list(const fs::path& file, const PythonContext& context, const std::string& usual_python) {
  const auto name = file.filename();
  if (name == "pyproject.toml" || (name == "Pipfile" && context.extras.empty())) return with_sources(file, context, usual_python);
  if (name == "uv.lock") return of_packages(file, context, usual_python);
  refuse_optional_parts(file, context);
  if (is_for_all_platforms(file)) return of_packages(file, context, usual_python);
  if (is_lock_file(file)) return of_lock(file, context, usual_python);
  if (is_conda_environment(file)) return of_conda(file);
  if (is_requirements_file(file)) return read_requirements_list(file);
  if (is_python_project(file)) return of_project(read_python_project(file, context));
  throw bad_input(fmt::format(
      "{}: expected requirements (*.txt, *.in), Pipfile, Pipfile.lock, pylock.toml, pyproject.toml, uv.lock, poetry.lock or "
      "environment.yml",
      file.string()));
}

}  // namespace stackx::specs
