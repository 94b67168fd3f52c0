// Which of the packages that were asked for to change, and what changes along.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "advisor/check/judge.hpp"
#include "advisor/check/nearest/instead.hpp"
#include "advisor/check/world/python_world.hpp"

namespace stackx::advisor {

class Candidates {
 public:
  // All outlive this; of `question` the requirements and what is kept stay.
  Candidates(const Knowledge& knowledge, const Question& question, const PythonWorld& world, const Judged& judged, const Instead& instead)
      : knowledge_(knowledge), question_(question), world_(world), judged_(judged), instead_(instead) {}

  // Requested packages, those of the clash first.
  std::vector<std::string> names() const;

  // Packages that this one pins: where it changes, they do.
  std::set<std::string> followers(const std::string& name) const;

  // Which of what was asked for takes any version where a package changes. Libraries that it pins it brings itself.
  enum class Along { none, frameworks_it_pins, what_pins_it };
  std::set<std::string> changing_along(const std::string& name, Along along) const;

  bool keeps(const std::string& name) const;  // the question wants it as it is

 private:
  void framework_of_libraries(std::vector<std::string>& names) const;

  const Knowledge& knowledge_;
  const Question& question_;
  const PythonWorld& world_;
  const Judged& judged_;
  const Instead& instead_;
};

}  // namespace stackx::advisor
