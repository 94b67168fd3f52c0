#include "cli/output/check_text.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "advisor/recipes/install_line.hpp"
#include "analysis/text/table.hpp"
#include "cli/output/print.hpp"
#include "specs/format/printable.hpp"
#include "specs/version/version_text.hpp"
#include "workspace/output.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

using advisor::Answer;
using advisor::Checked;

// Broken at words to a terminal's width; whole lines into files and pipes, where programs read them.
std::string in_lines(const std::string& text) {
  constexpr std::size_t indent = 2;
  if (!stdout_is_terminal()) return specs::printable(text) + "\n";
  const bool indented = text.starts_with("  ");
  const auto words = analysis::split(text);
  return (indented ? std::string(indent, ' ') : "") + analysis::wrap(words, indent, "", output_width()) + "\n";
}

void print_clash(const std::vector<resolver::Reason>& reasons, const std::string& indent) {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const bool top = indent.empty(), last = i + 1 == reasons.size();
    workspace::print("  {}{}{}\n", indent, top ? "" : last ? "└─ " : "├─ ", reasons[i].text);
    print_clash(reasons[i].leads_to, indent + (top ? " " : last ? "   " : "│  "));
  }
}

// Where it is another than that of the answer; a change of Python says so itself.
std::string on_python(const Checked& checked, const advisor::Nearest& nearest) {
  const auto python = nearest.stack.components.find("python");
  if (python == nearest.stack.components.end()) return "";
  const auto series = specs::minor_release(python->second);
  const auto changes_it = [](const auto& change) { return change.name == "python"; };
  if (std::ranges::find(checked.pythons, series) != checked.pythons.end() || std::ranges::any_of(nearest.changes, changes_it))
    return "";
  return ", on Python " + series;
}

void print_nearest(const Checked& checked) {
  for (std::size_t i = 0; i < checked.nearest.size(); ++i) {
    const auto& one = checked.nearest[i];
    workspace::print("{}{}{}\n", i == 0 ? "The nearest that runs: " : "Or: ", one.changes_text(),
                     on_python(checked, one));
    if (!one.install.empty() && one.install.size() <= 12)
      workspace::print("  {}\n", advisor::install_line(one.install));
  }
}

}  // namespace

void print_check(const Checked& checked) {
  const char* word = checked.answer == Answer::yes ? "Yes" : checked.answer == Answer::no ? "No" : "Unknown";
  workspace::write_out(in_lines(fmt::format("{}: {}.", word, checked.text)));
  for (std::size_t i = 0; i < checked.because.size(); ++i)
    if (checked.answer == Answer::yes ? i < 4 : i > 0) workspace::write_out(in_lines("  " + checked.because[i]));
  if (!checked.clash.empty()) {
    workspace::print("How it comes:\n");
    print_clash(checked.clash, "");
  }
  print_nearest(checked);
  for (const auto& note : checked.notes) workspace::write_out(in_lines(fmt::format("Note: {}.", note)));
  if (!checked.not_judged.empty()) {
    auto names = checked.not_judged;
    const auto more = names.size() > 8 ? names.size() - 8 : 0;
    if (more > 0) names.resize(8);
    workspace::print("Not judged: {}{}\n", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }
  if (!checked.as_of.empty()) workspace::print("{}.\n", workspace::freshness(checked.as_of, workspace::today()));
  for (const auto& overlay : checked.overlays) workspace::print("With your catalog {}.\n", overlay);
}

}  // namespace stackx::cli
