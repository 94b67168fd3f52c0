#include "advisor/check/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/check/as_source.hpp"
#include "advisor/check/brought_by.hpp"
#include "advisor/check/contradiction.hpp"
#include "advisor/check/driver_words.hpp"
#include "advisor/check/finish.hpp"
#include "advisor/check/forward_compatibility.hpp"
#include "advisor/check/left_out.hpp"
#include "advisor/check/misspelt.hpp"
#include "advisor/check/nearest/asked_otherwise.hpp"
#include "advisor/check/nearest/nearest.hpp"
#include "advisor/check/nearest/with_code.hpp"
#include "advisor/check/on_python.hpp"
#include "advisor/check/otherwise.hpp"
#include "advisor/check/through.hpp"
#include "advisor/check/unknown_release.hpp"
#include "advisor/check/wording.hpp"
#include "advisor/facts/frameworks.hpp"
#include "specs/catalog/open.hpp"
#include "specs/format/listed.hpp"
#include "specs/format/nearest.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

class Checking {
 public:
  Checking(const Knowledge& knowledge, const Question& question) : knowledge_(knowledge), question_(question) {}

  Checked run() {
    auto [here, pythons] = on_their_python(knowledge_, question_, !beside_another_);
    result_.pythons = std::move(pythons);
    if (const auto clash = contradiction(knowledge_, question_, here.world.python))
      say_contradiction(*clash);
    else if (!here.world.unknown.empty())
      say_unknown(here);
    else if (!here.judged.installable || !here.judged.runs)
      say_no(here);
    else if (auto other = by_its_framework(here))
      return as_asked(std::move(*other));
    else if (knows_none(knowledge_, question_, here))
      say_knows_none(here);
    else if (!nowhere(here).empty())
      say_nowhere(here);
    else
      say_gpu(here);
    finish(result_, knowledge_, question_, here);
    return as_asked(std::move(result_));
  }

 private:
  // transformers alone: as torch with it, which an installer need not bring.
  std::optional<Checked> by_its_framework(const OnPython& here) const {
    if (!here.gpu.used.empty() || !here.gpu.unknown.empty() || !nowhere(here).empty()) return std::nullopt;
    const auto through = through_framework(knowledge_, question_);
    if (!through) return std::nullopt;
    auto checked = of_another(through->question);
    const bool one = through->packages.size() == 1;
    checked.text = fmt::format("{} {} no code for GPUs of {} own and {} that of {}: {}", specs::listed(through->packages), one ? "has" : "have",
                               one ? "its" : "their", one ? "takes" : "take", through->framework, checked.text);
    return checked;
  }

  std::string asked() const { return in_words(question_.asked); }

