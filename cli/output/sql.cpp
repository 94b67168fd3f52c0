#include "cli/output/sql.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/report/csv.hpp"
#include "analysis/text/table.hpp"
#include "cli/output/print.hpp"
#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {
namespace {

using nlohmann::json;
using store::SqlValue;

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

json to_json(const SqlValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return specs::to_utf8(*text);
  if (const auto* blob = std::get_if<store::BlobValue>(&value)) return hex(blob->bytes);
  return nullptr;
}

std::string in_csv(const SqlValue& value) {
  const json v = to_json(value);
  if (v.is_null()) return "";
  if (v.is_string()) return v.get<std::string>();
  return v.is_number_float() ? fmt::format("{}", v.get<double>()) : v.dump();
}

bool is_number(const SqlValue& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

std::string in_table(const SqlValue& value) {
  constexpr std::size_t widest = 80;
  if (std::holds_alternative<std::monostate>(value)) return "-";
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.6g}", *real);
  std::string text = specs::printable(in_csv(value));
  if (text.size() <= widest) return text;
  std::size_t end = widest - 3;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;  // not within a character
  return text.substr(0, end) + "...";
}

// Rows as they pass, until the limit.
class Rows {
 public:
  explicit Rows(std::size_t limit) : limit_(limit) {}
  virtual ~Rows() = default;
  virtual void columns(const std::vector<std::string>& names) = 0;
  virtual void row(const std::vector<SqlValue>& values) = 0;
  virtual void end(bool more) = 0;

  void run(const std::filesystem::path& file, const std::string& sql, double seconds) {
    std::size_t count = 0;
    bool more = false;
    store::read_only_sql(file, sql, seconds,
                  {[&](const auto& names) { columns(names); },
                   [&](const auto& values) {
                     more = limit_ != 0 && count == limit_;
                     if (more) return false;
                     ++count;
                     row(values);
                     return true;
                   }});
    end(more);
  }

 private:
  std::size_t limit_;
};

class CsvRows : public Rows {
  using Rows::Rows;
  void columns(const std::vector<std::string>& names) override { workspace::write_out(analysis::csv_line(names)); }
  void row(const std::vector<SqlValue>& values) override {
    std::vector<std::string> fields;
    for (const SqlValue& value : values) fields.push_back(in_csv(value));
    workspace::write_out(analysis::csv_line(fields));
  }
  void end(bool more) override {
    if (more) workspace::remark("stackx: there are more rows: --limit 0 gives all\n");
  }
};

class JsonRows : public Rows {
  using Rows::Rows;
  void columns(const std::vector<std::string>& names) override {
    json list = json::array();
    for (const std::string& name : names) list.push_back(specs::to_utf8(name));
    text_ = fmt::format("{{\"columns\":{},\"rows\":[", list.dump());
  }
  void row(const std::vector<SqlValue>& values) override {
    json list = json::array();
    for (const SqlValue& value : values) list.push_back(to_json(value));
    if (text_.back() != '[') text_ += ',';
    text_ += list.dump();
  }
  void end(bool more) override { workspace::print("{}],\"more\":{}}}\n", text_, more); }

  std::string text_;  // an error on the way leaves no half of a document
};

class TableRows : public Rows {
 public:
  TableRows(std::size_t limit, bool colour) : Rows(limit), colour_(colour) {}

 private:
  void columns(const std::vector<std::string>& names) override {
    for (const std::string& name : names) columns_.push_back({specs::printable(name), false, {}});
  }
  void row(const std::vector<SqlValue>& values) override {
    for (std::size_t i = 0; i < values.size(); ++i) {
      columns_[i].right = columns_[i].right || is_number(values[i]);
      columns_[i].cells.push_back(in_table(values[i]));
    }
  }
  void end(bool more) override {
    workspace::write_out(analysis::table_text(columns_, analysis::Paint{colour_}, output_width(analysis::unfolded)));
    if (more) workspace::print("... and more (--limit 0 shows all)\n");
  }

  bool colour_;
  std::vector<analysis::Column> columns_;
};

}  // namespace

void print_sql(const std::filesystem::path& file, const std::string& sql, double seconds,
               std::size_t limit, const std::string& format, bool colour) {
  std::unique_ptr<Rows> rows;
  if (format == "csv")
    rows = std::make_unique<CsvRows>(limit);
  else if (format == "json")
    rows = std::make_unique<JsonRows>(limit);
  else
    rows = std::make_unique<TableRows>(limit, colour);
  rows->run(file, sql, seconds);
}

}  // namespace stackx::cli
