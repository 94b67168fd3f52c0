#include "specs/python/pyproject.hpp"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"
#include "specs/python/package_sources.hpp"
#include "specs/python/poetry.hpp"

namespace stackx::specs {
namespace {

class PyprojectReader {
 public:
  PyprojectReader(const TomlNode& document, PythonProject& project, PackageSources* sources)
      : document_(document), project_(project), sources_(sources) {}

  void read_project() {
    const TomlNode* table = document_.find("project");
    if (!table) return;
    if (const auto* name = table->find("name")) project_.name = name->text();
    refuse_dynamic(*table);
    if (const auto* list = table->find("dependencies")) read_list(*list);
    if (const auto* python = table->find("requires-python"))
      project_.python = python_dependency(python->text(), python->place());
  }

  void read_extra(const std::string& extra) {
    if (!extras_.insert(normalized_name(extra)).second) return;
    const TomlNode* project = document_.find("project");
    read_list(optional_part(document_, project ? project->find("optional-dependencies") : nullptr, extra, "extra"));
  }

  void read_group(const std::string& group) {
    if (!groups_.insert(normalized_name(group)).second) return;
    const TomlNode& list = optional_part(document_, document_.find("dependency-groups"), group, "dependency group");
    for (const auto& item : list.items()) {
      if (item.is_table())
        read_group(item.at("include-group").text());
      else
        add(item);
    }
  }

  // What uv is told of all requirements on a package, those of other packages, too.
  void read_uv() {
    const auto* uv = tool_table(document_, "uv");
    if (!uv) return;
    if (const auto* list = uv->find("constraint-dependencies")) read_into(*list, project_.constraints);
    if (const auto* list = uv->find("override-dependencies")) read_into(*list, project_.overrides);
    override_own();
  }

 private:
  // A dependency of the project's is asked for once as each of its overrides has it, which their markers tell apart.
  void override_own() {
    std::set<std::string> done;
    std::vector<PlacedDependency> dependencies;
    for (const auto& placed : project_.dependencies) {
      const auto is_for_it = [&](const auto& one) { return one.dependency.name == placed.dependency.name; };
      if (std::ranges::none_of(project_.overrides, is_for_it))
        dependencies.push_back(placed);
      else if (done.insert(placed.dependency.name).second)
        for (const auto& one : project_.overrides | std::views::filter(is_for_it)) {
          dependencies.push_back(placed);
          dependencies.back().dependency.versions = one.dependency.versions;
          dependencies.back().dependency.marker = one.dependency.marker;
        }
    }
    project_.dependencies = std::move(dependencies);
  }

  void read_into(const TomlNode& list, std::vector<PlacedDependency>& placed) {
    for (const auto& item : list.items())
      if (is_elsewhere(item.text()))
        sources_->elsewhere.push_back(item.text());
      else
        placed.push_back(read_dependency(item.text(), item.place()));
  }

  static void refuse_dynamic(const TomlNode& project) {
    const TomlNode* dynamic = project.find("dynamic");
    if (!dynamic) return;
    for (const auto& item : dynamic->items())
      if (item.text() == "dependencies")
        item.fail(
            "the dependencies are made by the build backend; write them to a requirements.txt: "
            "pip-compile pyproject.toml, or uv pip compile pyproject.toml");
  }

  void read_list(const TomlNode& list) {
    for (const auto& item : list.items()) add(item);
  }

  bool is_elsewhere(const std::string& text) const {
    const auto dependency = sources_ ? parse_dependency(text) : std::unexpected(ParseError{});
    return dependency && !dependency->url.empty();
  }

  void add(const TomlNode& item) {
    if (is_elsewhere(item.text())) return sources_->elsewhere.push_back(item.text());
    PlacedDependency placed = read_dependency(item.text(), item.place());
    const bool itself = placed.dependency.name == normalized_name(project_.name);
    if (!itself) return project_.dependencies.push_back(std::move(placed));
    for (const auto& extra : placed.dependency.extras) read_extra(extra);
  }

  const TomlNode& document_;
  PythonProject& project_;
  PackageSources* sources_;
  std::set<std::string> extras_, groups_;  // each is read once: circles end
};

}  // namespace

const TomlNode& optional_part(const TomlNode& document, const TomlNode* table, const std::string& name, const char* what) {
  constexpr std::size_t few = 12;
  if (!table || table->members().empty()) document.fail(fmt::format("there is no {} {}: no {} is named here", what, in_quotes(name), what));
  std::vector<std::string> known;
  for (const auto& [key, value] : table->members()) {
    if (normalized_name(key) == normalized_name(name)) return value;
    known.push_back(to_utf8(key.substr(0, 60)));
  }
  const auto more = known.size() > few ? fmt::format(" and {} more", known.size() - few) : "";
  const auto near = suggestion(name, known);
  known.resize(std::min(known.size(), few));
  table->fail(fmt::format("there is no {} {} here, but {}{}{}", what, in_quotes(name), fmt::join(known, ", "), more, near));
}

PythonProject parse_pyproject(const TomlNode& document, const std::filesystem::path& file,
                              const std::set<std::string>& extras,
                              const std::set<std::string>& groups, PackageSources* sources) {
  PythonProject project;
  project.name = directory_name(file);
  project.file = file;
  if (sources) {
    read_uv_sources(document, extras, groups, *sources);
    read_poetry_sources(document, *sources);
    read_pdm_sources(document, *sources);
  }
  if (is_in_poetrys_form(document)) {
    read_poetry(document, extras, groups, project, sources);
    return project;
  }
  PyprojectReader reader(document, project, sources);
  reader.read_project();
  for (const auto& extra : extras) reader.read_extra(extra);
  for (const auto& group : groups) reader.read_group(group);
  reader.read_uv();
  return project;
}

PythonProject read_pyproject(const std::filesystem::path& file, const std::set<std::string>& extras,
                             const std::set<std::string>& groups, PackageSources* sources) {
  return parse_pyproject(TomlNode::parse_file(file), file, extras, groups, sources);
}

}  // namespace stackx::specs
