#include "advisor/answer/lock_answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/answer/expectation.hpp"
#include "advisor/candidate/newest_candidate.hpp"
#include "advisor/recipes/install_line.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

std::string verdict(const Grounds& from, const Candidate& own) {
  const auto file = from.options.lock.filename().string();
  const auto hardware = from.hardware();
  if (own.checked.answer == Answer::no)
    return fmt::format("No: {} does not run on {}: {}.", file, hardware, own.checked.text);
  if (own.checked.answer == Answer::unknown)
    return fmt::format("Unknown: whether {} runs on {}: {}.", file, hardware, own.checked.text);
  return fmt::format("Yes: {} runs on {}{}, on {}.", file, hardware,
                     own.version.empty() ? "" : fmt::format(": {}{}", own.text(), from.driver_of(own)),
                     pythons_text(own.pinned));
}

// Measured as it is, that is what to expect; else what is published or predicted for such a stack.
void expect_own(const Grounds& from, const Candidate& own, Advice& answer) {
  const auto& advice = from.known.own_advice;
  if (!advice || !advice->measured) {
    expect_of(from, own, nullptr, answer);
    if (answer.grade == Grade::newest) answer.expect = from.unknown() + ". Nobody measured or published it.";
    return;
  }
  const auto& row = *advice->measured;
  answer.grade = row.evidence == "measured" ? Grade::measured : Grade::measured_elsewhere;
  answer.expected.push_back({"", row.median, from.known.measured.unit, row.ci});
  answer.expect =
      fmt::format("Expect {}: {}, rank {} of {}, n={}.", answer.expected.front().text(), to_string(answer.grade),
                  row.rank, from.known.measured.recommendations.size(), row.inspections);
}

// What evidence says of a stack like the user's.
std::string stay_or_change(const Grounds& from) {
  const auto& advice = from.known.own_advice;
  if (advice && !advice->change.empty()) return advice->change;
  return fmt::format("it is valid there, and no result shows another to be {}: stay, until one does.", from.better());
}

// Of what is locked beside the framework what requires it, in whichever release: not every torch has an xformers.
void keep_companions(const Grounds& from, Wish& wish) {
  const auto& knowledge = from.knowledge;
  const auto requires_root = [&](const std::string& name) {
    const auto* package = knowledge.package(name);
    if (!package || package->releases.empty()) return false;
    const auto* requirements = knowledge.requirements(name, package->releases.back());
    return requirements && std::ranges::any_of(*requirements, [&](const auto& one) { return knowledge.real_name(one.name) == wish.root; });
  };
  std::erase_if(wish.question.asked, [&](const auto& placed) { return !requires_root(knowledge.real_name(placed.dependency.name)); });
  for (auto& placed : wish.question.asked) placed.dependency.versions = specs::SpecifierSet::any(specs::Versioning::pep440);
}

}  // namespace

void answer_lock(const Grounds& from, Advice& answer) {
  const auto& own = *from.known.candidate;
  answer.found = own.checked.answer == Answer::yes;
  answer.line = verdict(from, own);
  answer.run = own.text();
  answer.candidate = own;
  answer.pinned = own.pinned;
  if (answer.found) expect_own(from, own, answer);
  add_nearest(own.checked, answer);
  if (answer.found) answer.why = stay_or_change(from);
  add_misspelt(own.checked, answer);
  if (answer.found) add_reported(own.checked, answer);
  if (!own.unused.empty()) answer.cautions.push_back(own.unused_text());
  auto free = *from.known.wish;
  keep_companions(from, free);
  const auto newest = newest_candidate(from.knowledge, free);
  if (!newest || !specs::is_newer(newest->version, own.version)) return;
  answer.cautions.push_back(
      fmt::format("The newest valid on {} is {}{}{}. To take it: {}", from.hardware(), newest->text(),
                  newest->least_driver.empty() ? "" : fmt::format(", driver >={}", newest->least_driver),
                  answer.found ? fmt::format("; no result shows it to be {}", from.better()) : "", install_line(newest->pinned)));
}

}  // namespace stackx::advisor
