#include "analysis/questions/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/csv.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"
#include "specs/format/printable.hpp"

namespace stackx::analysis {
namespace {

using nlohmann::json;
using For = AnswerColumn::For;

std::string in_csv(const json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

bool all_agree(const Answer& answer, std::size_t column) {
  return std::ranges::all_of(answer.rows, [&](const auto& row) {
    return row[column].text == answer.rows.front()[column].text;
  });
}

bool is_said_above(const Answer& answer, std::size_t column) {
  return answer.columns[column].shared && answer.rows.size() > 1 && all_agree(answer, column);
}

bool is_empty(const Answer& answer, std::size_t column) {
  return std::ranges::all_of(answer.rows,
                             [&](const auto& row) { return row[column].text.empty(); });
}

std::map<std::string, std::string> common_components(const std::vector<specs::Stack>& stacks) {
  if (stacks.size() < 2) return {};
  std::map<std::string, std::string> common = stacks.front().components;
  for (const specs::Stack& stack : stacks)
    std::erase_if(common, [&](const auto& entry) {
      const auto found = stack.components.find(entry.first);
      return found == stack.components.end() || found->second != entry.second;
    });
  return common;
}

std::vector<std::string> name_and_version(const std::map<std::string, std::string>& components,
                                          const std::map<std::string, std::string>& without) {
  std::vector<std::string> words;
  for (const auto& [name, version] : components)
    if (!without.contains(name)) words.push_back(specs::printable(name + " " + version));
  return words;
}

std::string said_above(const Answer& answer, const std::map<std::string, std::string>& common, std::size_t width) {
  std::string text;
  for (std::size_t c = 0; c < answer.columns.size(); ++c)
    if (is_said_above(answer, c) && answer.columns[c].shown != For::programs &&
        !answer.rows.front()[c].text.empty())
      text += wrap(fmt::format("All: {} {}", answer.columns[c].title,
                               answer.rows.front()[c].text), 5, width) +
              "\n";
  if (!common.empty())
    text += "All stacks: " + wrap(name_and_version(common, {}), 12, ",", width) + "\n";
  return text;
}

std::vector<Column> shown_columns(const Answer& answer) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < answer.columns.size(); ++c) {
    const AnswerColumn& column = answer.columns[c];
    if (column.shown == For::programs || is_said_above(answer, c) || is_empty(answer, c)) continue;
    columns.push_back({column.title, column.right, {}});
    for (const auto& row : answer.rows)
      columns.back().cells.push_back(row[c].text.empty() ? "-" : specs::printable(row[c].text));
  }
  return columns;
}

// A number with words beside it, such as an interval.
bool has_blanks(const Column& column) {
  return std::ranges::any_of(column.cells, [](const std::string& cell) { return cell.contains(' '); });
}

// Texts that make the lines too long for the page go below their row, then intervals.
std::vector<Column> take_long_ones(std::vector<Column>& columns, std::size_t width) {
  std::vector<Column> taken;
  for (;;) {
    const std::vector<std::size_t> widths = widths_of(columns);
    if (line_width(widths) <= width) return taken;
    auto next = columns.begin() + static_cast<std::ptrdiff_t>(long_column(columns, widths));
    if (next == columns.begin()) next = std::find_if(next + 1, columns.end(), has_blanks);
    if (next == columns.end()) return taken;
    taken.push_back(std::move(*next));
    columns.erase(next);
  }
}

std::string body(const Answer& answer, const std::map<std::string, std::string>& common,
                 const Paint& paint, std::size_t width) {
  std::vector<Column> columns = shown_columns(answer);
  const std::vector<Column> below = take_long_ones(columns, width);
  const std::vector<std::size_t> widths = fitted_widths(columns, width);
  std::string text = titles(columns, widths, paint);
  for (std::size_t row = 0; row < answer.rows.size(); ++row) {
    const std::string line = trimmed(row_text(columns, widths, row));
    text += (answer.colours.empty() ? line : paint(answer.colours[row].c_str(), line)) + "\n" + named_cells(below, row, width);
    if (answer.stacks.empty()) continue;
    const auto words = name_and_version(answer.stacks[row].components, common);
    if (!words.empty()) text += "      " + wrap(words, 6, ",", width) + "\n";
  }
  return text;
}

}  // namespace

