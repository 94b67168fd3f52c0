#include "advisor/check/finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "advisor/check/as_source.hpp"
#include "advisor/check/beside.hpp"
#include "advisor/check/misspelt.hpp"
#include "advisor/check/through.hpp"
#include "advisor/facts/frameworks.hpp"
#include "specs/catalog/driver.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

class Finishing {
 public:
  Finishing(Checked& answer, const Knowledge& knowledge, const Question& question, const OnPython& here)
      : result_(answer), knowledge_(knowledge), question_(question), here_(here) {
    for (const auto& placed : question.asked) asked_.insert(knowledge.real_name(placed.dependency.name));
  }

  void run() {
    if (result_.pythons.empty()) result_.pythons.push_back(here_.world.python);
    add_compiled();
    add_not_judged();
    add_notes();
    add_reported();
    const auto show = [&](specs::Stack& stack) {  // what exists, not what ranges of unknown packages imply
      stack.components.erase("use");
      for (const auto& [name, ranges] : here_.world.not_held) stack.components.erase(name);
    };
    show(result_.stack);
    for (auto& one : result_.nearest) show(one.stack);
    if (specs::is_branch(question_.driver)) name_the_branch();
    result_.as_of = knowledge_.as_of();
    add_facts();
    result_.overlays = knowledge_.overlays_used();
  }

 private:
  // The resolver has its newest driver for it.
  void name_the_branch() {
    const auto there = specs::newest_of_branch(question_.driver);
    const auto in = [&](std::string& text) {
      for (auto at = text.find(there); at != text.npos; at = text.find(there, at)) text.replace(at, there.size(), question_.driver);
    };
    const std::function<void(std::vector<resolver::Reason>&)> in_all = [&](auto& reasons) {
      for (auto& one : reasons) in(one.text), in_all(one.leads_to);
    };
    in(result_.text);
    std::ranges::for_each(result_.because, in);
    std::ranges::for_each(result_.notes, in);
    in_all(result_.clash);
    const auto in_stack = [&](specs::Stack& stack) {
      if (const auto driver = stack.components.find("driver"); driver != stack.components.end()) in(driver->second);
    };
    in_stack(result_.stack);
    for (auto& one : result_.nearest) {
      in_stack(one.stack);
      in(one.text);
      for (auto& change : one.changes) in(change.from), in(change.to);
    }
  }

  bool is_taken(const std::string& name, const std::string& version) const {
    const auto found = result_.stack.components.find(name);
    return found != result_.stack.components.end() && found->second == version;
  }

  void add_compiled() {
    for (const auto& [name, version] : here_.world.built_here)
      if (is_taken(name, version))
        std::ranges::move(how_it_is_compiled(knowledge_, question_, result_.stack, name, here_.world.python), std::back_inserter(result_.notes));
  }

  void add_not_judged() {
    auto& names = result_.not_judged;
    for (const auto& one : here_.world.unread)
      if (const auto space = one.find(' '); is_taken(one.substr(0, space), one.substr(space + 1))) names.push_back("what " + one + " requires");
    for (const auto& [name, ranges] : here_.world.not_held)
      if (asked_.contains(name) || is_taken_along(name)) names.push_back(name);
    std::ranges::stable_partition(names, [&](const auto& name) { return asked_.contains(name); });
    names.insert(names.begin(), question_.skipped.begin(), question_.skipped.end());
  }

  void add_notes() {
    auto& notes = result_.notes;
    notes.insert(notes.end(), question_.remarks.begin(), question_.remarks.end());
    for (const auto& [name, ranges] : here_.world.not_held)
      if (auto says = asked_.contains(name) ? decided_by_framework(knowledge_, name) : ""; !says.empty()) notes.push_back(std::move(says));
    add_misspelt();
    for (auto& one : newer_beside(knowledge_, question_, result_.stack)) notes.push_back(std::move(one));
    if (auto one = where_jaxlib_is(result_.stack); result_.answer != Answer::no && !one.empty()) notes.push_back(std::move(one));
  }

  // What is known to be slow or to fail at times is told of what runs.
  void add_reported() {
    const bool elsewhere = question_.gpu && question_.gpu->vendor != "nvidia";
    if (result_.answer != Answer::yes || elsewhere) return;
    for (const auto& one : knowledge_.reports())
      if (!one.changed && one.concerns(result_.stack.components, question_.gpu ? question_.gpu->compute_capability : ""))
        result_.reported.push_back(one.about(result_.stack.components.at(one.package)));
  }

  // By what is chosen, not by releases of years ago alone.
  bool is_taken_along(const std::string& name) const {
    const auto by = here_.world.required_by.find(name);
    if (!here_.judged.installable || by == here_.world.required_by.end()) return true;
    return std::ranges::any_of(here_.judged.chosen.components, [&](const auto& one) { return by->second.contains(one.first + " " + one.second); });
  }

  // A name that is nearly one that is known, and not judged.
  void add_misspelt() {
    if (result_.answer == Answer::unknown) return;
    std::vector<std::string> known;
    for (const auto& placed : question_.asked) {
      const auto& name = placed.dependency.name;
      if (!here_.world.not_held.contains(knowledge_.real_name(name))) continue;
      if (known.empty()) known = knowledge_.names();
      if (is_not_on_index(knowledge_, question_, name))
        result_.notes.push_back(fmt::format("the package index has no project {}", name));
      else if (const auto near = misspelling_of(name, known))
        result_.notes.push_back(fmt::format("{} is not known and not judged; did you mean {}", name, *near));
    }
  }

  void add_facts() {
    for (const auto& [name, version] : result_.stack.components) {
      const auto* package = is_given(name) || name.find('+') != name.npos ? nullptr : knowledge_.package(name);
      if (!package) continue;
      if (!package->source.empty()) result_.facts.push_back({name, version, "generated", package->source, package->as_of});
      const auto fact = knowledge_.about(name, specs::pep440_version(version), "", question_.machine);
      if (!fact.source.empty()) result_.facts.push_back({name, version, fact.known, fact.source, fact.date});
    }
  }

  Checked& result_;
  const Knowledge& knowledge_;
  const Question& question_;
  const OnPython& here_;
  std::set<std::string> asked_;
};

}  // namespace

bool is_not_on_index(const Knowledge& knowledge, const Question& question, const std::string& name) {
  return question.not_on_index && question.not_on_index->contains(knowledge.real_name(name));
}

void finish(Checked& answer, const Knowledge& knowledge, const Question& question, const OnPython& here) {
  Finishing(answer, knowledge, question, here).run();
}

}  // namespace stackx::advisor
