// The first step of a pass: what the project's catalogs say is brought up to date from the package index.
//
//   a Python project (requirements.txt, Pipfile, pyproject.toml)   its catalog is made of the index, in stackx's cache
//   a catalog that says how it was imported                        imported again, and replaced where it lies
//   any other catalog, as those that come with stackx              releases that it does not know lie over it, in the cache
//   the facts of the packages (`check`, `advise`)                  those that stackx follows, in the user's directory
// What cannot be reached is said in one line, and the pass goes on with what is known; so it does without --no-refresh where
// pip has no index. Catalogs that come with stackx are never written to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pypi/pip_settings.hpp"
#include "workspace/context.hpp"

namespace stackx::watch {

struct RefreshAsked {
  std::filesystem::path project;
  std::vector<std::string> catalogs;  // of --catalog
  std::string python;                 // of a Python project
  std::string id;                     // of the watch: names the files in the cache
  pypi::PipOptions pip;
  bool offline = false;               // nothing is asked; what was made earlier is used
  bool facts = true;                  // those of packages, too
};

struct Refreshed {
  std::vector<std::string> catalogs;  // --catalog and what was made beside it: what the project is loaded with
  std::vector<std::string> notes;     // what could not be read, and why
  std::vector<std::string> read;      // "numpy.json", "requirements.txt"
  bool failed = false;                // the index could not be asked
};

// Throws Error(bad_input) for a project that cannot be read, and Error(environment) where nothing at all is known of it.
Refreshed refresh(const RefreshAsked& asked, const workspace::Context& context);

}  // namespace stackx::watch