  static std::string in_words(const std::vector<specs::PlacedDependency>& asked) {
    std::vector<std::string> texts;
    for (const auto& placed : asked) texts.push_back(placed.dependency.text());
    std::ranges::stable_partition(texts, [](const auto& text) { return is_framework(text.substr(0, text.find_first_of("[=<>!~; "))); });
    if (texts.size() > 3) return fmt::format("{}, {} and {} more", texts[0], texts[1], texts.size() - 2);
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  std::string where() const {
    if (question_.gpu) return gpu_in_words(*question_.gpu);
    return question_.hardware == "host" ? "this machine" : question_.hardware;
  }

  void say_unknown(const OnPython& here) {
    result_.answer = Answer::unknown;
    for (const auto& one : here.world.unknown) result_.because.push_back(unknown_in_words(one, question_, knowledge_));
    result_.text = result_.because.front();
    for (const auto& one : here.world.unknown)
      if (const auto place = question_.gpu ? knowledge_.elsewhere(one.name, places_of(*question_.gpu)) : ""; !place.empty())
        result_.notes.push_back(fmt::format("{}: {}", one.name, place));
    result_.notes.push_back("to learn of newer releases: stackx catalog refresh");
  }

  void say_contradiction(const Contradiction& clash) {
    result_.answer = Answer::no;
    result_.text = clash.text;
    result_.because = {clash.text};
    result_.contradicts_itself = true;
    if (beside_another_) return;  // each of thousands of clashes would ask without itself
    result_.nearest = nearest_without(clash, [&](const Question& question) { return of_another(question); });
  }

  void say_knows_none(const OnPython& here) {
    result_.answer = Answer::unknown;
    const auto name = question_.asked.front().dependency.name;
    const auto near = specs::nearest(name, knowledge_.names());
    const bool misspelt = near && specs::edit_distance(name, *near) <= 2;
    result_.text = (is_not_on_index(knowledge_, question_, name) ? "the package index has no project " + name : "nothing is known of " + asked()) +
                   (misspelt ? fmt::format("; did you mean {}", *near) : "");
    const bool source_alone = say_source_alone();
    if (!source_alone) result_.because.push_back(result_.text);
    if (!source_alone && !misspelt && !question_.not_on_index) result_.notes.push_back("--deep looks packages up in the index");
    result_.stack = here.judged.chosen;
  }

  bool say_source_alone() {
    const auto one = told_of_unlisted(knowledge_, question_);
    if (!one) return false;
    result_.because.push_back(one->text);
    result_.text = one->text;
    if (!one->wheels.empty()) add_wheels_of(one->name, one->wheels);
    return true;
  }

  void add_wheels_of(const std::string& name, const std::string& wheels) {
    const auto checked = of_another(instead_of(question_, {wheels}));
    if (checked.answer != Answer::yes) return;
    Nearest nearest;
    nearest.stack = checked.stack;
    nearest.changes.push_back({wheels, name, checked.stack.components.at(wheels)});
    nearest.install.push_back(wheels);
    nearest.text = fmt::format("{} runs", wheels);
    result_.nearest.push_back(std::move(nearest));
  }

  // What is asked for, and neither a catalog nor the index has.
  std::vector<std::string> nowhere(const OnPython& here) const {
    std::vector<std::string> names;
    for (const auto& placed : question_.asked)
      if (const auto& name = placed.dependency.name; is_not_on_index(knowledge_, question_, name) && here.world.not_held.contains(knowledge_.real_name(name)))
        names.push_back(name);
    return names;
  }

  // No installer takes all of it, whatever holds for the rest.
  void say_nowhere(const OnPython& here) {
    say_gpu(here);
    if (result_.answer == Answer::no) return;
    result_.notes.insert(result_.notes.begin(), fmt::format("without {}: {}", fmt::join(nowhere(here), " and "), result_.text));
    result_.answer = Answer::unknown;
    result_.because.clear();
    const auto known = knowledge_.names();
    for (const auto& name : nowhere(here)) {
      const auto near = misspelling_of(name, known);
      result_.because.push_back(fmt::format("the package index has no project {}{}", name, near ? "; did you mean " + *near : ""));
    }
    result_.text = result_.because.front();
  }

  void say_no(const OnPython& here) {
    result_.answer = Answer::no;
    if (here.judged.why) {
      result_.because = reasons_in_words(*here.judged.why, here.world, question_, knowledge_);
      result_.clash = tree_in_words(here.judged.why->tree);
    }
    if (here.judged.installable) result_.stack = here.judged.chosen;
    result_.text = result_.because.empty() ? "it does not" : result_.because.front();
    if (here.judged.installable && say_fallen_back(here)) return;
    result_.nearest = nearest(question_, here);
    const bool of_kernels = result_.text.find(" has no kernels for ") != std::string::npos;
    if (of_kernels && !result_.nearest.empty() && result_.nearest.front().text.ends_with(" has"))
      result_.text += "; " + result_.nearest.front().text;
    if (result_.nearest.empty() && !question_.keep.machine) say_hopeless();
    add_forward_compatibility(here);
  }

  std::vector<Nearest> nearest(const Question& question, const OnPython& there) const {
    if (answer_only_ || (beside_another_ && question.gpu && question.gpu->jetson)) return {};
    return nearest_that_run(knowledge_, question, there.world, there.judged, [this](const Question& other) {
      Checking checking(knowledge_, other);
      checking.beside_another_ = checking.answer_only_ = true;
      return checking.run();
    });
  }

  void say_hopeless() {
    if (!question_.gpu || beside_another_) return;
    for (auto& one : otherwise(knowledge_, question_, [this](Question other) { return of_another(std::move(other)); }))
      result_.notes.push_back(std::move(one));
  }

  Checked of_another(Question other) const {
    Checking checking(knowledge_, other);
    checking.beside_another_ = true;
    return checking.run();
  }

  void add_forward_compatibility(const OnPython& here) {
    if (!here.judged.why) return;
    const bool about_driver = std::ranges::any_of(here.judged.why->clauses, [](const auto& clause) {
      return clause.kind == resolver::Clause::Kind::requirement && clause.text.starts_with("driver ");
    });
    auto said = about_driver ? forward_compatibility(knowledge_, question_, here.judged.chosen) : "";
    if (!said.empty()) result_.notes.push_back(std::move(said));
  }

  void say_gpu(const OnPython& here) {
    result_.stack = here.judged.chosen;
    result_.notes = here.gpu.notes;
    if (question_.gpu && !here.gpu.for_cpus.empty()) {
      result_.answer = Answer::no;
      result_.because = here.gpu.for_cpus;
      result_.text = result_.because.front();
      const auto name = result_.text.substr(0, result_.text.find(' '));
      result_.clash = brought_by(here.world, here.judged.chosen, name, result_.text.substr(0, result_.text.find(" (")));
      if (!say_fallen_back(here)) result_.nearest = nearest(question_, here);
    } else if (question_.gpu && !here.gpu.unknown.empty()) {
      result_.answer = Answer::unknown;
      result_.because = here.gpu.unknown;
      result_.text = result_.because.front();
      say_fallen_back(here);
    } else if (question_.gpu && here.gpu.used.empty()) {
      result_.answer = Answer::unknown;
      if (!say_source_alone()) result_.because.push_back(no_gpu_known());
      result_.text = result_.because.front();
    } else if (const auto one = undecided_by_archive(knowledge_, question_, here.world, here.judged.chosen); !one.empty()) {
      result_.answer = Answer::unknown;
      result_.because.push_back(one);
      result_.text = result_.because.front();
    } else {
      say_yes(here);
    }
  }

  std::string no_gpu_known() const {
    for (const auto& placed : question_.asked)
      if (const auto name = knowledge_.real_name(placed.dependency.name); name.starts_with("nvidia-"))
        return fmt::format("for which GPUs {} has code is not known", placed.dependency.text());
    std::vector<std::string> known;
    for (const auto& placed : question_.asked)
      if (knowledge_.package(knowledge_.real_name(placed.dependency.name))) known.push_back(placed.dependency.text());
    return fmt::format("for which GPUs {} {} is not known here", specs::listed(known), known.size() == 1 ? "works" : "work");
  }

  // Where the newest vllm does not take the torch that is asked for, an installer goes back to vllm 0.1.3, which says
  // nothing of torch; nobody means that one. Said is what keeps from the newest, and the nearest that has it.
  bool say_fallen_back(const OnPython& here) {
    for (std::size_t i = 0; i < question_.asked.size(); ++i) {
      const auto& asked = question_.asked[i].dependency;
      const auto name = knowledge_.real_name(asked.name);
      const auto* package = knowledge_.package(name);
      const auto chosen = here.judged.chosen.components.find(name);
      if (!package || chosen == here.judged.chosen.components.end() || result_.text.find(name + " " + chosen->second) == std::string::npos)
        continue;
      const auto* newest = newest_with_code(knowledge_, *package, question_, false);
      if (!newest || !specs::is_newer(newest->version.text(), chosen->second) || !asked.versions.contains(newest->version)) continue;
      auto wanted = question_;
      wanted.asked[i].dependency.versions = specs::range_or_any("==" + newest->version.text());
      const auto there = on_python(knowledge_, wanted, here.world.python);
      if (there.judged.installable || !there.judged.why) continue;
      auto why = reasons_in_words(*there.judged.why, there.world, wanted, knowledge_);
      if (why.empty()) continue;
      const auto pinned = fmt::format("{} =={} is asked for", name, newest->version.text());  // here, not by who asks
      if (const auto at = why.front().find(pinned); at != std::string::npos)
        why.front().replace(at, pinned.size(), fmt::format("the newest {} is {}", name, newest->version.text()));
      const auto same = another_build(here, i, chosen->second);
      result_.clash.clear();  // of the release that nobody means
      result_.text = fmt::format("{}; an installer falls back, and {}", why.front(), result_.text);
      result_.because.front() = result_.text;
      wanted.keep.package = name;
      result_.nearest = nearest(wanted, there);
      for (auto& one : result_.nearest) {
        one.changes.push_back({name, "", newest->version.text()});
        if (one.install.empty())
          for (const auto& placed : wanted.asked) one.install.push_back(placed.dependency.text());
      }
      result_.nearest.insert(result_.nearest.begin(), same.begin(), same.end());
      return true;
    }
    return false;
  }

  // Of the release that an installer falls back on, where that runs as it is built for another CUDA: nearer than another Python.
  std::vector<Nearest> another_build(const OnPython& here, std::size_t i, const std::string& version) const {
    auto same = question_;
    same.asked[i].dependency.versions = specs::range_or_any("==" + version);
    const auto name = knowledge_.real_name(same.asked[i].dependency.name);
    auto found = question_.keep.package == name ? std::vector<Nearest>() : nearest(same, on_python(knowledge_, same, here.world.python));
    std::erase_if(found, [&](const auto& one) {
      const auto& change = one.changes.front();
      return change.name != name || specs::public_version(change.to) != specs::public_version(version);
    });
    return found;
  }

  void say_yes(const OnPython& here) {
    result_.answer = Answer::yes;
    for (auto& one : unseen_builds(knowledge_, question_, here.judged.chosen)) result_.notes.push_back(std::move(one));
    result_.stack = here.judged.running;
    result_.driver = drivers_in_words(here.world, only(here.world.catalog, here.judged.chosen), question_);
    std::string with;
    if (!question_.driver.empty())
      with += fmt::format(" with driver {}{}", question_.driver, where_in_the_branch(result_.driver, question_));
    else if (!result_.driver.empty() && result_.driver != "any")
      with += fmt::format(" with driver {}", result_.driver);
    const bool says_which = !question_.python.empty() || unread_archive(knowledge_, question_, here.world, here.judged.chosen).empty();
    with += says_which ? fmt::format(" on Python {}", pythons_in_words(here.world.python)) : "; on which Pythons is not known here";
    auto judged = question_.asked;
    std::erase_if(judged, [&](const auto& placed) { return here.world.not_held.contains(knowledge_.real_name(placed.dependency.name)); });
    result_.text = fmt::format("{} {} on {}{}", in_words(judged), judged.size() == 1 ? "runs" : "run", where(), with);
    if (const auto one = framework_left_out(knowledge_, question_.skipped); !one.empty() && question_.in_place_of.empty()) {
      result_.answer = Answer::unknown;
      result_.text = fmt::format("{} is not judged; without it: {}", one, result_.text);
      result_.because = {result_.text};
      result_.driver.clear();
      return;
    }
    for (const auto& one : here.gpu.used) result_.because.push_back(one + " has code for it");
    std::ranges::stable_partition(result_.because, [](const auto& one) { return !one.starts_with("nvidia-"); });
  }

  std::string pythons_in_words(const std::string& one) const {
    if (result_.pythons.size() < 2) return one;
    return fmt::format("{} to {}", result_.pythons.back(), result_.pythons.front());
  }

  // Where what was judged is not what was asked for, it is no more than a hint.
  Checked as_asked(Checked judged) const {
    if (question_.in_place_of.empty()) return judged;
    const char* word = judged.answer == Answer::yes ? "yes, " : judged.answer == Answer::no ? "no, " : "";
    judged.text = fmt::format("{}: {}{}", question_.in_place_of, word, judged.text);
    judged.answer = Answer::unknown;
    if (judged.because.empty()) judged.because.push_back(judged.text);
    judged.because.front() = judged.text;
    judged.driver.clear();
    return judged;
  }

  const Knowledge& knowledge_;
  const Question& question_;
  bool answer_only_ = false;     // nobody asks what is nearest
  bool beside_another_ = false;  // asked in place of another, for which nothing runs
  Checked result_;
};

}  // namespace

const char* to_string(Answer answer) {
  switch (answer) {
    case Answer::yes:
      return "yes";
    case Answer::no:
      return "no";
    case Answer::unknown:
      return "unknown";
  }
  return "?";
}

Checked check(const Knowledge& knowledge, const Question& question) {
  auto checked = Checking(knowledge, question).run();
  if (checked.answer == Answer::no && question.pytorch && !checked.contradicts_itself)
    checked.nearest = nearest_of_indexes(question, std::move(checked.nearest),
                                         [&](const Question& other) { return Checking(knowledge, other).run(); });
  return checked;
}

}  // namespace stackx::advisor
