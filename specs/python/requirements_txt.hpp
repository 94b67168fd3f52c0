// requirements.txt as pip reads it: a requirement (PEP 508) or options a line, comments, lines
// continued with a backslash, files named by -r and -c relative to the file that names them.
//
//   -r FILE, -c FILE           read; everything in a constraints file is a constraint
//   --hash=ALGORITHM:DIGEST    checked for its form: a catalog has hashes of its own
//   --index-url and the like   without effect: the catalogs say what there is
//   -e, paths, URLs, VCS       errors: a catalog holds released versions
// Who can do something with the last three asks for RequirementsBeside, and nothing of it is an error then.
// Encodings: pip_text.hpp. Environment variables are not expanded. Rejected: pip's own parser in a Python process (one would
// have to be there, and its errors name no line).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "specs/python/project.hpp"

namespace stackx::specs {

inline constexpr std::size_t most_requirements = 100'000;  // each takes most of a KiB; no environment has so many

struct RequirementsBeside {
  std::map<std::string, std::vector<std::string>> hashes;  // a requirement's place -> SHA-256, lower case
  std::vector<std::string> elsewhere;                      // as written, without "-e"
  std::string index;                                       // of --index-url, the last one
  std::vector<std::string> extra_indexes;
};

// Throws Error(bad_input) for what is none, and for more than `most_requirements`.
PythonProject read_requirements_txt(const std::filesystem::path& file, RequirementsBeside* beside = nullptr);

// Of a text that names no further files, for tests.
PythonProject parse_requirements_txt(std::string_view text, const std::string& name, RequirementsBeside* beside = nullptr);

}  // namespace stackx::specs
