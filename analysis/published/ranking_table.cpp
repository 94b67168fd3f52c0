// The ranking of published results for people: a table a group, then the sources by number.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>

#include "analysis/published/product_sizes.hpp"
#include "analysis/published/ranking.hpp"
#include "analysis/text/table.hpp"
#include "analysis/text/words.hpp"

namespace stackx::analysis {
namespace {

std::size_t limit(std::size_t wanted, std::size_t all) {
  return wanted == 0 ? all : std::min(wanted, all);
}

std::string batch_text(const PublishedGroup& group, const PublishedRow& row) {
  std::string text;
  for (const auto& [name, value] : row.shown.front().workload.params)
    if (name.contains("batch") && !group.shape.params.contains(name))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value,
                          name == "batch"           ? ""
                          : name == "batch_per_gpu" ? "a device"
                                                    : "in all");
  return trimmed(std::move(text));
}

// In what type a product is written, where its source says so: not the same work for all of a group.
std::string result_text(const PublishedRow& row) {
  const auto& details = row.shown.front().details;
  const auto found = details.find("result");
  return found == details.end() ? "" : found->second;
}

// Numbers of sources, in the order in which they are met.
class SourceList {
 public:
  std::string marks(const std::vector<specs::Source>& sources) {
    std::string text;
    for (const auto& source : sources) {
      const auto [at, fresh] = numbers_.try_emplace(source, numbers_.size() + 1);
      if (fresh) all_.push_back(source);
      text += fmt::format("[{}]", at->second);
    }
    return text;
  }
  std::string text(std::size_t width) const {
    std::string text;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const specs::Source& s = all_[i];
      text += wrap(fmt::format("[{}] {}{}", i + 1, s.title.empty() ? s.url : s.title, s.date.empty() ? "" : ", " + s.date), 4, width) +
              "\n";
      if (!s.title.empty()) text += fmt::format("    {}\n", s.url);
    }
    return text;
  }

 private:
  std::vector<specs::Source> all_;
  std::map<specs::Source, std::size_t> numbers_;
};

std::string over_shapes_text(const PublishedRow& row) {
  if (!row.over_shapes) return row.versus_best ? "none shared" : "best";
  const ShapeComparison& c = *row.over_shapes;
  std::string text = fmt::format("×{:.3f}", c.ratio);
  if (c.interval) text += fmt::format(" [{:.3f}, {:.3f}]", c.interval->low, c.interval->high);
  return fmt::format("{} ({})", text, counted(c.shapes, "shape"));
}

// Of the first row that is above its peak: the same for all of a group, which is of one workload.
std::string remark_of(const PublishedGroup& group) {
  for (const auto& row : group.rows)
    if (row.peak && !row.peak->remark.empty()) return fmt::format("More than 100% is {}. ", row.peak->remark);
  return "";
}

std::string in_brackets(const std::string& remark) { return remark.empty() ? "" : " (" + remark + ")"; }

std::string peak_note(const PublishedGroup& group) {
  for (const auto& row : group.rows)
    if (row.peak)
      return fmt::format("Peak: {} {} {} of {}{}{}. ", number(row.peak->peak.rate),
                         row.peak->peak.rate_unit(), row.peak->peak.unit, row.peak->accelerator,
                         group.devices.value_or(1) > 1 ? fmt::format(" x {}", *group.devices) : "",
                         row.peak->models > 1
                             ? fmt::format(" (\"{}\" may mean {} models; the usual one is taken)",
                                           group.hardware, row.peak->models)
                             : "") +
             remark_of(group);
  return "";
}

bool is_single(const PublishedRow& row) {
  return !row.shown.front().runs && row.shown.front().values.empty();
}
bool all_single(const PublishedGroup& group) { return std::ranges::all_of(group.rows, is_single); }

// Whether the comparisons rest on more than the shape that is shown.
bool has_more_shapes(const PublishedGroup& group) {
  return std::ranges::any_of(group.rows, [](const PublishedRow& row) {
    return row.versus_best && (!row.over_shapes || row.over_shapes->shapes > 1);
  });
}

std::string heading(const PublishedGroup& group, std::size_t width) {
  std::string text = fmt::format("{}: {}, {}, {}. ", group_title(group),
                                 counted(group.rows.size() + group.elsewhere.size(), "stack"),
                                 counted(group.shapes, "shape"), counted(group.results, "result"));
  if (const std::string shape = shape_text(group); group.octaves.value_or(0) > 0)
    text += fmt::format("{} at the {} ({}). ", group.unit, group.nearness, shape);
  else if (!shape.empty())
    text += fmt::format("{} at {}. ", group.unit, shape);
  if (all_single(group)) text += group.rows.size() == 1 ? "A single number. " : "Single numbers. ";
  if (group.smaller_is_better) text += "Smaller is better; ratios above 1 are better. ";
  text += peak_note(group);
  if (!group.elsewhere.empty())
    text += fmt::format("Nothing at this shape: {}. ", counted(group.elsewhere.size(), "stack"));
  return paragraph(text, 0, width);
}

