#include "advisor/check/nearest/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "advisor/check/nearest/candidates.hpp"
#include "advisor/check/nearest/instead.hpp"
#include "advisor/check/nearest/near_releases.hpp"
#include "advisor/check/nearest/proven.hpp"
#include "advisor/check/nearest/torch_index.hpp"
#include "advisor/check/nearest/with_code.hpp"
#include "advisor/check/world/demands.hpp"
#include "advisor/check/world/extras.hpp"
#include "advisor/check/world/pythons.hpp"
#include "advisor/facts/frameworks.hpp"
#include "specs/catalog/open.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

using specs::SpecifierSet;
using specs::Versioning;

class Search {
 public:
  Search(const Knowledge& knowledge, const Question& question, const PythonWorld& world, const Judged& judged, const Ask& ask)
      : knowledge_(knowledge), question_(question), world_(world), judged_(judged), ask_(ask), instead_(knowledge, question, world, judged),
        candidates_(knowledge, question_, world, judged, instead_), extras_(knowledge, question_) {}

  std::vector<Nearest> run() {
    question_.known_only = true;
    take_instead(Take::same_version);
    if (found_.empty()) take_instead(Take::any_version);
    const bool without_extra = found_.empty() && leave_extra_out();
    if (found_.empty()) name_an_index();
    if (found_.empty()) hold_back();
    if (found_.empty()) change_packages(true);
    if (without_extra) change_packages(false);  // to a release that has it
    if (found_.empty() && !question_.keep.machine) change_python();
    if (found_.empty() || found_.front().changes.front().name == "python") change_packages(false);
    if (!question_.keep.machine) change_machine();
    if (found_.empty()) take_instead(Take::other_extra);
    if (found_.empty()) ask_for_its_framework();
    return std::move(found_);
  }

 private:
  // bitsandbytes on an AMD GPU: the torch that it takes along has a build for it on another index.
  void ask_for_its_framework() {
    if (!question_.gpu || question_.gpu->vendor == "nvidia") return;
    for (const auto& [name, version] : judged_.chosen.components) {
      if (!is_framework(name) || !is_leading(name) || instead_.is_asked(name) || !some_release_has_code(knowledge_, name, question_)) continue;
      auto with = question_;
      with.asked.push_back({*specs::parse_dependency(name), "what is asked for takes it along"});
      const auto world = python_world(knowledge_, with, world_.python);
      found_ = Search(knowledge_, with, world, judge({world.project, world.catalog, world.order}), ask_).run();
      if (!found_.empty()) return;
    }
  }

  bool add(Nearest nearest) { return add(question_, std::move(nearest)); }
  bool add(const Question& question, Nearest nearest) {
    const bool proven = prove(knowledge_, question, ask_, nearest);
    if (proven) found_.push_back(std::move(nearest));
    return proven;
  }

  void name_an_index() {
    if (!judged_.installable || question_.keep.machine) return;
    if (auto found = nearest_with_index(knowledge_, question_, judged_.chosen, ask_)) found_.push_back(std::move(*found));
  }

  void change_machine() {
    if (found_.empty()) change_packages_and({.python = true});
    if (found_.empty()) take_instead(Take::other_extra);
    change_driver();
    if (found_.empty()) change_packages_and({.driver = true});
    if (found_.empty()) change_packages_and({.python = true, .driver = true});
  }

  std::optional<specs::Stack> solve(const Question& question, const PythonWorld& world) const {
    if (!world.unknown.empty()) return std::nullopt;
    auto order = world.order;
    if (!question.asked.empty())  // what was changed comes first
      std::ranges::stable_sort(order, {}, [&](const auto& name) { return !question.any_build.contains(name); });
    return newest_stack(world.project, world.catalog, order);
  }

  bool is_of_another(const std::string& extra) const {
    const auto vendor = vendor_of_extra(extra);
    return question_.gpu && !vendor.empty() && vendor != question_.gpu->vendor;
  }

  // tensorflow-gpu for tensorflow 1.14, jax[cuda12] for jax and for jax[tpu]; the last resort: for jax[cuda13].
  enum class Take { same_version, any_version, other_extra };

