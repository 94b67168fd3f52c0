// pyproject.toml: [project] dependencies and requires-python (PEP 621), and where asked for
// optional-dependencies (extras) and [dependency-groups] (PEP 735).
//
// An extra that asks for the project's own extras (name[other]) and include-group are followed.
// Dependencies that the build backend makes (dynamic) or that stand in a table of Poetry's are
// errors that say how to export them.
#pragma once

#include "specs/python/project.hpp"

namespace stackx::specs {

class TomlNode;

PythonProject read_pyproject(const std::filesystem::path& file, const std::set<std::string>& extras,
                             const std::set<std::string>& groups);
PythonProject parse_pyproject(const TomlNode& document, const std::filesystem::path& file,
                              const std::set<std::string>& extras,
                              const std::set<std::string>& groups);

}  // namespace stackx::specs
