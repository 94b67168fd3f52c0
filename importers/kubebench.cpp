#include "importers/kubebench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "importers/collector.hpp"
#include "importers/tf_cnn_benchmarks.hpp"
#include "importers/words.hpp"
#include "specs/error.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

constexpr std::string_view rate_column = "total_images/sec";

struct CsvRow {
  std::size_t line = 0;
  std::vector<std::string> cells;
};

// RFC 4180: a quoted cell may hold commas, line ends and doubled quotes.
class Rows {
 public:
  Rows(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::optional<CsvRow> next() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) end_line();
    if (at_ == text_.size()) return std::nullopt;
    CsvRow row{line_, {}};
    for (bool more = true; more;) {
      row.cells.push_back(cell());
      more = at_ < text_.size() && text_[at_] == ',';
      if (more) ++at_;
    }
    return row;
  }

 private:
  void end_line() { line_ += text_[at_++] == '\n'; }

  std::string cell() {
    std::string value;
    if (at_ == text_.size() || text_[at_] != '"') {
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
        value += text_[at_++];
      return value;
    }
    const auto begin = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      line_ += text_[at_] == '\n';
      if (text_[at_] != '"')
        value += text_[at_];
      else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"')
        value += text_[at_++];
      else
        return ++at_, value;
    }
    throw bad_input(fmt::format("{}:{}: the quoted cell has no end; expected CSV with a closing \"",
                                name_, begin));
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0, line_ = 1;
};

std::string label_of(std::string_view column) {
  std::string label;
  for (const char c : specs::trim(column).text) label += c == '_' ? ' ' : specs::to_lower(c);
  return label;
}

// tf_cnn_benchmarks' own spelling of a column, "" for others.
std::string header_label(std::string_view column) {
  for (const char* label : {"TensorFlow", "Model", "Dataset", "Mode", "SingleSess", "Batch size",
                            "Devices", "Num batches", "Num epochs", "Data format",
                            "Layout optimizer", "Optimizer", "Variables", "Sync"})
    if (label_of(column) == label_of(label)) return label;
  return "";
}

std::vector<std::string> read_header(Rows& rows, const std::string& name) {
  const auto header = rows.next();
  if (!header) throw bad_input(name + ": empty; expected Kubebench's CSV with a line of columns");
  std::set<std::string> seen;
  for (const auto& column : header->cells)
    if (!seen.insert(label_of(column)).second)
      throw bad_input(fmt::format("{}:1: the column \"{}\" stands twice; keep one", name,
                                  one_line(column, 60)));
  if (!seen.contains(label_of(rate_column)))
    throw bad_input(fmt::format("{}:1: the column {} is missing; found {}", name, rate_column,
                                one_line(fmt::format("{}", fmt::join(header->cells, ", ")), 300)));
  return header->cells;
}

}  // namespace

bool matches_kubebench(std::string_view text) {
  const auto head = text.substr(0, std::min(text.find('\n'), text.size()));
  return holds(head, rate_column) && holds(head, ",");
}

Imported read_kubebench(std::string_view text, const std::string& name, const Origin& origin) {
  Collector collector(name, "kubebench", origin);
  Rows rows(text, name);
  const auto columns = read_header(rows, name);
  while (const auto row = rows.next()) {
    const auto place = fmt::format("line {}", row->line);
    if (row->cells.size() != columns.size()) {
      collector.remark(place, fmt::format("not imported: {} cells, expected {}", row->cells.size(),
                                          columns.size()));
      continue;
    }
    TfCnnRun run;
    auto published = collector.draft();
    std::string rate;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (label_of(columns[i]) == label_of(rate_column))
        rate = row->cells[i];
      else if (const auto label = header_label(columns[i]); !label.empty())
        run.header[label] = row->cells[i];
      else
        detail(published, columns[i], row->cells[i]);
    }
    const auto value = number_of(rate);
    if (!value || !is_stated(run.header["Model"])) {
      collector.remark(place, value ? std::string("not imported: it names no model")
                                    : fmt::format("not imported: expected a number of images/sec, "
                                                  "found \"{}\"",
                                                  one_line(rate, 60)));
      continue;
    }
    describe_tf_cnn(published, run);
    published.metric = "images_per_s";
    published.value = *value;
    published.statistic = "mean";
    collector.add(std::move(published), place);
  }
  return collector.finish("a line with a number of images/sec");
}

}  // namespace stackx::importers
