#include "store/questions/read_only_sql.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "specs/format/nearest.hpp"
#include "store/connection.hpp"
#include "store/questions/views.hpp"
#include "store/scan.hpp"

namespace stackx::store {
namespace {

using Clock = std::chrono::steady_clock;

bool is_view(std::string_view name) {
  return std::ranges::any_of(views(), [&](const View& view) { return view.name == name; });
}

// What is read: our views, what they read themselves, and JSON as a table. Names that stand for
// subqueries and common table expressions come without a database; tables of which no column is
// read (count(*) over a view) come without a column and without the view.
bool may_read(const char* table, const char* column, const char* database, const char* view) {
  if (database == nullptr || column == nullptr || *column == '\0') return true;
  const std::string_view in(database), name(table == nullptr ? "" : table);
  if (in == "temp") return is_view(name);
  if (name == "json_each" || name == "json_tree") return true;
  return in == "main" && view != nullptr && is_view(view);
}

// The second tells an address of this process.
bool is_refused(std::string_view function) { return function == "load_extension" || function == "fts3_tokenizer"; }

int authorize(void*, int action, const char* first, const char* second, const char* database,
              const char* view) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      return may_read(first, second, database, view) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return is_refused(second) ? SQLITE_DENY : SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

int past_deadline(void* deadline) {
  return Clock::now() > *static_cast<const Clock::time_point*>(deadline) ? 1 : 0;
}

std::string known_views() {
  std::vector<std::string_view> names;
  for (const View& view : views()) names.push_back(view.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// "no such table: serie" -> "; did you mean "series"?"
std::string suggested(std::string_view message) {
  constexpr std::string_view begin = "no such table: ";
  if (!message.starts_with(begin)) return "";
  std::vector<std::string> names;
  for (const View& view : views()) names.emplace_back(view.name);
  return specs::suggestion(message.substr(begin.size()), names);
}

Error refused(std::string_view why) {
  const std::string nearest = suggested(why);
  return bad_input(fmt::format("--sql: {}{}{} The views are {}; `stackx query --views` says what is "
                               "in them",
                               why, nearest, nearest.ends_with('?') ? "" : ".", known_views()));
}

Error failed(sqlite3* connection, const std::filesystem::path& file, int result, double seconds) {
  const int extended = sqlite3_extended_errcode(connection);
  const std::string message = sqlite3_errmsg(connection);
  switch (result & 0xff) {
    case SQLITE_INTERRUPT:
      return bad_input(fmt::format(
          "--sql: stopped after {:g} s (--timeout); narrow it down, or begin from the view "
          "\"series\", which is summed already",
          seconds));
    case SQLITE_AUTH:
      if (message.starts_with("access to ") || message.contains("prohibited"))
        return refused(message + ": only the views can be read");
      return refused("only SELECT, WITH, VALUES and EXPLAIN of them are allowed");
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
    case SQLITE_RANGE:
    case SQLITE_READONLY:
    case SQLITE_NOMEM:
      return refused(message);
    default:
      Connection::raise(file, SQLite::Exception(message, extended & 0xff));
  }
}

// What follows the first statement: white space and comments are nothing.
bool is_nothing(sqlite3* connection, std::string_view rest) {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v2(connection, rest.data(), static_cast<int>(rest.size()),
                                        &statement, nullptr);
  const bool nothing = result == SQLITE_OK && statement == nullptr;
  sqlite3_finalize(statement);
  return nothing;
}

struct Statement {
  sqlite3_stmt* handle = nullptr;
  ~Statement() { sqlite3_finalize(handle); }
};

SqlValue value_of(sqlite3_stmt* statement, int column) {
  const auto bytes = [&](const void* start) {
    return start == nullptr ? std::string()
                            : std::string(static_cast<const char*>(start),
                                          static_cast<std::size_t>(
                                              sqlite3_column_bytes(statement, column)));
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT:
      return bytes(sqlite3_column_text(statement, column));
    case SQLITE_BLOB:
      return BlobValue{bytes(sqlite3_column_blob(statement, column))};
    default:
      return std::monostate{};
  }
}

void visit_rows(sqlite3* connection, const std::filesystem::path& file, sqlite3_stmt* statement,
                double seconds, const SqlVisitor& visitor) {
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(statement); ++i)
    names.emplace_back(sqlite3_column_name(statement, i));
  visitor.columns(names);
  std::vector<SqlValue> row(names.size());
  for (;;) {
    const int result = sqlite3_step(statement);
    if (result == SQLITE_DONE) return;
    if (result != SQLITE_ROW) throw failed(connection, file, result, seconds);
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = value_of(statement, static_cast<int>(i));
    if (!visitor.row(row)) return;
  }
}

}  // namespace

void read_only_sql(const std::filesystem::path& file, const std::string& sql, double seconds,
                   const SqlVisitor& visitor) {
  Connection connection(file, Mode::read_only, steps());
  sqlite3* handle = connection.sqlite().getHandle();
  connection.run([&] {
    add_sql_functions(handle);
    make_views(handle);
    // JSON tables are made when first named, which the authorizer would take for CREATE TABLE.
    connection.sqlite().exec("SELECT 1 FROM json_each('[]'), json_tree('[]')");
    connection.sqlite().exec("PRAGMA query_only=ON");
  });
  sqlite3_set_authorizer(handle, authorize, nullptr);
  Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  if (seconds > 0) sqlite3_progress_handler(handle, 10'000, past_deadline, &deadline);
  Statement statement;
  const char* rest = nullptr;
  const int result = sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()),
                                        &statement.handle, &rest);
  if (result != SQLITE_OK) throw failed(handle, file, result, seconds);
  if (statement.handle == nullptr) throw refused("there is no statement");
  if (!is_nothing(handle, std::string_view(sql).substr(static_cast<std::size_t>(rest - sql.data()))))
    throw refused("more than one statement");
  if (sqlite3_stmt_readonly(statement.handle) == 0)
    throw refused("only SELECT, WITH, VALUES and EXPLAIN of them are allowed");
  if (sqlite3_bind_parameter_count(statement.handle) > 0)
    throw refused("parameters have no values here");
  visit_rows(handle, file, statement.handle, seconds, visitor);
}

}  // namespace stackx::store
