#include "advisor/answer/catalog_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/recipes/install_line.hpp"
#include "advisor/recipes/stack_packages.hpp"
#include "analysis/ranking/amount_remark.hpp"
#include "analysis/text/words.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

// What is installed of a stack: its packages, else the toolkit; settings and the hardware say themselves.
std::string packages_text(const specs::Stack& stack, const specs::Catalog& catalog) {
  for (const auto kind : {specs::Kind::package, specs::Kind::runtime}) {
    std::vector<std::string> words;
    for (const auto& [name, version] : stack.components)
      if (const auto* component = catalog.find(name); component && component->kind == kind) words.push_back(name + " " + version);
    if (!words.empty()) return fmt::format("{}", fmt::join(words, ", "));
  }
  return analysis::components_text(stack.components);
}

// ", driver >=580": what the toolkit asks of it; "" where it asks nothing, or the user has one.
std::string driver_text(const Grounds& from, const specs::Stack& stack) {
  if (!from.options.have.driver.empty()) return ", driver " + from.options.have.driver;
  const auto& catalog = from.known.space->catalog();
  for (const auto& [name, version] : stack.components) {
    const auto* component = catalog.find(name);
    const auto* entry = component && component->kind == specs::Kind::runtime ? component->find(version) : nullptr;
    if (!entry) continue;
    const auto driver = std::ranges::find(entry->requires_, "driver", &specs::Requirement::component);
    if (driver != entry->requires_.end()) return ", driver " + driver->constraint.text;
  }
  return "";
}

}  // namespace

void pin_stack(const Grounds& from, const specs::Stack& stack, Advice& answer) {
  Pinned pinned;
  for (const auto& [name, package] : stack_packages(stack, from.known.space->catalog(), {}))
    pinned.packages.push_back({name, package.version, package.extras});
  if (const auto python = stack.components.find("python"); python != stack.components.end())
    pinned.python = specs::minor_release(python->second);
  if (pinned.packages.empty()) return;
  answer.install = install_line(pinned);
  answer.pinned = std::move(pinned);
}

void answer_catalogs(const Grounds& from, Advice& answer) {
  const auto& known = from.known;
  const auto& stack = known.chosen->valid.stack;
  const auto& family = known.selection.asked.pi;
  answer.found = true;
  answer.chosen = known.chosen;
  pin_stack(from, stack, answer);
  answer.run = packages_text(stack, known.space->catalog());
  answer.line = fmt::format("Run {} on {}{}.", answer.run, from.hardware(), driver_text(from, stack));
  answer.why = fmt::format(
      "the newest stack valid on {} with what {} is usually run with; no result shows another to be {}.",
      from.hardware(), family, from.better());
  if (const auto& python = from.options.have.python; !python.empty() && !stack.components.contains("python"))
    answer.cautions.push_back(fmt::format("Python {} is not judged: the catalogs that this is from hold no Python.", python));
  const auto& measured = known.measured;
  const bool silent = measured.recommendations.empty() && measured.without_unit > 0 && !measured.yardstick.is_rate();
  answer.expect = silent ? fmt::format("{} (NEWEST). {}", from.unknown(), analysis::no_amount(measured.yardstick, measured.without_unit))
                         : fmt::format("{} (NEWEST): no {} result on {}.", from.unknown(), family, from.hardware());
}

}  // namespace stackx::advisor
