#include "specs/result/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>

#include "specs/format/json.hpp"
#include "specs/format/names.hpp"
#include "specs/format/nearest.hpp"
#include "specs/result/published_fields.hpp"

namespace stackx::specs {
namespace {

const std::vector<std::string> plain_columns{"hardware", "devices", "statistic", "value", "runs",
                                             "min",      "max",     "stdev",     "values"};

struct Column {
  std::string name;    // as written: "params.m"
  std::string member;  // "params", "stack", "details", or the plain column
  std::string key;     // "m"; "" of a plain column
};

Column column_from(const Node& node) {
  Column column;
  column.name = node.text();
  const auto dot = column.name.find('.');
  column.member = column.name.substr(0, dot);
  if (dot == column.name.npos) {
    if (std::ranges::find(plain_columns, column.name) == plain_columns.end())
      node.fail(
          fmt::format("unknown column \"{}\"{}; others are params.KEY, stack.KEY, details.KEY",
                      column.name, suggestion(column.name, plain_columns)));
    return column;
  }
  if (column.member != "params" && column.member != "stack" && column.member != "details")
    node.fail(fmt::format("unknown column \"{}\"; expected params.KEY, stack.KEY or details.KEY",
                          column.name));
  column.key = column.name.substr(dot + 1);
  check_component_name(column.key, node);
  return column;
}

// Sets one member of a result from the value that a table or a row has for it.
void set_plain(Published& published, const std::string& member, const Metric& metric,
               const Node& value) {
  if (member == "hardware") published.hardware = line_from(value);
  if (member == "devices") published.devices = at_least_one(value);
  if (member == "statistic") published.statistic = statistic_from(value);
  if (member == "value") published.value = value_from(value, metric);
  if (member == "runs") published.runs = at_least_one(value);
  if (member == "min") published.min = value_from(value, metric);
  if (member == "max") published.max = value_from(value, metric);
  if (member == "stdev") published.stdev = deviation_from(value);
  if (member == "values") published.values = values_from(value, metric);
}

void set_cell(Published& published, const Column& column, const Metric& metric, const Node& value) {
  if (column.key.empty()) return set_plain(published, column.member, metric, value);
  if (column.member == "params") published.workload.params[column.key] = parameter_value(value);
  if (column.member == "stack") published.stack.components[column.key] = line_from(value);
  if (column.member == "details") published.details[column.key] = line_from(value);
}

class Table {
 public:
  Table(const Node& node, const std::vector<Source>& sources) : node_(node) {
    node.only({"source", "hardware", "devices", "pi", "params", "stack", "metric", "statistic",
               "runs", "min", "max", "stdev", "details", "columns", "rows"});
    metric_ = &metric_from(node.at("metric"));
    shared_.metric = metric_->name;
    const Node source = node.at("source");
    if (source.unsigned_integer() >= sources.size())
      source.fail(fmt::format("there are {} sources, counted from 0", sources.size()));
    shared_.source = sources[source.unsigned_integer()];
    shared_.source.tool = "evidence:" + std::filesystem::path(node.file()).stem().string();
    read_shared();
    read_columns();
  }

  void rows(const std::function<void(Published&&)>& visit) const {
    for (const Node& row : node_.at("rows").items()) visit(row_from(row));
  }

 private:
  void read_shared() {
    const Node pi = node_.at("pi");
    check_component_name(pi.text(), pi);
    shared_.workload.pi = pi.text();
    if (const auto params = node_.find("params"))
      for (const auto& [key, value] : params->members()) {
        check_component_name(key, value);
        shared_.workload.params[key] = parameter_value(value);
      }
    if (const auto stack = node_.find("stack")) shared_.stack.components = lines_from(*stack);
    if (const auto details = node_.find("details")) shared_.details = lines_from(*details);
    for (const std::string& member : plain_columns)
      if (const auto value = node_.find(member)) set_plain(shared_, member, *metric_, *value);
  }

  bool is_shared(const Column& column) const {
    if (column.member == "params") return shared_.workload.params.contains(column.key);
    if (column.member == "stack") return shared_.stack.components.contains(column.key);
    if (column.member == "details") return shared_.details.contains(column.key);
    return node_.find(column.member).has_value();
  }

  void read_columns() {
    std::set<std::string> names;
    for (const Node& item : node_.at("columns").items()) {
      columns_.push_back(column_from(item));
      const Column& column = columns_.back();
      if (!names.insert(column.name).second) item.fail("this column stands twice");
      if (is_shared(column))
        item.fail(fmt::format("\"{}\" is said for the whole table, too; keep one", column.name));
    }
    if (!names.contains("value")) node_.at("columns").fail("expected a column \"value\"");
  }

  Published row_from(const Node& row) const {
    const std::vector<Node> cells = row.items();
    if (cells.size() != columns_.size())
      row.fail(fmt::format("{} cells, but the table has {} columns", cells.size(),
                           columns_.size()));
    Published published = shared_;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!cells[i].json().is_null() || columns_[i].name == "value")
        set_cell(published, columns_[i], *metric_, cells[i]);
    check_spread(published, row);
    seal(published);
    return published;
  }

  Node node_;
  const Metric* metric_;
  Published shared_;
  std::vector<Column> columns_;
};

class Repetitions {
 public:
  void refuse(const Published& row, const Node& node) {
    if (!ids_.insert(row.id).second)
      node.at("tables").fail(fmt::format("a row stands twice: {} on {}, {} {}", row.workload.text(),
                                         row.hardware, row.metric, row.value));
  }

 private:
  std::unordered_set<std::string> ids_;
};

std::vector<Source> sources_of(const Node& node) {
  node.schema("stackx/evidence/1");
  node.only({"$schema", "source", "notes", "tables"});
  std::vector<Source> sources;
  for (const Node& item : node.at("source").items()) {
    item.only({"url", "title", "revision", "date", "read", "license"});
    sources.push_back(source_from(item));
  }
  return sources;
}

void visit_rows(const Node& node, const std::vector<Source>& sources,
                const std::function<void(Published&&)>& visit) {
  Repetitions repetitions;
  for (const Node& item : node.at("tables").items())
    Table(item, sources).rows([&](Published&& row) {
      repetitions.refuse(row, node);
      visit(std::move(row));
    });
}

}  // namespace

Evidence parse_evidence(const Node& node) {
  Evidence evidence;
  evidence.sources = sources_of(node);
  if (const auto notes = node.find("notes")) evidence.notes = notes->texts();
  visit_rows(node, evidence.sources,
             [&](Published&& row) { evidence.rows.push_back(std::move(row)); });
  return evidence;
}

void visit_evidence(const Node& node, const std::function<void(std::vector<Published>&&)>& visit) {
  constexpr std::size_t portion = 250;  // half a megabyte: it is still in the cache when it is used
  std::vector<Published> rows;
  visit_rows(node, sources_of(node), [&](Published&& row) {
    rows.push_back(std::move(row));
    if (rows.size() == portion) visit(std::exchange(rows, {}));
  });
  if (!rows.empty()) visit(std::move(rows));
}

Evidence load_evidence(const std::filesystem::path& file) {
  return parse_evidence(Node::parse_file(file));
}

}  // namespace stackx::specs