  void take_instead(Take how) {
    for (const auto& placed : question_.asked) {
      const auto name = knowledge_.real_name(placed.dependency.name);
      const auto chosen = judged_.chosen.components.find(name);
      if (chosen == judged_.chosen.components.end() || !knowledge_.package(name) || candidates_.keeps(name)) continue;
      const auto fact = knowledge_.about(name, specs::pep440_version(chosen->second));
      const auto instead = question_.gpu ? instead_for(fact, question_.gpu->vendor) : fact.instead;
      const auto parsed = specs::parse_dependency(instead);
      if (!parsed || (!parsed->extras.empty() && parsed->extras == placed.dependency.extras) ||
          !std::ranges::all_of(placed.dependency.extras, [&](const auto& one) {
            return is_of_another(one) || (how == Take::same_version && is_missing(name, chosen->second, one)) ||
                   (how == Take::other_extra && !vendor_of_extra(one).empty());
          }))
        continue;
      auto changed = question_;
      for (auto& one : changed.asked)
        if (knowledge_.real_name(one.dependency.name) == name)
          one.dependency = *specs::parse_dependency(
              instead + (one.dependency.versions.is_any() || how == Take::any_version ? "" : one.dependency.versions.text()));
      const auto stack = solve(changed, python_world(knowledge_, changed, world_.python));
      if (!stack || lacks_plugin(knowledge_, question_, *stack, name)) continue;
      const auto found = stack->components.find(parsed->name);
      const auto to = found == stack->components.end() ? chosen->second : found->second;
      if (add_changed(changed, {instead, placed.dependency.with_extras(), to}, *stack)) return;
    }
  }

  bool add_changed(const Question& changed, Change change, const specs::Stack& stack) {
    Nearest nearest;
    nearest.stack = stack;
    nearest.text = fmt::format("{} {} does", change.name, change.to);
    nearest.changes.push_back(std::move(change));
    for (const auto& one : changed.asked) nearest.install.push_back(one.dependency.text());
    instead_.hold(changed, nearest);
    return add(std::move(nearest));
  }

  // What an installer takes; "" where it takes nothing.
  std::string chosen(const std::string& name) const {
    const auto found = judged_.chosen.components.find(name);
    return found == judged_.chosen.components.end() ? "" : found->second;
  }

  bool is_missing(const std::string& name, const std::string& version, const std::string& extra) const {
    const auto* package = knowledge_.package(name);
    const auto* release = package->find(specs::pep440_version(version));
    return release && extras_.is_missing(*package, *release, extra);
  }

  // tensorflow 2.12.0 for tensorflow[and-cuda]==2.12.0, which has no such extra, and computes on a GPU without.
  bool leave_extra_out() {
    for (const auto& placed : question_.asked) {
      const auto name = knowledge_.real_name(placed.dependency.name);
      const auto chosen = judged_.chosen.components.find(name);
      if (chosen == judged_.chosen.components.end() || !knowledge_.package(name) || candidates_.keeps(name)) continue;
      auto changed = question_;
      std::size_t left_out = 0;
      for (auto& one : changed.asked)
        if (knowledge_.real_name(one.dependency.name) == name)
          left_out += std::erase_if(one.dependency.extras, [&](const auto& extra) { return is_missing(name, chosen->second, extra); });
      if (left_out == 0) continue;
      const auto stack = solve_on_some_python(changed, knowledge_.package(name)->find(specs::pep440_version(chosen->second)), name);
      if (!stack || lacks_plugin(knowledge_, question_, *stack, name) || is_for_cpus(knowledge_, question_, *stack, name)) continue;
      if (add_changed(changed, {name, placed.dependency.with_extras(), stack->components.at(name)}, *stack)) return true;
    }
    return false;
  }

