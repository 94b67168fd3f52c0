#include "cli/advise/advice_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/text/markdown.hpp"
#include "analysis/text/table.hpp"
#include "specs/format/printable.hpp"
#include "workspace/words.hpp"

namespace stackx::cli {
namespace {

using advisor::Advice;
using advisor::figure_text;
using analysis::escape_markdown;
using analysis::markdown_sentence;
using analysis::split;
using specs::printable;

constexpr std::size_t most_lines = 24;
constexpr std::size_t least_own = 3;

using Grid = std::vector<std::vector<std::string>>;  // the first holds the titles

// ---- what the tables say, for text and Markdown

Grid limit_rows(const Advice& advice) {
  Grid rows;
  if (advice.limits.empty()) return rows;
  rows.push_back({"", "this stack", "last valid", "first out", ""});
  std::string before;
  for (const auto& limit : advice.limits) {
    rows.push_back({limit.component, limit.here, limit.last, limit.first_out, limit.why == before ? "same" : limit.why});
    before = limit.why;
  }
  return rows;
}

Grid driver_rows(const Advice& advice) {
  Grid rows;
  if (advice.by_driver.empty()) return rows;
  rows.push_back({"your driver", "run", ""});
  for (const auto& row : advice.by_driver) {
    auto with = row.candidate.beside;
    if (!row.candidate.cuda.empty()) with.push_back("CUDA " + row.candidate.cuda);
    if (!row.candidate.cudnn.empty()) with.push_back("cuDNN " + row.candidate.cudnn);
    rows.push_back({">=" + row.driver, row.candidate.name(), fmt::format("{}", fmt::join(with, ", "))});
  }
  return rows;
}

// Where the table says what the hardware allows, the drivers are a line.
std::string older_drivers(const Advice& advice) {
  std::vector<std::string> words;
  for (std::size_t i = 1; i < advice.by_driver.size(); ++i)
    words.push_back(fmt::format(">={} {}", advice.by_driver[i].driver, advice.by_driver[i].candidate.with_others()));
  return words.empty() ? "" : fmt::format("With an older driver: {}.", fmt::join(words, "; "));
}

Grid measured_rows(const Advice& advice) {
  Grid rows;
  if (advice.measured.empty()) return rows;
  rows.push_back({"rank", advice.measured_unit, "vs best", "CV", "id", "stack"});
  for (const auto& row : advice.measured) rows.push_back({row.rank, figure_text(row.rate), row.versus, row.cv, row.id, row.stack});
  return rows;
}

// "658", "TFLOP/s float16", "[655, 664]", "n=10, 67% of peak", "cublas 13.1.0.3, cuda 13.0"
Grid own_table(const Advice& advice, std::size_t most) {
  Grid rows;
  std::string before;
  for (const auto& row : advice.own) {
    if (rows.size() == most) break;
    rows.push_back({figure_text(row.value), row.kind.empty() ? row.unit : row.unit + " " + row.kind,
                    row.interval ? fmt::format("[{}, {}]", figure_text(row.interval->low), figure_text(row.interval->high)) : "",
                    row.remark, row.stack == before ? "same" : row.stack});
    before = row.stack;
  }
  return rows;
}

std::string own_title(const Advice& advice, std::size_t shown) {
  if (shown == advice.own.size()) return advice.own_title + ":";
  return fmt::format("{} ({} more: --explain):", advice.own_title, advice.own.size() - shown);
}

Grid evidence_table(const std::vector<advisor::EvidenceRow>& evidence, std::size_t most) {
  Grid rows;
  for (const auto& row : evidence) {
    if (rows.size() == most) break;
    rows.push_back({figure_text(row.value), row.kind.empty() ? row.unit : row.unit + " " + row.kind, row.stack, row.year, row.remark});
  }
  return rows;
}

// ---- text

class Text {
 public:
  Text(std::size_t width, bool colour) : width_(width), paint_{colour} {}

  void paragraph(const std::string& text, std::size_t indent = 0, const std::string& first = {}) {
    if (text.empty()) return;
    auto words = split(text);
    auto wrapped = analysis::wrap(words, indent, "", width_);
    text_ += (first.empty() ? std::string(indent, ' ') : first) + wrapped + "\n";
  }
  void headline(const std::string& text) {
    for (const auto& line : analysis::lines_of(analysis::wrap(text, 0, width_))) text_ += paint_("1", line) + "\n";
  }
  void blank() {
    if (!text_.empty() && !text_.ends_with("\n\n")) text_ += "\n";
  }
  void as_it_is(const std::string& line) { text_ += printable(line) + "\n"; }

