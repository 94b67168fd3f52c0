#include "store/mending/raw_rows.hpp"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "store/connection.hpp"

namespace stackx::store {
namespace {

namespace fs = std::filesystem;

struct Column {
  std::string type;
  bool nullable, may_be_missing, is_row_number;
};

struct Table {
  std::string name;
  std::uint32_t root = 0;  // in a store made afresh
  bool has_rows = true;
  std::vector<Column> columns;
};

std::vector<Table> tables_of(SQLite::Database& database) {
  std::vector<Table> tables;
  SQLite::Statement names(database,
                          "SELECT s.name, s.rootpage, t.wr FROM sqlite_schema s JOIN "
                          "pragma_table_list t ON t.name = s.name "
                          "WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%'");
  while (names.executeStep()) {
    Table table{names.getColumn(0).getString(),
                names.getColumn(1).getUInt(),
                names.getColumn(2).getInt() == 0,
                {}};
    SQLite::Statement columns(
        database, "SELECT type, \"notnull\", dflt_value IS NOT NULL, pk FROM pragma_table_info(?)");
    columns.bind(1, table.name);
    while (columns.executeStep()) {
      const bool nullable = columns.getColumn(1).getInt() == 0,
                 has_default = columns.getColumn(2).getInt() != 0;
      table.columns.push_back({columns.getColumn(0).getString(), nullable, nullable || has_default,
                               table.has_rows && columns.getColumn(3).getInt() == 1});
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

bool fits(const Column& column, const Value& value) {
  if (std::holds_alternative<std::monostate>(value)) return column.is_row_number || column.nullable;
  if (column.is_row_number) return false;
  if (column.type == "INTEGER") return std::holds_alternative<std::int64_t>(value);
  if (column.type == "REAL")  // whole ones are kept as integers
    return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
  if (column.type == "TEXT") return std::holds_alternative<std::string>(value);
  return std::holds_alternative<BlobValue>(value);
}

// Rows written before a column was added lack it.
bool fits(const Table& table, const std::vector<Value>& values) {
  if (values.size() > table.columns.size()) return false;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (i < values.size() ? !fits(table.columns[i], values[i]) : !table.columns[i].may_be_missing)
      return false;
  return true;
}

class Copier {
 public:
  explicit Copier(SQLite::Database& to) : to_(to), tables_(tables_of(to)) {}

  const std::vector<Table>& tables() const { return tables_; }

  // Into the table whose tree it stood in, or the one it looks like.
  void place(const Record& record, const Table* expected) {
    if (record.values.empty()) return;  // nothing that could be inserted
    if (expected && fits(*expected, record.values)) return insert(*expected, record);
    for (const Table& table : tables_)
      if (table.has_rows && fits(table, record.values)) return insert(table, record);
  }

  // An index holds the columns of this table without row numbers too, turned round.
  void place_pair(const Table& table, const Record& record) {
    if (record.values.size() == 2 && fits(table, {record.values[1], record.values[0]}))
      insert(table, {0, {record.values[1], record.values[0]}});
  }

  std::uint64_t rows() const { return rows_; }

 private:
  // What is there already stays: trees come before leaf pages that no tree reaches.
  void insert(const Table& table, const Record& record) {
    SQLite::Statement& statement = statement_for(table, record.values.size());
    for (std::size_t i = 0; i < record.values.size(); ++i) {
      const int at = static_cast<int>(i) + 1;
      if (table.columns[i].is_row_number)
        statement.bind(at, record.row);
      else
        bind(statement, at, record.values[i]);
    }
    try {
      rows_ += static_cast<std::uint64_t>(statement.exec());
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() != SQLITE_CONSTRAINT) throw;  // no row of this table
    }
    statement.tryReset();
  }

  static void bind(SQLite::Statement& statement, int at, const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      statement.bind(at, *integer);
    else if (const auto* real = std::get_if<double>(&value))
      statement.bind(at, *real);
    else if (const auto* text = std::get_if<std::string>(&value))
      statement.bind(at, *text);
    else if (const auto* blob = std::get_if<BlobValue>(&value))
      statement.bind(at, blob->bytes.data(), static_cast<int>(blob->bytes.size()));
    else
      statement.bind(at);
  }

  SQLite::Statement& statement_for(const Table& table, std::size_t values) {
    const auto key = std::pair(&table, values);
    auto found = statements_.find(key);
    if (found != statements_.end()) return found->second;
    std::string columns, marks;
    SQLite::Statement names(to_, "SELECT name FROM pragma_table_info(?) LIMIT ?");
    names.bind(1, table.name);
    names.bind(2, static_cast<std::int64_t>(values));
    while (names.executeStep()) {
      columns +=
          fmt::format("{}\"{}\"", columns.empty() ? "" : ",", names.getColumn(0).getString());
      marks += marks.empty() ? "?" : ",?";
    }
    return statements_
        .emplace(key,
                 SQLite::Statement(to_, fmt::format("INSERT OR IGNORE INTO \"{}\"({}) VALUES({})",
                                                    table.name, columns, marks)))
        .first->second;
  }

  SQLite::Database& to_;
  std::vector<Table> tables_;
  std::map<std::pair<const Table*, std::size_t>, SQLite::Statement> statements_;
  std::uint64_t rows_ = 0;
};

// How many of the schema's steps the file has had: what its head says, if that can be.
std::size_t steps_had(const PageFile& file) {
  const std::uint32_t stated = file.user_version();
  const auto all = steps();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<std::uint32_t>(all[i].version) == stated) return i + 1;
  return all.size();
}

std::uint32_t root_of(const std::map<std::string, std::uint32_t>& roots, const std::string& name,
                      std::uint32_t otherwise) {
  const auto found = roots.find(name);
  return found == roots.end() ? otherwise : found->second;
}

void copy_all(PageFile& file, SQLite::Database& to, Copier& copier) {
  const auto roots = file.roots();
  for (const Table& table : copier.tables())
    file.walk(root_of(roots, table.name, table.root),
              [&](const Record& record) { copier.place(record, &table); });
  const std::uint32_t index =
      to.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'stacks_by_version'")
          .getUInt();
  const auto pairs = std::ranges::find(copier.tables(), "stack_versions", &Table::name);
  file.walk(root_of(roots, "stacks_by_version", index),
            [&](const Record& record) { copier.place_pair(*pairs, record); });
  file.rest([&](const Record& record) { copier.place(record, nullptr); });
}

}  // namespace

RawRows copy_rows(const fs::path& damaged, const fs::path& to) {
  PageFile file(damaged);
  const auto had = steps().first(steps_had(file));
  Connection connection(to, Mode::read_write, had);
  return connection.run([&] {
    SQLite::Database& database = connection.sqlite();
    database.exec("PRAGMA foreign_keys=OFF; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF");
    SQLite::Transaction transaction(database);
    Copier copier(database);
    copy_all(file, database, copier);
    transaction.commit();
    return RawRows{had.back().version, file.pages(), file.unreadable(), copier.rows()};
  });
}

}  // namespace stackx::store
