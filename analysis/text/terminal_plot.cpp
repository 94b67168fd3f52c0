#include "analysis/text/terminal_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string_view>

#include "specs/format/printable.hpp"

namespace stackx::analysis {
namespace {

// The marks of a plot, weakest first: where two fall on one column the later one is seen.
struct Marks {
  const char *band, *one, *outlier, *whisker, *left_end, *right_end, *box, *few, *some, *many,
      *median, *axis, *tick, *cut;
};
constexpr Marks unicode_marks{"░", "│", "∘", "─", "├", "┤", "▒", "·", ":", "●", "┃", "─", "┴", "…"};
constexpr Marks ascii_marks{".", "|", "o", "-", "|", "|", "=", ".", ":", "#", "M", "-", "+", "~"};

const Marks& marks_of(Characters characters) {
  return characters == Characters::unicode ? unicode_marks : ascii_marks;
}

// Columns, taking every character as one column wide.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string shown_in(Characters characters, const std::string& text) {
  std::string result;
  for (const char c : specs::printable(text)) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80 || characters == Characters::unicode)
      result += c;
    else if ((code & 0xc0) != 0x80)  // one "?" a character, not one a byte
      result += '?';
  }
  return result;
}

std::string fitted(std::string text, std::size_t width, const Marks& marks) {
  if (columns(text) > width) {
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end)
      if ((text[end] & 0xc0) != 0x80 && seen++ == width - 1) break;
    text = text.substr(0, end) + marks.cut;
  }
  return text + std::string(width - columns(text), ' ');
}

// One line of marks, a string a column.
class Line {
 public:
  explicit Line(std::size_t width) : cells_(width, " ") {}
  void put(std::size_t column, const std::string& mark) { cells_[column] = mark; }
  void fill(std::size_t from, std::size_t to, const std::string& mark) {
    for (std::size_t i = from; i <= to; ++i) cells_[i] = mark;
  }
  // Text centred at `column` where it stays clear of what is there; nothing otherwise.
  bool write(std::size_t column, const std::string& text) {
    const std::size_t size = columns(text);
    if (size > cells_.size()) return false;
    std::size_t start = column > size / 2 ? column - size / 2 : 0;
    start = std::min(start, cells_.size() - size);
    const std::size_t from = start > 0 ? start - 1 : 0;
    const std::size_t to = std::min(start + size, cells_.size() - 1);
    for (std::size_t i = from; i <= to; ++i)
      if (cells_[i] != " ") return false;
    for (std::size_t i = 0; i < size; ++i) cells_[start + i] = text.substr(i, 1);  // ASCII only
    return true;
  }
  std::string text() const {
    std::string all;
    for (const std::string& cell : cells_) all += cell;
    return all;
  }

 private:
  std::vector<std::string> cells_;
};

std::string plot_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// A linear axis from the smallest to the largest value.
struct Axis {
  double low, high;
  std::size_t width;

  std::size_t column(double value) const {
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(width - 1)));
  }
};

Axis axis_over(std::span<const double> values, std::size_t width) {
  const auto [low, high] = std::ranges::minmax(values);
  // Equal values stand in the middle of something.
  const double pad = high > low ? 0 : low == 0 ? 1 : std::abs(low) * 0.05;
  return {low - pad, high + pad, width};
}

// The step of 1, 2 or 5 times a power of ten that gives at most `count` steps.
double nice_step(double range, double count) {
  const double raw = range / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

struct Tick {
  double value;
  std::string label;
};

std::vector<Tick> ticks(double low, double high, std::size_t width) {
  const double step = nice_step(high - low, std::max(2.0, static_cast<double>(width) / 10));
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  std::vector<Tick> result;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) {
    const double value = i == 0 ? 0 : i * step;
    result.push_back({value, std::abs(value) >= 1e7 || decimals > 6
                                 ? fmt::format("{:.4g}", value)
                                 : fmt::format("{:.{}f}", value, decimals)});
  }
  return result;
}

// The axis and its labels. `place` maps a tick's value to a column.
template <typename Place>
std::string axis_lines(const std::vector<Tick>& all, Place place, std::size_t indent,
                       std::size_t width, const std::string& unit, const Marks& marks) {
  Line rule(width), labels(width);
  rule.fill(0, width - 1, marks.axis);
  for (const Tick& tick : all)
    if (labels.write(place(tick.value), tick.label)) rule.put(place(tick.value), marks.tick);
  const std::string margin(indent, ' ');
  return plot_line(margin + rule.text()) + plot_line(margin + labels.text() + "  " + unit);
}

// What the marks mean, in as many lines as it takes.
std::string legend(const std::vector<std::string>& entries, std::size_t width) {
  std::string text, line;
  for (const std::string& entry : entries) {
    if (!line.empty() && columns(line) + 2 + columns(entry) > width) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + entry;
  }
  return text + line + "\n";
}

std::vector<double> finite(const std::vector<double>& values) {
  std::vector<double> result;
  std::ranges::copy_if(values, std::back_inserter(result),
                       [](double v) { return std::isfinite(v); });
  return result;
}