  // Columns two spaces apart; the last is wrapped.
  void table(Grid rows, const std::vector<bool>& right = {}) {
    for (auto& row : rows)
      for (auto& one : row) one = printable(one);
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (widths.size() <= c) widths.push_back(0);
        widths[c] = std::max(widths[c], analysis::width_of(row[c]));
      }
    std::size_t indent = 2;
    for (std::size_t c = 0; c + 1 < widths.size(); ++c) indent += widths[c] + (widths[c] > 0 ? 2 : 0);
    for (const auto& row : rows) {
      std::string line = "  ";
      for (std::size_t c = 0; c + 1 < row.size(); ++c) {
        if (widths[c] == 0) continue;
        const std::string pad(widths[c] - analysis::width_of(row[c]), ' ');
        line += (c < right.size() && right[c] ? pad + row[c] : row[c] + pad) + "  ";
      }
      const bool below = !row.back().empty() && indent + analysis::width_of(row.back()) > width_ && indent + 24 > width_;
      if (below) line = analysis::trimmed(std::move(line)) + "\n" + std::string(8, ' ');
      line += analysis::wrap(row.back(), below ? 8 : indent, width_);
      text_ += analysis::trimmed(std::move(line)) + "\n";
    }
  }

  std::size_t lines() const { return static_cast<std::size_t>(std::ranges::count(text_, '\n')); }
  const std::string& text() const { return text_; }

 private:
  std::size_t width_;
  analysis::Paint paint_;
  std::string text_;
};

void measured(const Advice& advice, Text& text) {
  if (advice.measured.empty()) return;
  text.table(measured_rows(advice), {true, true, false, true});
  text.paragraph(advice.measured_rest, 2);
  text.blank();
}

void head(const Advice& advice, Text& text) {
  text.headline(advice.line);
  text.paragraph(advice.expect);
  if (!advice.why.empty()) text.paragraph("Why: " + advice.why);
  text.blank();
  if (!advice.install.empty()) text.as_it_is("  " + advice.install);
  for (const auto& caution : advice.cautions) text.paragraph(caution, 4, "  ! ");
  text.blank();
  if (const auto rows = limit_rows(advice); !rows.empty()) {
    text.table(rows);
    text.paragraph(older_drivers(advice), 2);
  } else if (const auto drivers = driver_rows(advice); !drivers.empty()) {
    text.table(drivers);
  }
  text.paragraph(advice.besides, 2);
  text.blank();
  measured(advice, text);
}

void tail(const Advice& advice, Text& text) {
  std::string remarks;
  for (const auto& one : advice.remarks) remarks += one + " ";
  if (!advice.as_of.empty()) remarks += workspace::freshness(advice.as_of, workspace::today()) + ".";
  text.paragraph(remarks);
  for (const auto& one : advice.next)
    if (one.starts_with(" ")) text.as_it_is(one);  // a command is one line
    else text.paragraph(one);
  if (!advice.options.empty()) text.paragraph(fmt::format("Next: {}", fmt::join(advice.options, "   ")));
}

// "...; 7 more: --explain):"
std::string evidence_title(const Advice& advice, std::size_t shown) {
  auto title = advice.evidence_title;
  if (shown < advice.evidence.size() && title.ends_with("):"))
    title.insert(title.size() - 2, fmt::format("; {} more: --explain", advice.evidence.size() - shown));
  return title;
}

// Where a table has no room: "Published for matmul on V100, best of 8: 112 TFLOP/s float16, cuda 10.1.243 (2019)."
std::string evidence_line(const Advice& advice) {
  const auto& row = advice.evidence.front();
  return fmt::format("{}, first of {}: {} {}{}{}, {}{}; all: --explain.", advice.evidence_title.substr(0, advice.evidence_title.find(" (")),
                     advice.evidence.size(), figure_text(row.value), row.kind.empty() ? row.unit : row.unit + " " + row.kind,
                     on_devices(row), row.sizes.empty() ? "" : " at " + row.sizes, row.stack, row.year.empty() ? "" : " (" + row.year + ")");
}

// How many rows there is room for: what others published gives way first, to a line (0 rows).
struct KnownRows {
  std::size_t own = 0, evidence = 0;
  bool smaller(std::size_t least_of_own) {
    auto& one = evidence > 0 ? evidence : own;
    if (&one == &own && own <= least_of_own) return false;
    --one;
    return true;
  }
};

// What is known of the workload on such hardware, with a blank line behind a table.
Text known_rows(const Advice& advice, const KnownRows& rows, std::size_t width, bool colour) {
  Text text(width, colour);
  if (rows.own > 0) {
    text.paragraph(own_title(advice, rows.own));
    text.table(own_table(advice, rows.own), {true});
  }
  if (rows.evidence == 0 && !advice.evidence.empty()) {
    text.paragraph(evidence_line(advice));
    return text;
  }
  if (rows.evidence > 0) {
    text.paragraph(evidence_title(advice, rows.evidence));
    text.table(evidence_table(advice.evidence, rows.evidence), {true});
  }
  text.blank();
  return text;
}

}  // namespace

