// What no stack between two ends has, as rules on two changes each.
//
// What is forbidden is changes in some states together. Where these are all old, or all new, an end has them: it is broken by
// the end itself and no rule. Else two of them in different states are a rule that excludes the whole: A at an end requires B at
// that end. Of three, excluding two excludes more than is forbidden; that costs valid stacks, and never lets a wrong one in.
// So what two of the three are excluded by anyway adds nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "blame/between/between.hpp"

namespace stackx::blame {

struct State {
  std::size_t change = 0;  // its place in Between::changes
  bool is_new = false;
  auto operator<=>(const State&) const = default;
};

// Where `change` is new (old), `required` is new (old).
struct Rule {
  std::size_t change = 0, required = 0;
  bool is_new = false;
  std::string why;                // "torch 2.4.0 requires triton ==3.0.0"
  bool is_of_presence = false;    // `change` is there for nobody else

  std::size_t from() const { return is_new ? change : required; }  // where this is new,
  std::size_t to() const { return is_new ? required : change; }    // so is this
};

class Rules {
 public:
  Rules(std::string old_end, std::string new_end) : ends_{std::move(old_end), std::move(new_end)} {}  // names, for notes

  // These together. The one that demands it first: the rule is on that and the first in another state. False if an end has
  // them: nothing is held to it.
  bool forbid(const std::vector<State>& together, const std::string& why);
  void note(const std::string& text);  // once

  std::vector<Rule> all() const;
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<std::string>& broken() const { return broken_; }  // that an end has all the same, each once

 private:
  struct Larger {
    std::vector<State> together;  // three and more
    std::string why;
  };

  std::string ends_[2];
  std::vector<Rule> rules_;
  std::vector<Larger> larger_;
  std::vector<std::string> notes_, broken_;
};

}  // namespace stackx::blame