std::string box(const std::vector<double>& values, const Axis& axis, const Marks& marks) {
  Line line(axis.width);
  if (values.empty()) return line.text();
  const double q1 = quantile(values, 0.25), q3 = quantile(values, 0.75);
  const double reach = 1.5 * (q3 - q1);
  double low = q1, high = q3;  // the farthest values within reach
  for (const double v : values) {
    if (v >= q1 - reach) low = std::min(low, v);
    if (v <= q3 + reach) high = std::max(high, v);
  }
  for (const double v : values)
    if (v < low || v > high) line.put(axis.column(v), marks.outlier);
  line.fill(axis.column(low), axis.column(high), marks.whisker);
  line.put(axis.column(low), marks.left_end);
  line.put(axis.column(high), marks.right_end);
  line.fill(axis.column(q1), axis.column(q3), marks.box);
  line.put(axis.column(median(values)), marks.median);
  return line.text();
}

}  // namespace

Characters characters_of_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string codeset;
    for (const char c : std::string_view(value))
      if (c != '-') codeset += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return codeset.find("utf8") == std::string::npos ? Characters::ascii : Characters::unicode;
  }
  return Characters::ascii;
}

std::string box_plots(const std::vector<Series>& series, std::size_t width, const std::string& unit,
                      Characters characters) {
  const Marks& marks = marks_of(characters);
  width = std::max<std::size_t>(width, 40);
  std::vector<std::vector<double>> values;
  std::vector<double> all;
  std::vector<std::string> names, counts;
  std::size_t name_width = 0, count_width = 0;
  for (const Series& one : series) {
    values.push_back(finite(one.values));
    all.insert(all.end(), values.back().begin(), values.back().end());
    names.push_back(shown_in(characters, one.name));
    counts.push_back(fmt::format("n={}", values.back().size()));
    name_width = std::max(name_width, columns(names.back()));
    count_width = std::max(count_width, counts.back().size());
  }
  if (all.empty()) return "no values to plot\n";
  name_width = std::min(name_width, width / 3);
  const std::size_t indent = name_width + 2 + count_width + 2;
  const std::string shown = shown_in(characters, unit);
  const Axis axis = axis_over(all, width - indent - std::min(columns(shown) + 2, width / 5));
  std::string text;
  for (std::size_t i = 0; i < series.size(); ++i)
    text += plot_line(fmt::format("{}  {:>{}}  {}", fitted(names[i], name_width, marks), counts[i],
                                count_width, box(values[i], axis, marks)));
  text += axis_lines(
      ticks(axis.low, axis.high, axis.width), [&](double v) { return axis.column(v); }, indent,
      axis.width, shown.substr(0, width / 5 - 2), marks);
  return text +
         legend({fmt::format("{} median", marks.median), fmt::format("{} middle half", marks.box),
                 fmt::format("{0}{1}{2} up to 1.5 boxes away", marks.left_end, marks.whisker,
                             marks.right_end),
                 fmt::format("{} outlier", marks.outlier)},
                width);
}

std::string ratio_plot(const std::vector<double>& log_ratios, const Interval& interval,
                       double delta, std::size_t width, Characters characters) {
  const Marks& marks = marks_of(characters);
  width = std::max<std::size_t>(width, 40);
  const std::vector<double> logs = finite(log_ratios);
  if (logs.empty()) return "no pairs to plot\n";
  const std::string pairs = fmt::format("{} pairs", logs.size());
  const std::string ci = fmt::format("median, {:.1f}% CI", 100 * interval.coverage);
  const std::string band =
      fmt::format("band of {}{:g}%", characters == Characters::unicode ? "±" : "+-", 100 * delta);
  const std::size_t indent = std::max({columns(pairs), columns(ci), columns(band)}) + 2;
  const std::string unit = "ratio";

  const double edge = std::log1p(delta);
  std::vector<double> all = logs;
  for (const double v : {-edge, edge, std::log(interval.low), std::log(interval.high)})
    if (std::isfinite(v)) all.push_back(v);
  const Axis axis = axis_over(all, width - indent - unit.size() - 2);
  const auto at = [&](double ratio) { return axis.column(std::log(ratio)); };

  std::vector<std::size_t> seen(axis.width);
  for (const double v : logs) ++seen[axis.column(v)];
  Line strip(axis.width), middle(axis.width), around(axis.width);
  for (std::size_t i = 0; i < axis.width; ++i)
    if (seen[i] > 0) strip.put(i, seen[i] == 1 ? marks.few : seen[i] < 4 ? marks.some : marks.many);
  if (interval.low > 0 && std::isfinite(interval.high)) {
    middle.fill(at(interval.low), at(interval.high), marks.whisker);
    middle.put(at(interval.low), marks.left_end);
    middle.put(at(interval.high), marks.right_end);
  }
  middle.put(axis.column(median(logs)), marks.median);
  around.fill(axis.column(-edge), axis.column(edge), marks.band);
  around.put(axis.column(0), marks.one);

  const auto line = [&](const std::string& title, const Line& plot) {
    return plot_line(fitted(title, indent, marks) + plot.text());
  };
  return line(pairs, strip) + line(ci, middle) + line(band, around) +
         axis_lines(ticks(std::exp(axis.low), std::exp(axis.high), axis.width), at, indent,
                    axis.width, unit, marks) +
         legend({fmt::format("{} one pair", marks.few), fmt::format("{} 2 or 3", marks.some),
                 fmt::format("{} more", marks.many)},
                width);
}

}  // namespace stackx::analysis