std::string advice_text(const Advice& advice, std::size_t width, bool colour) {
  Text above(width, colour), below(width, colour);
  head(advice, above);
  tail(advice, below);
  KnownRows rows{advice.own_shown, advice.evidence.size()};
  auto known = known_rows(advice, rows, width, colour);
  while (above.lines() + known.lines() + below.lines() > most_lines && rows.smaller(least_own))
    known = known_rows(advice, rows, width, colour);
  auto text = above.text() + known.text() + below.text();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

namespace {

Grid escaped(Grid rows) {
  for (auto& row : rows)
    for (auto& one : row) one = escape_markdown(one);
  return rows;
}

// Of cells that are Markdown already.
std::string markdown_table(const Grid& rows, bool titles = true) {
  if (rows.empty()) return "";
  std::string text = "\n";
  const auto line = [&](const std::vector<std::string>& cells) {
    text += "|";
    for (const auto& one : cells) text += " " + one + " |";
    text += "\n";
  };
  line(titles ? rows.front() : std::vector<std::string>(rows.front().size()));
  text += "|";
  for (std::size_t i = 0; i < rows.front().size(); ++i) text += "---|";
  text += "\n";
  for (std::size_t i = titles ? 1 : 0; i < rows.size(); ++i) line(rows[i]);
  return text;
}

}  // namespace

std::string advice_markdown(const Advice& advice) {
  std::string text = fmt::format("**{}**\n", markdown_sentence(advice.line));
  if (!advice.expect.empty()) text += "\n" + markdown_sentence(advice.expect) + "\n";
  if (!advice.why.empty()) text += "\nWhy: " + markdown_sentence(advice.why) + "\n";
  if (!advice.install.empty()) text += "\n```sh\n" + printable(advice.install) + "\n```\n";
  if (!advice.cautions.empty()) text += "\n";
  for (const auto& caution : advice.cautions) text += "- " + markdown_sentence(caution) + "\n";
  text += markdown_table(escaped(driver_rows(advice))) + markdown_table(escaped(limit_rows(advice)));
  if (!advice.besides.empty()) text += "\n" + markdown_sentence(advice.besides) + "\n";
  text += markdown_table(escaped(measured_rows(advice)));
  if (!advice.measured_rest.empty()) text += "\n" + markdown_sentence(advice.measured_rest) + "\n";
  if (advice.own_shown > 0) {
    Grid rows = escaped(own_table(advice, advice.own_shown));
    rows.insert(rows.begin(), {"", "", "interval", "", "stack"});
    text += "\n" + markdown_sentence(own_title(advice, advice.own_shown)) + "\n" + markdown_table(rows);
  }
  if (!advice.evidence.empty()) {
    Grid rows = escaped(evidence_table(advice.evidence, advice.evidence.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].push_back(analysis::markdown_link(advice.evidence[i].title, advice.evidence[i].url));
    rows.insert(rows.begin(), {"", "", "stack", "year", "", "source"});
    text += "\n" + markdown_sentence(advice.evidence_title) + "\n" + markdown_table(rows);
  }
  std::string remarks;
  for (const auto& one : advice.remarks) remarks += one + " ";
  if (!advice.as_of.empty()) remarks += workspace::freshness(advice.as_of, workspace::today()) + ".";
  if (!remarks.empty()) text += "\n" + markdown_sentence(remarks) + "\n";
  return text;
}

}  // namespace stackx::cli
