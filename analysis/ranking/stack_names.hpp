// Short names of a ranking's stacks: what tells one from the others, in the words that people use.
//
//   "oneDNN 2023.0.0 with 2 threads"    the library first, then what else is needed to tell it from all others
//   "SkylakeX"                          where the stacks differ in one component only
//   "torch 2.1.0, numpy 1.26 (b6685a82fe63)"  cut at about 60 characters, then the short id
//
// Rejected: all components that differ. In a project with Python packages these are thirty, most of them because
// another is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/ranking/ranking.hpp"

namespace stackx::analysis {

class StackNames {
 public:
  explicit StackNames(const Ranking& ranking);  // which must outlive it

  std::string of(const specs::Stack& stack) const;       // in a list: "SkylakeX"
  std::string subject(const specs::Stack& stack) const;  // of a sentence: "openblas-coretype SkylakeX"
  // What all have, the most telling first, but for the hardware: "OpenBLAS 0.3.21, 1 thread"; "" where they share nothing.
  std::string shared() const;

 private:
  using Part = std::pair<std::string, std::string>;  // component, version
  std::vector<Part> telling(const specs::Stack& stack) const;
  std::string label(const std::string& component) const;
  std::string text(const std::vector<Part>& parts, const specs::Stack& stack) const;

  std::vector<const specs::Stack*> stacks_;
  std::map<std::string, std::string> common_;
  std::set<std::string> components_;  // of any stack
  std::set<std::string> differing_;   // components in which they differ
};

}  // namespace stackx::analysis
