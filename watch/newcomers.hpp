// What is new for a project: versions that are in a valid stack and that nobody has measured for it, each in the stack that
// is nearest to the advised one.
//
// "Since the last pass" is read from the store alone: a version is new if no inspection of the project's workload on such
// hardware holds it, whether it ran or failed, and if it comes after the one that is advised (of a component that the advised
// stack lacks: after all that were measured). So a version that failed is not tried again, and what was old when the first
// pass ran is never news. The newest versions come first; what is more than `most` waits for the next pass.
// The first pass of all has nothing to compare the newest stack with: it also takes the version before it of each component
// that the project names, and the newest of others that provide the same.
// Rejected: the upload dates of the index, which says nothing of an index that was empty yesterday; a list of known versions
// of our own, a second truth beside the store.
#pragma once

#include <string>
#include <vector>

#include "watch/change.hpp"
#include "watch/history.hpp"
#include "watch/space.hpp"

namespace stackx::watch {

struct Newcomer {
  specs::Stack stack;
  std::vector<Change> changes;  // from the advised stack; the first is what it is about
  bool is_newest = false;       // of that component, in this space
  bool is_older = false;        // than what is advised: of a first pass, or because others had to go back
  std::string name() const { return text(changes); }
};

struct News {
  std::vector<Newcomer> newcomers;
  std::vector<std::string> waiting;  // "numpy 2.2.0"
};

News find_news(const specs::Stack& advised, const Space& space, const History& history, std::size_t most);

// The same of a campaign's arm, whose plan was made earlier: `known` was measured before it.
Newcomer newcomer_of(const specs::Stack& advised, const specs::Stack& stack, const Space& space,
                     const std::map<std::string, std::set<std::string>>& known);

}  // namespace stackx::watch
