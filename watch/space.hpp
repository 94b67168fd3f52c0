// The valid stacks of a project as a pass asks for them: which versions are in one, the newest stack, the one nearest to
// another that holds a certain version, and why a stack is not valid any more.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "resolver/resolver.hpp"
#include "specs/catalog/catalog.hpp"
#include "specs/project/project.hpp"

namespace stackx::watch {

class Space {
 public:
  // Both must outlive it. Throws as Resolver does.
  Space(const specs::Project& project, const specs::Catalog& catalog);

  const specs::Project& project() const { return project_; }
  const specs::Catalog& catalog() const { return catalog_; }

  std::optional<std::string> why_none() const;  // there is no valid stack
  // Why this one is not valid (any more): "numpy 2.2.1 was yanked"; nothing where it is.
  std::optional<std::string> why_not(const specs::Stack& stack) const;

  // Components whose versions come out one after the other (packages, runtimes, images), with those that are in a valid
  // stack, ascending. Settings, hardware and drivers are none: what they are is chosen, not published.
  const std::map<std::string, std::vector<std::string>>& releases() const { return releases_; }

  // The latest stack that `wanted` takes; nothing where it takes none of the first thousand.
  std::optional<specs::Stack> newest(const std::function<bool(const specs::Stack&)>& wanted) const;
  // Holds the version, and else as much of `like` as can be; what must differ is as new as it can be. The version must be
  // one of releases().
  specs::Stack nearest(const specs::Stack& like, const std::string& component, const std::string& version) const;

  // What the project names, as this stack has it: "numpy 2.3.0", "scipy-openblas64 0.3.34 with 2 threads".
  std::string name_of(const specs::Stack& stack) const;
  // Where both have that name, with what differs, settings first: "torch 2.14.1 with tf32 on" beside one with tf32 off.
  std::string name_of(const specs::Stack& stack, const specs::Stack& beside) const;
  // The components that the project names itself, or that stand for one: "blas" is scipy-openblas64 in that stack.
  std::vector<std::string> named_components(const specs::Stack& stack) const;
  // It provides what the project names, as other components do.
  bool is_alternative(const std::string& component) const;

 private:
  const specs::Project& project_;
  const specs::Catalog& catalog_;
  resolver::Resolver resolver_;
  std::map<std::string, std::vector<std::string>> releases_;
};

}  // namespace stackx::watch
