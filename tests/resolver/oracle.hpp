// What the stacks of a small problem are, by trying everything: every component absent or in one of
// its versions, each assignment held against the definition. Shares no code with the resolver.
#pragma once

#include <string>
#include <vector>

#include "specs/catalog/stack.hpp"
#include "specs/project/project.hpp"

namespace stackx::test {

// For each component of the catalog, by name, the index of its version, or -1.
using Assignment = std::vector<int>;

class Oracle {
 public:
  Oracle(const specs::Project& project, const specs::Catalog& catalog);

  bool is_stack(const Assignment& assignment) const;
  // Until `visit` returns false.
  template <typename Visit>
  void each_assignment(Visit visit) const {
    Assignment assignment(sizes_.size(), -1);
    while (visit(static_cast<const Assignment&>(assignment))) {
      std::size_t c = 0;
      while (c < sizes_.size() && ++assignment[c] == sizes_[c]) assignment[c++] = -1;
      if (c == sizes_.size()) return;
    }
  }
  std::vector<Assignment> stacks() const;
  bool solvable() const;
  specs::Stack named(const Assignment& assignment) const;

  // The components that requirements of any version reach from the roots.
  std::vector<std::string> reachable() const;

 private:
  // How a version stands to a requirement's name: does not hold it, out of range, in range.
  enum Standing : char { other, out, in };
  struct Rule {
    std::vector<std::vector<Standing>> standing;  // by component and version
    std::vector<std::vector<bool>> names;         // by component and version: mentions it, where that is needed
  };
  struct Conditional {
    std::vector<Rule> if_, then;
  };
  struct Version {
    std::vector<Rule> requires_, conflicts;
    std::vector<Conditional> conditionals;
  };

  Rule rule(const specs::Requirement& requirement) const;
  // A pre-release or yanked version that requirement mentions; for pins, else every version that need not be mentioned.
  bool mentions(const specs::Requirement& requirement, std::size_t component, const specs::VersionEntry& entry) const;
  bool is_shy(const specs::VersionEntry& entry, std::size_t component) const;
  std::vector<Rule> rules(const std::vector<specs::Requirement>& requirements) const;
  static bool met(const Rule& rule, const Assignment& assignment);
  bool one_holder_a_name(const Assignment& assignment) const;
  bool needs_met(const Assignment& assignment) const;
  bool no_conflict(const Assignment& assignment) const;
  bool founded(const Assignment& assignment) const;

  const specs::Catalog& catalog_;
  const specs::Project& project_;
  std::vector<const specs::Component*> components_;
  std::vector<int> sizes_;
  std::vector<std::vector<Version>> versions_;
  std::vector<Rule> names_;  // every name that somebody holds, in any version
  std::vector<Rule> roots_, pins_;
};

}  // namespace stackx::test
