// What the files of a Python project ask for, and that as a Project of ours: an existing project
// needs no rewriting.
//
//   requirements*.txt, *.in   requirements_txt.hpp    -c files restrict
//   Pipfile                   pipfile.hpp             [packages], [requires]
//   pyproject.toml            pyproject.hpp           [project], PEP 735
//   environment.yml           conda_environment.hpp   of conda: what stands under `pip:`, and frameworks
//   an Amun specification     specs/thoth/amun.hpp                its /python/requirements
//
// Such a file names no catalogs and perhaps no Python: that comes from outside (PythonContext).
//   - Every package is a root requirement, several on one package are one. An extra, as in
//     requests[security], asks for the component "requests+security" beside "requests": that is how
//     imported catalogs name it.
//   - A Python that the file asks for (requires-python) is a root requirement on the component
//     `python`: the project runs on one. A catalog without that component holds for one Python
//     that it does not name, and nothing is asked of it.
//   - Markers are held against one Python: that of the context, else the newest of the catalogs
//     that the file allows. Where there are markers, `python` is pinned to it, since the packages
//     that they ask for are right for that one only.
//   - Constraints (-c) become pins; those on packages that no catalog declares restrict nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/project/project.hpp"
#include "specs/python/pep508.hpp"

namespace stackx::specs {

struct PlacedDependency {
  Dependency dependency;
  std::string place;  // "requirements.txt:3"
};

struct PythonProject {
  std::string name;
  std::filesystem::path file;
  std::optional<PlacedDependency> python;      // on the name "python"
  std::vector<PlacedDependency> dependencies;  // with markers of all environments
  std::vector<PlacedDependency> constraints;
  std::vector<PlacedDependency> overrides = {};  // of uv: in place of what any package asks of these
  std::vector<std::string> left_out = {};  // names of packages that are asked for, and of which no index is known to have any
};

// requirements*.txt, *.in
bool is_requirements_file(const std::filesystem::path& file);
// By the name of the file, for Amun by what stands in it: is it one of those above?
bool is_python_project(const std::filesystem::path& file);
// Throws bad_input where the context asks for extras or groups: of a file that has none.
void refuse_optional_parts(const std::filesystem::path& file, const PythonContext& context);
// `elsewhere` takes what comes from no index, as written; without it that is refused.
PythonProject read_python_project(const std::filesystem::path& file, const PythonContext& context, std::vector<std::string>* elsewhere = nullptr);
Project to_project(const PythonProject& python_project, const Catalog& catalog,
                   const PythonContext& context);

// For the readers of such files.
//
// `text` as PEP 508 has it; throws bad_input at `place`, for a URL too: no catalog holds what lies
// there.
PlacedDependency read_dependency(std::string_view text, const std::string& place);
PlacedDependency python_dependency(std::string_view versions, const std::string& place);
// A project that says nothing of its name is called like its directory.
std::string directory_name(const std::filesystem::path& file);

// Does the dependency's marker hold? Throws bad_input where there is one and no environment.
bool applies(const PlacedDependency& placed, const std::optional<MarkerEnvironment>& environment);

// Throws bad_input for a project that asks for nothing there: it has no requirements, or each with a marker that does not
// hold, and then names them.
void check_something_asked(const PythonProject& project, const std::optional<MarkerEnvironment>& environment);

}  // namespace stackx::specs