AnswerField field(std::string text) {
  json value = text;
  return {std::move(text), std::move(value)};
}
AnswerField field(std::size_t count) { return {std::to_string(count), count}; }
AnswerField rate_field(std::optional<double> rate) {
  if (!rate) return {};
  return {number(*rate), *rate};
}
AnswerField share_field(std::optional<double> share) {
  if (!share) return {};
  return {fmt::format("{:.1f}%", 100 * *share), *share};
}
AnswerField interval_field(const std::optional<Interval>& interval) {
  if (!interval) return {};
  return {fmt::format("[{}, {}]", number(interval->low), number(interval->high)), nullptr};
}
AnswerField number_field(std::optional<double> number) {
  if (!number) return {};
  return {"", *number};
}

std::string verdict_text(const Comparison& c, const specs::Yardstick& yardstick) {
  const std::string verdict = words(c.verdict, yardstick);
  if (c.pairs == 0 && !c.interval) return verdict + " (no shared round)";
  if (c.verdict == Verdict::unresolved)
    return fmt::format("{} ×{:.3f}{}, {} rounds", verdict, c.ratio,
                       c.interval ? fmt::format(" [{:.3f}, {:.3f}]", c.interval->low, c.interval->high)
                                  : "",
                       c.further_rounds ? fmt::format("+{}", *c.further_rounds) : ">10000");
  return fmt::format("{} ×{:.3f} [{:.3f}, {:.3f}]", verdict, c.ratio, c.interval->low,
                     c.interval->high);
}

std::string first_stack(const Answer& answer) {
  constexpr std::size_t longest = 60;
  const auto label = label_of(answer.stacks.front().components, common_components(answer.stacks));
  return label.empty() || width_of(label) > longest ? answer.stacks.front().short_id() : label;
}

json to_json(const Answer& answer) {
  json rows = json::array();
  for (std::size_t r = 0; r < answer.rows.size(); ++r) {
    json row = json::object();
    for (std::size_t c = 0; c < answer.columns.size(); ++c)
      if (answer.columns[c].shown != For::people)
        row[answer.columns[c].key] = answer.rows[r][c].value;
    if (!answer.stacks.empty()) row["stack"] = answer.stacks[r].components;
    rows.push_back(std::move(row));
  }
  json document = {{"question", answer.question},
                   {"text", answer.heading},
                   {"rows", rows},
                   {"total", answer.total},
                   {"notes", answer.notes}};
  if (!answer.summary.is_null()) document["summary"] = answer.summary;
  return document;
}

std::string csv(const Answer& answer) {
  std::vector<std::string> fields;
  for (const AnswerColumn& column : answer.columns)
    if (column.shown != For::people) fields.push_back(column.key);
  if (!answer.stacks.empty()) fields.emplace_back("stack");
  std::string text = csv_line(fields);
  for (std::size_t r = 0; r < answer.rows.size(); ++r) {
    fields.clear();
    for (std::size_t c = 0; c < answer.columns.size(); ++c)
      if (answer.columns[c].shown != For::people) fields.push_back(in_csv(answer.rows[r][c].value));
    if (!answer.stacks.empty()) fields.push_back(json(answer.stacks[r].components).dump());
    text += csv_line(fields);
  }
  return text;
}

std::string table(const Answer& answer, bool colour, std::size_t width) {
  const Paint paint{colour};
  const auto common = common_components(answer.stacks);
  std::string text = paragraph(answer.heading, 0, width);
  if (!answer.rows.empty()) {
    text += said_above(answer, common, width);
    if (!answer.caption.empty()) text += paragraph(answer.caption, 0, width);
    text += "\n" + body(answer, common, paint, width);
  }
  if (answer.rows.size() < answer.total)
    text += fmt::format("... and {} more (--limit 0 shows all)\n", answer.total - answer.rows.size());
  if (!answer.notes.empty()) text += "\nNotes:\n";
  for (const std::string& note : answer.notes)
    text += bullet(note, width);
  return text;
}

}  // namespace stackx::analysis