  // The same requirements, with a dependency held back that nobody named: as few as do, what was asked for first.
  void hold_back() {
    if (!judged_.installable) return;
    const auto stack = solve(question_, python_world(knowledge_, question_, world_.python));
    const auto lacks = [&](const auto& placed) {
      return lacks_plugin(knowledge_, question_, *stack, knowledge_.real_name(placed.dependency.name));
    };
    if (!stack || std::ranges::any_of(question_.asked, lacks)) return;
    bool runs = false;
    Nearest nearest;
    nearest.stack = *stack;
    for (const auto& placed : question_.asked) nearest.install.push_back(placed.dependency.text());
    auto held = question_;
    for (const auto& change : instead_.differences(*stack)) {
      nearest.changes.push_back(change);
      held.constraints.push_back({*specs::parse_dependency(change.name + "==" + change.to), ""});
      instead_.install(nearest, change, question_);
      const auto world = python_world(knowledge_, held, world_.python);
      runs = judge({world.project, world.catalog, world.order}).runs;
      if (runs) break;
    }
    if (!runs) return;
    const auto first = nearest.changes.front();
    nearest.text = fmt::format("with {} held at {} it runs", first.name, first.to);
    if (!add(std::move(nearest)) || !instead_.is_asked(first.name)) return;
    question_.any_build.insert(first.name);
    add_newer_build(question_, first.name, first.from, first.to);
    question_.any_build.erase(first.name);
    nearest_first(first.name, first.from, 0);
  }

  // On the Python of the question; where it names none, then on the one for which `wanted`, the newest release that could run, has
  // wheels, and where other packages have a say on the usual ones.
  std::optional<specs::Stack> solve_on_some_python(const Question& changed, const specs::PackageRelease* wanted,
                                                   const std::string& name) const {
    std::vector<std::string> pythons;
    if (!another_python_) pythons.push_back(world_.python);
    const auto add = [&](const std::string& python) {
      if (std::ranges::find(pythons, python) == pythons.end()) pythons.push_back(python);
    };
    if (question_.python.empty()) {
      if (wanted) {
        auto alone = changed;
        alone.asked = {specs::read_dependency(name + "==" + wanted->version.text(), "")};
        add(likely_pythons(knowledge_, alone).front());
      }
      if (changed.asked.size() > 1)
        for (const char* usual : {"3.12", "3.10", "3.8"}) add(usual);
    }
    for (const auto& python : pythons)
      if (auto stack = solve(changed, python_world(knowledge_, changed, python))) return stack;
    return std::nullopt;
  }

  std::optional<specs::Stack> solve_newest(const Question& changed, const std::string& name) const {
    const auto* newest = newest_with_code(knowledge_, *knowledge_.package(name), question_, changed.any_build.contains(name));
    return solve_on_some_python(changed, newest, name);
  }

  void change_packages(bool same_version) {
    for (const auto along : {Candidates::Along::none, Candidates::Along::frameworks_it_pins, Candidates::Along::what_pins_it})
      for (const auto& name : candidates_.names()) {
        ended_ = ended_ || name == question_.keep.until;
        if (ended_ || change_package(name, same_version, along)) return;
      }
  }

  bool change_package(const std::string& name, bool same_version, Candidates::Along along) {
    if (!some_release_has_code(knowledge_, name, question_)) return false;
    const auto free = candidates_.changing_along(name, along);
    if (along != Candidates::Along::none && free.empty()) return false;
    const auto follow = candidates_.followers(name);
    Question changed = question_;
    changed.asked.clear();
    std::string from, start;  // "0.8.5" or "<0.9", and what an installer takes of it
    for (auto placed : question_.asked) {
      const auto real = knowledge_.real_name(placed.dependency.name);
      if (follow.contains(real) && real != name && !is_framework(real)) continue;
      if (free.contains(real)) placed.dependency.versions = SpecifierSet::any(Versioning::pep440);
      if (real == name) {
        start = from = specs::single_version(placed.dependency.versions);
        if (same_version && from.empty()) return false;
        if (from.empty() && !placed.dependency.versions.is_any()) from = placed.dependency.versions.text(), start = chosen(name);
        placed.dependency.versions =
            same_version ? specs::range_or_any("==" + specs::public_version(from)) : SpecifierSet::any(Versioning::pep440);
      }
      changed.asked.push_back(std::move(placed));
    }
    auto any_build = changed;
    any_build.any_build.insert(name);
    for (const auto& other : instead_.asked())  // vllm's ROCm build has a torch of its own
      if (free.contains(other) || (is_framework(other) && follow.contains(other))) any_build.any_build.insert(other);
    auto stack = solve_newest(changed, name);
    const bool of_the_index = stack.has_value();
    if (!stack) stack = solve_newest(any_build, name);
    if (!stack && !same_version) return change_to_extra(changed, name, from);
    if (!stack || !stack->components.contains(name) || lacks_plugin(knowledge_, question_, *stack, name)) return false;
    const auto to = stack->components.at(name);
    if (to == from || is_for_cpus(knowledge_, question_, *stack, name)) return false;
    const auto here = found_.size();
    add(instead_.of(of_the_index ? changed : any_build, name, from, to, *stack));
    if (same_version) return found_.size() > here;
    if (of_the_index) add_newer_build(any_build, name, from, to);
    if (!start.empty()) add_nearer(changed, name, {from, start}, to);
    nearest_first(name, start, here);
    return found_.size() > here;
  }

