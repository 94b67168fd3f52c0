// pyproject.toml: [project] dependencies and requires-python (PEP 621), and where asked for
// optional-dependencies (extras) and [dependency-groups] (PEP 735).
//
// An extra that asks for the project's own extras (name[other]) and include-group are followed.
// Without [project] what stands in Poetry's own form is read (poetry.hpp). Dependencies that the build backend makes
// (dynamic) are errors that say how to export them, and so are those with a URL: a catalog holds released versions. Who can do
// something with the latter asks for PackageSources.
// uv's [tool.uv] constraint-dependencies restrict, override-dependencies stand in place of what is asked of a package.
#pragma once

#include "specs/python/project.hpp"

namespace stackx::specs {

class TomlNode;
struct PackageSources;

PythonProject read_pyproject(const std::filesystem::path& file, const std::set<std::string>& extras,
                             const std::set<std::string>& groups, PackageSources* sources = nullptr);
PythonProject parse_pyproject(const TomlNode& document, const std::filesystem::path& file,
                              const std::set<std::string>& extras,
                              const std::set<std::string>& groups, PackageSources* sources = nullptr);

// The member whose normalised name is `name`; an error that names those there are. `table` may be null: there is none.
const TomlNode& optional_part(const TomlNode& document, const TomlNode* table, const std::string& name, const char* what);

}  // namespace stackx::specs
