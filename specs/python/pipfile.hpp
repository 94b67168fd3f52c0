// Pipfile: pipenv's TOML. [packages] and, where asked for, [dev-packages] and other categories.
//
//   flask = "*"                                       any version
//   requests = {version = ">=2", extras = ["security"], markers = "...", os_name = "== 'nt'"}
//   [requires] python_version = "3.7"                 python ==3.7.*; python_full_version: ==3.7.4
// git, path, file and editable are errors: a catalog holds released versions. [[source]], index and
// [scripts] have no effect. Who can do something with those but the last asks for PackageSources. A key that pipenv does
// not know is an error, since it may be a misspelt version.
#pragma once

#include "specs/python/project.hpp"

namespace stackx::specs {

class TomlNode;
struct PackageSources;

// `categories` beside [packages]: "dev-packages", or "dev" for short.
PythonProject read_pipfile(const std::filesystem::path& file,
                           const std::set<std::string>& categories, PackageSources* sources = nullptr);
PythonProject parse_pipfile(const TomlNode& document, const std::filesystem::path& file,
                            const std::set<std::string>& categories, PackageSources* sources = nullptr);

}  // namespace stackx::specs
