// pyproject.toml in Poetry's own form, without [project]: what Poetry before 2 wrote.
//
//   [tool.poetry.dependencies]
//   python = "^3.10"                                   >=3.10,<4
//   torch = {version = "~2.4", source = "pytorch"}     >=2.4,<2.5; 2.4.1 is ==2.4.1
//   numpy = [{version = "<2", python = "<3.9"}, ...]   each where its markers, python and platform hold
//   vllm = {version = "*", optional = true}            counts with an extra of [tool.poetry.extras] that names it
//   [tool.poetry.group.NAME.dependencies], [tool.poetry.dev-dependencies] (the group dev): where asked for
// git, path and url are errors unless somebody asks for PackageSources; so are alternatives (||) that no range of PEP 440 says
// (alternatives.hpp).
#pragma once

#include "specs/python/project.hpp"

namespace stackx::specs {

class TomlNode;
struct PackageSources;

bool is_in_poetrys_form(const TomlNode& document);
void read_poetry(const TomlNode& document, const std::set<std::string>& extras, const std::set<std::string>& groups, PythonProject& project,
                 PackageSources* sources);

// "^2.4" -> ">=2.4,<3"; what Poetry has from PEP 440 stays. "~2.4 || ~2.7" -> ">=2.4,<2.8,!=2.5.*,!=2.6.*". Nothing for what is no range.
std::optional<std::string> pep440_of_poetry(std::string_view text);

}  // namespace stackx::specs