  // Not the newest, but one of the next series that has code: torch 2.0.1+cu118 for 1.13.1, tensorflow 2.15.1 for 2.15.0.
  struct From {
    std::string asked, version;  // "<0.9", "0.8.5"
  };
  void add_nearer(const Question& changed, const std::string& name, const From& from, const std::string& newest) {
    for (const auto* release : releases_towards(knowledge_, question_, extras_, name, from.version, newest)) {
      const auto to = release->version.text();
      auto asked = changed;
      for (auto& placed : asked.asked)
        if (knowledge_.real_name(placed.dependency.name) == name) placed.dependency.versions = specs::range_or_any("==" + to);
      const auto stack = solve_on_some_python(asked, release, name);
      if (!stack || lacks_plugin(knowledge_, question_, *stack, name)) continue;
      if (add(instead_.of(asked, name, from.asked, to, *stack))) return;
    }
  }

  // Of those that change one package: by how far they are from what would be installed.
  void nearest_first(const std::string& name, const std::string& from, std::size_t first) {
    const auto start = from.empty() ? chosen(name) : from;
    if (start.empty()) return;
    const auto to = [&](const Nearest& one) { return specs::pep440_version(one.stack.components.at(name)); };
    const auto is_up = [&](const Nearest& one) { return to(one) > specs::pep440_version(start); };
    std::stable_sort(found_.begin() + static_cast<std::ptrdiff_t>(first), found_.end(), [&](const auto& a, const auto& b) {
      if (is_up(a) != is_up(b)) return is_up(a);
      return is_up(a) ? to(a) < to(b) : to(a) > to(b);
    });
  }

  // sglang[srt] 0.4 for sglang: an older release, which uses a GPU with an extra alone.
  bool change_to_extra(Question changed, const std::string& name, const std::string& from) {
    const auto extra = extra_of_older_releases(name);
    if (extra.empty()) return false;
    for (auto& placed : changed.asked)
      if (knowledge_.real_name(placed.dependency.name) == name) {
        if (!placed.dependency.extras.empty()) return false;
        placed.dependency.extras = {extra};
      }
    const auto stack = solve_newest(changed, name);
    if (!stack || !stack->components.contains(name) || lacks_plugin(knowledge_, question_, *stack, name)) return false;
    auto nearest = instead_.of(changed, name, from, stack->components.at(name), *stack);
    nearest.changes.front().name += "[" + extra + "]";
    return add(std::move(nearest));
  }

  std::string extra_of_older_releases(const std::string& name) const {
    const auto& releases = knowledge_.package(name)->releases;
    for (auto release = releases.rbegin(); release != releases.rend(); ++release)
      if (const auto extra = extra_for_gpus(name, knowledge_.about(name, release->version)); !extra.empty()) return extra;
    return "";
  }

  // Beside what the index has: a build of another index, where that is of a newer version.
  void add_newer_build(const Question& changed, const std::string& name, const std::string& from, const std::string& than) {
    const auto stack = solve_newest(changed, name);
    if (!stack || !stack->components.contains(name)) return;
    const auto to = stack->components.at(name);
    const auto release = [](const std::string& text) { return specs::pep440_version(specs::public_version(text)); };
    if (release(to) > release(than)) add(instead_.of(changed, name, from, to, *stack));
  }

