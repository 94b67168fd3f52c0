// PROJECT of the commands that ask the package index (inspect, watch, resolve), as a person names it:
//
//   FILE                          a project of stackx or of Python: as it stands
//   DIRECTORY                     the one project file in it; of several the person says which
//   "numpy>=1.26", "torch jax"    packages, where no file is called so: a requirements.txt of these lines, kept as
//                                 <cache>/asked/TEXT/requirements.txt, so that --resume and watch find the same one
//   "pip install torch -i URL"    what it installs (pasted.hpp), kept likewise, with options as <cache>/pasted/DIGEST/pasted.txt
// Rejected: a project without a file. Campaigns, passes of watch and catalogs of the index are found by its place and name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workspace/context.hpp"

namespace stackx::workspace {

// The file. What was taken for a package without a word about its version is said on stderr. Text that is none of these is
// given back: who reads it says what is wrong. Throws Error(bad_input) for a directory with several project files,
// Error(environment) where nothing can be kept.
std::filesystem::path named_project(const std::filesystem::path& text);

// The Python that a pasted command names: 3.10 of "uv pip install --python 3.10 torch"; "" of all else.
std::string pasted_python(const std::filesystem::path& text);

// What a person called it: the packages, not the file that they are kept in.
std::string called(const std::filesystem::path& project);

// Whether it is what somebody typed, not a file of theirs.
bool is_of_words(const std::filesystem::path& project);

// The packages that a Python project asks for, by name; none of any other file's, nor of conda's. Throws as reading it does.
std::vector<std::string> asked_packages(const std::filesystem::path& project);

// "; a project in it: p/requirements.txt, p/pyproject.toml", for messages about a directory; "" where there is none.
std::string projects_in(const std::filesystem::path& directory);

}  // namespace stackx::workspace
