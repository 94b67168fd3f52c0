// What to install instead: a stack that runs, told as the changes that it makes of a question, a sentence, and the line for an
// installer, which names what an installer left alone would take newer than what runs.
#pragma once

#include "advisor/check/check.hpp"
#include "advisor/check/judge.hpp"
#include "advisor/check/world/python_world.hpp"

namespace stackx::advisor {

class Instead {
 public:
  // Of what the question gets, in its world. All outlive this.
  Instead(const Knowledge& knowledge, const Question& question, const PythonWorld& world, const Judged& judged);

  // One package in another version. `changed`: the question of which `stack` is the answer.
  Nearest of(const Question& changed, const std::string& name, const std::string& from, const std::string& to,
             const specs::Stack& stack) const;

  // Names what an installer would take otherwise of `asked`.
  void hold(const Question& asked, Nearest& nearest) const;

  // Puts a change into the line that installs `asked`.
  void install(Nearest& nearest, const Change& change, const Question& asked) const;

  // What a stack has in another version than an installer takes: what was asked for, what is to blame, others.
  std::vector<Change> differences(const specs::Stack& stack) const;

  bool is_asked(const std::string& name) const { return asked_.contains(name); }
  const std::set<std::string>& asked() const { return asked_; }

 private:
  std::string single_version_of(const std::string& name) const;
  std::string same_version_text(const std::string& name, const std::string& to) const;

  const Knowledge& knowledge_;
  const Question& question_;
  const PythonWorld& world_;
  const Judged& judged_;
  std::set<std::string> asked_;  // packages of the question
};

}  // namespace stackx::advisor