std::string rank_text(const PublishedGroup& group, const PublishedRow& row) {
  const auto same = std::ranges::count(group.rows, row.rank, &PublishedRow::rank);
  return fmt::format("{}{}{}", same > 1 ? "=" : "", row.rank, row.by_numbers ? "~" : "");
}

std::vector<Column> columns_of(const PublishedGroup& group, std::size_t rows, SourceList& sources) {
  std::vector<Column> columns{{"rank", true, {}},
                              {group.unit, true, {}},
                              {"of peak", true, {}},
                              {"batch", true, {}},
                              {"result", false, {}},
                              {"runs", false, {}},
                              {"vs best", true, {}},
                              {"over shared shapes", false, {}},
                              {"source", false, {}}};
  for (std::size_t i = 0; i < rows; ++i) {
    const PublishedRow& row = group.rows[i];
    const std::vector<std::string> cells{
        rank_text(group, row),
        number(row.value),
        row.peak ? fmt::format("{:.1f}%", 100 * row.peak->share) : "",
        batch_text(group, row),
        result_text(row),
        is_single(row) ? "single" : spread_text(row.shown.front()),
        row.versus_best ? fmt::format("×{:.3f}", *row.versus_best) : "best",
        over_shapes_text(row),
        sources.marks(row.sources)};
    for (std::size_t c = 0; c < cells.size(); ++c) columns[c].cells.push_back(cells[c]);
  }
  // A family is judged over its shapes, one shape by what stands there.
  const bool more_shapes = has_more_shapes(group);
  std::erase_if(columns, [&](const Column& column) {
    if (column.title == "runs") return all_single(group);
    if (column.title == "result" && std::ranges::adjacent_find(column.cells, std::not_equal_to()) == column.cells.end()) return true;
    if (column.title == "vs best") return more_shapes && !group.octaves;
    if (column.title == "over shared shapes") return !more_shapes;
    return std::ranges::all_of(column.cells, &std::string::empty);
  });
  return columns;
}

std::string group_table(const PublishedGroup& group, const PublishedTableOptions& options,
                        SourceList& sources) {
  const std::size_t rows = limit(options.rows, group.rows.size());
  const std::vector<Column> columns = columns_of(group, rows, sources);
  const auto widths = fitted_widths(columns, options.width);
  const std::size_t indent = line_width(widths) + gap.size();
  const bool below = indent + 24 > options.width;  // too little room: the stack goes below the numbers
  std::string text = titles(columns, widths, Paint{options.colour}, below ? "" : "stack");
  for (std::size_t i = 0; i < rows; ++i) {
    std::string line = row_text(columns, widths, i);
    std::vector<std::string> words;
    for (const auto& [name, version] : group.rows[i].stack.components)
      words.push_back(name + " " + version);
    if (below) line = trimmed(std::move(line));
    text += line + (below ? "\n      " : "") + wrap(words, below ? 6 : indent, ",", options.width) + "\n";
  }
  if (rows < group.rows.size()) text += fmt::format("... and {} more\n", group.rows.size() - rows);
  return text;
}

std::string legend(const PublishedRanking& ranking, std::size_t width) {
  return paragraph(fmt::format("Published results: each is a number that somebody else wrote down, without a confidence interval of "
                               "its own; those that were measured with stackx say of how many processes. over shared shapes: median "
                               "ratio to the best over the shapes that both have, with its sign-test interval at {:g}%: a spread "
                               "over shapes, not over runs. = marks a tie: no interval of a stack of a rank lies below the band of "
                               "±{:g}% around another of it; ~ a rank that numbers alone set apart.",
                               100 * ranking.confidence, 100 * ranking.delta), 0, width);
}

std::string unnamed_text(const PublishedRanking& ranking, SourceList& sources, std::size_t width) {
  if (ranking.unnamed.empty()) return "";
  constexpr std::size_t most = 5;
  std::string text = paragraph(fmt::format("Of a stack that the source does not name ({}), the best of each kind:",
                                           counted(ranking.without_stack, "result")), 0, width);
  for (std::size_t i = 0; i < std::min(most, ranking.unnamed.size()); ++i) {
    const UnnamedResult& one = ranking.unnamed[i];
    std::string line = fmt::format("- {} {}", number(one.value), one.unit);
    if (one.peak)
      line += fmt::format(", {:.1f}% of the {} peak of {}{}", 100 * one.peak->share, one.peak->peak.unit,
                          one.peak->accelerator, in_brackets(one.peak->remark));
    line +=
        fmt::format(": {} on {}, {} {}", one.published.workload.text(),
                    one.published.hardware.empty() ? "hardware not stated" : one.published.hardware,
                    spread_text(one.published), sources.marks({one.published.source}));
    text += wrap(line, 2, width) + "\n";
  }
  if (most < ranking.unnamed.size())
    text += fmt::format("- and {} more (--json names all)\n", ranking.unnamed.size() - most);
  return text + "\n";
}

