// One end of what is compared, as its user names it: which version of which package it has.
//
//   Pipfile.lock, pylock.toml, uv.lock, poetry.lock   what was chosen, with the hashes of its files
//   requirements.txt, `pip freeze` (also <(pip freeze), -)   every requirement with one version; --hash is kept
//   environment.yml                                  its pip part
//   DIRECTORY, DIRECTORY/bin/python                  what is installed there, without installers (pip, setuptools, ...)
//   "torch==2.6.0 numpy=2.1.0"                       packages, as the command line prints stacks, too
//   4f1c09a2                                         the id of a stack in the store, or how it begins
// A requirement that leaves a choice is an error: what ran is not known. What comes from a path or repository is skipped and
// named. Rejected: resolving such a requirement as of today, which is another stack than the one that was measured.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::blame {

struct End {
  std::string text;                                        // as it was named
  std::string python;                                      // "3.11" or "3.11.2"; "": it does not say
  std::map<std::string, std::string> packages;             // normalised name -> version
  std::map<std::string, std::set<std::string>> extras;     // that the end itself asks for, of a package
  std::map<std::string, std::vector<std::string>> hashes;  // SHA-256 of its files, where the lock has them
  std::map<std::string, std::string> others;               // of a stack: components that are no packages (image, settings)
  std::optional<specs::Stack> stack;                       // of a stack: all of it
  std::vector<std::string> skipped;                        // "mylib (from a path)"
  bool is_for_all_platforms = false;                       // of uv and Poetry: it has what others need, too
};

struct EndContext {
  std::string python = {};                // the user's word; "": the end's own
  std::string usual_python = "3.12";      // whom markers are held against where nobody says
  std::string platform = "linux x86_64";  // the same
  std::filesystem::path store = {};       // that stacks are looked up in; "": none
  const specs::Catalog* catalog = nullptr;  // says which components of a stack are packages; null: the store's documents do
};

// Throws Error(bad_input) for what is none of these.
End read_end(const std::string& text, const EndContext& context);

}  // namespace stackx::blame
