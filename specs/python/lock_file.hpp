// What a lock file chose: one version a package, for one environment.
//
//   Pipfile.lock               "default" (pipenv)
//   pylock.toml, pylock.*.toml PEP 751, the packages whose marker holds with no extras and the
//                              default groups
//   requirements*.txt, *.in    where every requirement is pinned with == or ===
// Of Pipfile.lock and pylock.toml the SHA-256 of the files that may be installed are kept. Packages that no catalog declares are there too: whoever
// asks says what they mean. Files of uv and Poetry are errors that say how to export them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "specs/python/marker.hpp"

namespace stackx::specs {

class Node;
class TomlNode;

struct Lock {
  std::filesystem::path file;
  std::string python;  // "3.7", what the markers were held against; "" if there was none to know
  std::map<std::string, std::string> components;  // package, "package+extra" -> version
  std::map<std::string, std::string> where;       // the same -> "FILE:LINE", "FILE: POINTER"
  std::map<std::string, std::vector<std::string>> hashes;  // package -> SHA-256 of its files
  std::vector<std::string> sources;                        // names of the indexes, as listed
};

// By the name of the file: is it a lock and nothing else? (A requirements.txt is a project, too.)
bool is_lock_file(const std::filesystem::path& file);

// `python` "": the one that the file names, if it does; a marker that needs one is an error then.
Lock load_lock(const std::filesystem::path& file, const std::string& python = "",
               const std::string& platform = "linux x86_64");

// A Pipfile.lock that stands in another document.
Lock read_pipfile_lock(const Node& document, const std::filesystem::path& file,
                       const std::string& python = "",
                       const std::string& platform = "linux x86_64");

}  // namespace stackx::specs
