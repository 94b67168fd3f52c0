// The Python packages of an answer, each with its version: what the install line and every recipe say.
//
// Pinned is only what is known to belong together: the packages that were asked for, what their own metadata pins, and
// what had to be held back. Rejected: pinning all that check chose; where a build's metadata is not known (torch
// 2.14.1+cu126 is on PyTorch's own index), an installer would refuse a pin that is not that build's.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "advisor/facts/system_libraries.hpp"

namespace stackx::advisor {

struct PinnedPackage {
  std::string name, version;           // "torch", "2.14.1+cu126"
  std::set<std::string> extras = {};   // {"cuda12"}
  bool asked = true;                   // false: held back, or implied
  std::string range = {};              // of a package that nobody lists, which is not pinned: "<3"
  bool implied = false;                // pinned by one that was asked for: an installer takes it anyway
  std::vector<std::string> compiled_beside = {};  // it is compiled when it is installed, with these there (specs::Fact)
  bool compiled() const { return !compiled_beside.empty(); }
};

struct Pinned {
  std::string python;                  // to take: "3.12"
  std::vector<std::string> pythons;    // on which the same holds, newest first
  std::string driver;                  // range: ">=525.60.13,<581"; "": no GPU
  std::string glibc;                   // that the wheels need: "2.28"; "": not known
  std::vector<PinnedPackage> packages;
  std::map<std::string, SystemLibraries> system = {};  // by package: what it loads and none of them brings
};

}  // namespace stackx::advisor
