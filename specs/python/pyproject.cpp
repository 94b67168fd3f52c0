#include "specs/python/pyproject.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "specs/format/toml.hpp"

namespace stackx::specs {
namespace {

// The member whose normalised name is `name`; an error that names the nearest one.
const TomlNode& named(const TomlNode& table, const std::string& name, const char* what) {
  std::vector<std::string> known;
  for (const auto& [key, value] : table.members()) {
    if (normalized_name(key) == normalized_name(name)) return value;
    known.push_back(key);
  }
  table.fail(
      fmt::format("there is no {} {} here{}", what, in_quotes(name), suggestion(name, known)));
}

class PyprojectReader {
 public:
  PyprojectReader(const TomlNode& document, PythonProject& project)
      : document_(document), project_(project) {}

  void read_project() {
    const TomlNode* table = document_.find("project");
    if (!table) return refuse_poetry();
    if (const auto* name = table->find("name")) project_.name = name->text();
    refuse_dynamic(*table);
    if (const auto* list = table->find("dependencies")) read_list(*list);
    if (const auto* python = table->find("requires-python"))
      project_.python = python_dependency(python->text(), python->place());
  }

  void read_extra(const std::string& extra) {
    if (!extras_.insert(normalized_name(extra)).second) return;
    read_list(named(document_.at("project").at("optional-dependencies"), extra, "extra"));
  }

  void read_group(const std::string& group) {
    if (!groups_.insert(normalized_name(group)).second) return;
    const TomlNode& list = named(document_.at("dependency-groups"), group, "dependency group");
    for (const auto& item : list.items()) {
      if (item.is_table())
        read_group(item.at("include-group").text());
      else
        add(item);
    }
  }

 private:
  void refuse_poetry() const {
    const TomlNode* tool = document_.find("tool");
    if (const auto* poetry = tool ? tool->find("poetry") : nullptr;
        poetry && poetry->find("dependencies"))
      poetry->fail(
          "the dependencies stand in Poetry's own form; move them to [project] (PEP 621), or "
          "export them: poetry export -o requirements.txt --without-hashes");
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

  void add(const TomlNode& item) {
    PlacedDependency placed = read_dependency(item.text(), item.place());
    const bool itself = placed.dependency.name == normalized_name(project_.name);
    if (!itself) return project_.dependencies.push_back(std::move(placed));
    for (const auto& extra : placed.dependency.extras) read_extra(extra);
  }

  const TomlNode& document_;
  PythonProject& project_;
  std::set<std::string> extras_, groups_;  // each is read once: circles end
};

}  // namespace

PythonProject parse_pyproject(const TomlNode& document, const std::filesystem::path& file,
                              const std::set<std::string>& extras,
                              const std::set<std::string>& groups) {
  PythonProject project;
  project.name = directory_name(file);
  project.file = file;
  PyprojectReader reader(document, project);
  reader.read_project();
  for (const auto& extra : extras) reader.read_extra(extra);
  for (const auto& group : groups) reader.read_group(group);
  return project;
}

PythonProject read_pyproject(const std::filesystem::path& file, const std::set<std::string>& extras,
                             const std::set<std::string>& groups) {
  return parse_pyproject(TomlNode::parse_file(file), file, extras, groups);
}

}  // namespace stackx::specs
