// One version of a package that an end has, as a package index knows it: its files, and what it requires, on each of the Pythons
// that the ends run on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "blame/ends/end.hpp"
#include "pypi/index/facts.hpp"
#include "pypi/index/index.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/python/wheel_target.hpp"

namespace stackx::blame {

// The Pythons of the ends, the old end's first; one where they are the same.
using Pythons = std::vector<specs::Target>;

// An end that names no Python has the other's, where none does `usual`; of 3.11 and 3.11.2 the latter is meant.
Pythons pythons_of(const End& old_end, const End& new_end, const std::string& usual, const std::string& platform);

struct OnPython {
  std::optional<pypi::Facts> facts;  // none: no file, or see `unread`
  std::string fault = {};            // why it is not there on that Python: "has no wheel for Python 3.12"
  std::string unread = {};           // why nobody knows what it requires
};

struct LockedPackage {
  std::vector<specs::Artifact> artifacts;  // wheels for any of the Pythons, the best first, then source archives
  std::vector<OnPython> on;                // for each of Pythons
  std::string missing = {};                // why its end cannot have it, where that has what other platforms need
};

using LockedPackages = std::map<std::string, std::map<std::string, LockedPackage>>;  // name -> version, as the ends write it

// Of all that either end has, and nothing else. What an end has must be there for its Python: else Error(bad_input) that names
// the first five. The lock's hashes decide which place of the index it comes from, or without any the version (2.4.0+cu121 is
// PyTorch's own index').
LockedPackages read_locked(const End& old_end, const End& new_end, const Pythons& pythons,
                           pypi::Index& index);

// "a 1: reason"; `python`: one for which the index has what is missing, "" where there is none.
[[noreturn]] void refuse_missing(const std::string& ends, const std::vector<std::string>& missing, const std::string& python = {});

}  // namespace stackx::blame