std::string left_out(const PublishedRanking& ranking, std::size_t shown, std::size_t width) {
  std::string text;
  if (shown < ranking.groups.size()) {
    std::size_t results = 0;
    for (std::size_t i = shown; i < ranking.groups.size(); ++i)
      results += ranking.groups[i].results;
    text += fmt::format("Not shown: {} in {} of other kinds; next: {}. ",
                        counted(results, "result"), counted(ranking.groups.size() - shown, "group"),
                        group_title(ranking.groups[shown]));
  }
  if (ranking.without_shape)
    text += fmt::format("{} that do not say these parameters are left out. ",
                        counted(ranking.without_shape, "result"));
  for (const auto& note : ranking.notes) text += note + ". ";
  return text.empty() ? "" : paragraph(text, 0, width);
}

}  // namespace

std::string shape_text(const PublishedGroup& group) {
  std::vector<std::string> words;
  const bool product = group.shape.pi == "matmul";
  const auto is_size = [&](const std::string& name) { return product && (name == "m" || name == "n" || name == "k"); };
  if (auto sizes = product_sizes(group.shape); !sizes.empty()) words.push_back(std::move(sizes));
  for (const auto& [name, value] : group.shape.params)
    if (!group.params.contains(name) && !is_size(name)) words.push_back(name + "=" + value);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string table(const PublishedRanking& ranking, const PublishedTableOptions& options) {
  SourceList sources;
  if (ranking.groups.empty())
    return unnamed_text(ranking, sources, options.width) + left_out(ranking, 0, options.width) + sources.text(options.width);
  std::string text = legend(ranking, options.width);
  const std::size_t groups = limit(options.groups, ranking.groups.size());
  for (std::size_t i = 0; i < groups; ++i)
    text += "\n" + heading(ranking.groups[i], options.width) + group_table(ranking.groups[i], options, sources);
  text += "\n" + unnamed_text(ranking, sources, options.width) + left_out(ranking, groups, options.width);
  return text + sources.text(options.width);
}

namespace {

// Its address on a line of its own, to be copied.
std::string source_text(const specs::Source& s, std::size_t width) {
  std::string text = paragraph("from " + (s.title.empty() ? s.url : s.title) + (s.date.empty() ? "" : ", " + s.date), 4, width);
  if (!s.title.empty()) text += "      " + s.url + "\n";
  return text + paragraph(fmt::format("read {}{}", s.read, s.tool.empty() ? "" : "; came in as " + s.tool), 6, width);
}

std::string documents_text(const PublishedRow& row) {
  constexpr std::size_t most = 6;
  std::string text = fmt::format("rests on {}:", counted(row.documents.size(), "document"));
  for (std::size_t i = 0; i < std::min(most, row.documents.size()); ++i)
    text += " " + row.documents[i].substr(0, 12);
  if (row.documents.size() > most)
    text += fmt::format(" and {} more (--json names all)", row.documents.size() - most);
  return text;
}

std::string explain_row(const PublishedGroup& group, const PublishedRow& row, std::size_t width) {
  std::string text = hanging(fmt::format("rank {}: {}", rank_text(group, row), components_text(row.stack.components)), 2, width);
  const auto line = [&](const std::string& words) { text += hanging(words, 4, width); };
  if (!row.besides.empty()) line(fmt::format("the source says besides: {}", components_text(row.besides)));
  for (const auto& p : row.shown)
    line(fmt::format("{} {} at {} is document {}: {} {:g}, {}", number(row.value), group.unit, p.workload.text(), p.id.substr(0, 12),
                     p.metric, p.value, spread_text(p)));
  if (row.peak)
    line(fmt::format("{:.1f}% of {} {}, the {} peak of {}{}", 100 * row.peak->share, number(row.peak->peak.rate),
                     row.peak->peak.rate_unit(), row.peak->peak.unit, row.peak->accelerator, in_brackets(row.peak->remark)));
  if (row.over_shapes)
    line(fmt::format("against the best: {}; better at {}, worse at {}", over_shapes_text(row), row.over_shapes->better,
                     row.over_shapes->worse));
  line(documents_text(row));
  for (const auto& source : row.sources) text += source_text(source, width);
  return text;
}

}  // namespace

std::string explain(const PublishedRanking& ranking, const PublishedTableOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < limit(options.groups, ranking.groups.size()); ++i) {
    const PublishedGroup& group = ranking.groups[i];
    text += paragraph(group_title(group), 0, options.width);
    for (std::size_t r = 0; r < limit(options.rows, group.rows.size()); ++r)
      text += explain_row(group, group.rows[r], options.width);
  }
  return text;
}

}  // namespace stackx::analysis
