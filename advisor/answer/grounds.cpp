#include "advisor/answer/grounds.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "advisor/check/stack_check.hpp"
#include "advisor/recipes/install_line.hpp"
#include "workspace/asked/project.hpp"

namespace stackx::advisor {

std::string Grounds::hardware() const {
  if (!known.accelerator) return known.selection.hw;
  return as_written(asked_gpu(*known.accelerator, known.selection.hw).asked);
}

std::string Grounds::better() const {
  const auto& yardstick = options.analysis.yardstick;
  return yardstick.is_rate() ? "faster" : "better in " + yardstick.noun();
}

std::string Grounds::unknown() const {
  const auto& yardstick = options.analysis.yardstick;
  auto noun = yardstick.is_rate() ? std::string("speed") : yardstick.noun();
  noun.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(noun.front())));
  return noun + ": UNKNOWN";
}

std::string Grounds::kept() const { return options.have.any() ? " with " + options.have.text() : ""; }

std::string Grounds::restriction() const {
  if (options.project.empty()) return kept();
  return fmt::format("{} that {} allows", kept(), project_called());
}

std::string Grounds::project_called() const {
  const auto called = workspace::called(options.project);
  if (workspace::is_of_words(options.project) && called == options.project.string()) return "the command";  // with its options
  return called == options.project.string() ? options.project.filename().string() : called;
}

std::string Grounds::driver_of(const Candidate& candidate) const {
  const auto& question = known.wish->question;
  if (!question.gpu || question.gpu->vendor != "nvidia") return "";
  if (!question.driver.empty()) return ", driver " + question.driver;
  if (candidate.least_driver.empty()) return "";
  auto text = ", driver >=" + candidate.least_driver;
  if (const auto last = knowledge.drivers().last_branch(question.gpu->compute_capability))
    text += fmt::format(" ({} is the last branch for {})", *last, hardware());
  return text;
}

std::string Grounds::nothing(const std::string& why, const std::string& with) const { return sentence_of("No stack to run", why, with); }

std::string Grounds::not_known(const std::string& why, const std::string& with) const { return sentence_of("Unknown what runs", why, with); }

std::string Grounds::sentence_of(const char* begin, const std::string& why, const std::string& with) const {
  auto text = fmt::format("{} {} on {}{}: {}.", begin, known.selection.asked.text(), hardware(), with, why);
  if (text.ends_with("..")) text.pop_back();
  return text;
}

std::string pythons_text(const Pinned& pinned) {
  if (pinned.pythons.size() > 1) return fmt::format("Python {} to {}", pinned.pythons.back(), pinned.pythons.front());
  return pinned.python.empty() ? "" : "Python " + pinned.python;
}

void add_misspelt(const Checked& checked, Advice& answer) {
  for (const auto& note : checked.notes)
    if (note.contains("did you mean")) answer.cautions.push_back(note + "?");
}

void add_reported(const Checked& checked, Advice& answer) {
  for (const auto& one : checked.reported) answer.cautions.push_back(fmt::format("Reported by others, {}.", one));
}

void add_nearest(const Checked& checked, Advice& answer, const std::function<std::string(const Nearest&)>& more) {
  for (const char* begin = "The nearest that runs"; const auto& one : checked.nearest) {
    const bool short_enough = !one.install.empty() && one.install.size() <= 12;
    answer.cautions.push_back(fmt::format("{}: {}{}{}.{}", std::exchange(begin, "Or"), one.changes_text(), on_another_python(checked, one), more ? more(one) : "",
                                          short_enough ? " To install it: " + install_line(one.install, one.compiled, one.indexes) : ""));
  }
}

}  // namespace stackx::advisor
