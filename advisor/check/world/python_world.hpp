// Everything that could be installed for a question on one Python, as a project over a catalog: what the resolver
// judges.
//
// Components: every package that the requirements reach, in the versions that somebody allows (an extra is the component
// name+extra, which requires that very version); `python`, `machine` and `glibc`, which wheels are made for; `gpu` and
// `driver`, which builds are made for. What no catalog holds (numpy, flask) is an open component: any version may
// exist, and only ranges that exclude each other say anything; where none do it is left out and named. Requirements on
// the machine carry people's words as their text; wording.hpp makes sentences of them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"
#include "specs/catalog/catalog.hpp"

namespace stackx::advisor {

struct PythonWorld {
  std::string python;
  specs::Project project;
  specs::Catalog catalog;
  std::vector<std::string> order;  // packages as an installer comes to them
  // Packages that somebody requires and no catalog lists, and the ranges that are asked of them.
  std::map<std::string, std::set<std::string>> not_held;
  std::map<std::string, std::set<std::string>> required_by;  // of these by which of what is known: "torch 2.4.0"
  std::set<std::string> unread;  // "flash-attn 2.8.3": requirements not known
  std::map<std::string, std::string> built_here;  // component -> version, from a source archive

  // Roots that cannot be judged: no such project or version is known.
  struct Unknown {
    std::string name, range;
    std::vector<std::string> near;  // versions or names like it
  };
  std::vector<Unknown> unknown;
};

// The components that the machine gives and nobody installs.
bool is_given(const std::string& component);

PythonWorld python_world(const Knowledge& knowledge, const Question& question, const std::string& python);

}  // namespace stackx::advisor
