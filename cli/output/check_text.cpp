#include "cli/output/check_text.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "advisor/recipes/install_line.hpp"
#include "analysis/text/table.hpp"
#include "cli/output/print.hpp"
#include "specs/format/printable.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

using advisor::Answer;
using advisor::Checked;

// Broken at words to a terminal's width, or to COLUMNS where somebody says it; whole lines into files and pipes, where programs
// read them. `first` begins the first line, further ones are indented as far as its text.
std::string in_lines(const std::string& text, const std::string& first = {}, std::size_t indent = 0) {
  if (!stdout_is_terminal() && !std::getenv("COLUMNS")) return first + specs::printable(text) + "\n";
  return first + analysis::wrap(text, indent, output_width()) + "\n";
}
std::string in_lines(const std::string& text, std::size_t indent) { return in_lines(text, std::string(indent, ' '), indent); }

void print_clash(const std::vector<resolver::Reason>& reasons, const std::string& indent, std::size_t depth) {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const bool top = depth == 0, last = i + 1 == reasons.size();
    workspace::write_out(in_lines(reasons[i].text, "  " + indent + (top ? "" : last ? "└─ " : "├─ "), top ? 4 : 3 * depth + 3));
    print_clash(reasons[i].leads_to, indent + (top ? " " : last ? "   " : "│  "), depth + 1);
  }
}

void print_first_line(Answer answer, const std::string& text) {
  const char* word = answer == Answer::yes ? "Yes" : answer == Answer::no ? "No" : "Unknown";
  workspace::write_out(in_lines(fmt::format("{}: {}.", word, text)));
}

void print_nearest(const Checked& checked) {
  for (std::size_t i = 0; i < checked.nearest.size(); ++i) {
    const auto& one = checked.nearest[i];
    workspace::write_out(in_lines((i == 0 ? "The nearest that runs: " : "Or: ") + one.changes_text() + on_another_python(checked, one), {}, 2));
    if (!one.install.empty() && one.install.size() <= 12)
      workspace::print("  {}\n", advisor::install_line(one.install, one.compiled, one.indexes));
  }
}

}  // namespace

void print_check(const Checked& checked) {
  print_first_line(checked.answer, checked.text);
  for (std::size_t i = 0; i < checked.because.size(); ++i)
    if (checked.answer == Answer::yes ? i < 4 : i > 0) workspace::write_out(in_lines(checked.because[i], 2));
  if (!checked.clash.empty()) {
    workspace::print("How it comes:\n");
    print_clash(checked.clash, "", 0);
  }
  print_nearest(checked);
  for (const auto& note : checked.notes) workspace::write_out(in_lines(fmt::format("Note: {}.", note)));
  for (const auto& one : checked.reported) workspace::write_out(in_lines(fmt::format("Reported by others, {}.", one)));
  if (!checked.not_judged.empty()) {
    auto names = checked.not_judged;
    const auto more = names.size() > 8 ? names.size() - 8 : 0;
    if (more > 0) names.resize(8);
    workspace::write_out(in_lines(fmt::format("Not judged: {}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "")));
  }
  if (!checked.as_of.empty()) workspace::write_out(in_lines(workspace::freshness(checked.as_of, workspace::today()) + "."));
  for (const auto& overlay : checked.overlays) workspace::print("With your catalog {}.\n", overlay);
}

void print_check(const advisor::CheckedOnSeveral& several) {
  print_first_line(several.answer(), several.text());
  for (std::size_t i = 0; i < several.checked.size(); ++i) {
    workspace::print("\n{}\n", specs::printable(advisor::as_written(several.hardware[i])));
    print_check(several.checked[i]);
  }
}

}  // namespace stackx::cli