  void change_python() {
    if (judged_.installable) return;
    for (const auto& python : pythons_from(world_.python, likely_pythons(knowledge_, question_))) {
      if (python == world_.python || leaves_out(knowledge_, question_, world_.python, python)) continue;
      auto changed = question_;
      changed.set_python(python);
      const auto world = python_world(knowledge_, changed, python);
      const auto stack = solve(changed, world);
      if (!stack) continue;
      Nearest nearest;
      nearest.changes.push_back({"python", world_.python, python});
      nearest.stack = *stack;
      nearest.text = fmt::format("on Python {} it runs", python);
      if (add(changed, std::move(nearest))) return;
    }
  }

  void change_driver() {
    if (question_.driver.empty()) return;
    auto changed = question_;
    changed.driver.clear();
    const auto world = python_world(knowledge_, changed, world_.python);
    const auto judged = judge({world.project, world.catalog, world.order});
    if (!judged.runs) return;
    const auto possible = possible_versions(world.project, only(world.catalog, judged.chosen), "driver");
    Nearest nearest;
    auto words = specs::ranges_in_words(world.catalog.components.at("driver"), possible);
    // A branch that is newer than the product's first driver, and whose own first is newer than the one that is there.
    const auto product = question_.gpu ? question_.gpu->first_driver : specs::FirstDriver();
    if (const auto begins = product.in_branch_of(question_.driver); product.is_older(question_.driver) && specs::is_newer(question_.driver, product.since))
      words = begins.empty() ? words : ">=" + begins;
    nearest.changes.push_back({"driver", question_.driver, words});
    nearest.stack = judged.running;
    nearest.text = fmt::format("with driver {} it runs", words);
    add(changed, std::move(nearest));
  }

  struct Machine {
    bool python = false, driver = false;
  };

  // An old torch with R470, the last driver that knows a K80; TensorFlow for it on a Python that it has wheels for.
  void change_packages_and(Machine change) {
    if ((change.python && question_.python.empty()) || (change.driver && question_.driver.empty())) return;
    const auto python = question_.python, release = question_.python_release, driver = question_.driver;
    if (change.python) question_.set_python("");
    if (change.driver) question_.driver.clear();
    another_python_ = change.python;
    change_packages(false);
    for (auto& one : found_) {
      const auto series = specs::minor_release(one.stack.components.at("python"));
      if (change.python) one.text += " on Python " + series;
      if (change.python) one.changes.push_back({"python", python, series});
      if (change.driver) one.changes.push_back({"driver", driver, drivers_of(one, series)});
    }
    question_.python = python;
    question_.python_release = release;
    question_.driver = driver;
  }

  std::string drivers_of(const Nearest& nearest, const std::string& python) const {
    auto changed = question_;
    changed.asked.clear();
    for (const auto& text : nearest.install) changed.asked.push_back(specs::read_dependency(text, "the nearest"));
    const auto world = python_world(knowledge_, changed, python);
    const auto possible = possible_versions(world.project, only(world.catalog, nearest.stack), "driver");
    return specs::ranges_in_words(world.catalog.components.at("driver"), possible);
  }

  const Knowledge& knowledge_;
  Question question_;
  const PythonWorld& world_;
  const Judged& judged_;
  const Ask& ask_;
  Instead instead_;
  Candidates candidates_;
  Extras extras_;
  std::vector<Nearest> found_;
  bool another_python_ = false;  // than the one of the question
  bool ended_ = false;
};

}  // namespace

std::vector<Nearest> nearest_that_run(const Knowledge& knowledge, const Question& question, const PythonWorld& world,
                                      const Judged& judged, const Ask& ask) {
  auto found = Search(knowledge, question, world, judged, ask).run();
  for (auto& one : found) {  // what was asked for twice is installed once
    std::set<std::string> seen;
    std::erase_if(one.install, [&](const auto& text) { return !seen.insert(text).second; });
  }
  return found;
}

}  // namespace stackx::advisor
