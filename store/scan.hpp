// Reading hundreds of thousands of rows in milliseconds; everything else uses Cursor
// (connection.hpp).
//
// Scan steps a statement without a copy or an allocation a value. gather() takes the rows as they
// pass an aggregate function, so that no value crosses SQLite's interface for itself: half the time
// of Scan for rows of many columns (400,000 rows of 7 columns: 75 instead of 140 ms).
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace stackx::store {

class Scan {
 public:
  Scan(SQLite::Database& database, std::string_view sql) : handle_(database.getHandle()) {
    check(sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
  }
  ~Scan() { sqlite3_finalize(statement_); }
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;

  // In order, as Cursor binds.
  Scan& operator<<(std::int64_t value) {
    check(sqlite3_bind_int64(statement_, ++bound_, value));
    return *this;
  }
  Scan& operator<<(std::string_view value) {
    check(sqlite3_bind_text(statement_, ++bound_, value.data(), static_cast<int>(value.size()),
                            SQLITE_TRANSIENT));
    return *this;
  }
  void bind_blob(std::string_view value) {
    check(sqlite3_bind_blob(statement_, ++bound_, value.data(), static_cast<int>(value.size()),
                            SQLITE_TRANSIENT));
  }

  bool next() {
    const int result = sqlite3_step(statement_);
    if (result == SQLITE_ROW) return true;
    if (result != SQLITE_DONE) check(result);
    return false;
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  bool is_null(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL;
  }
  std::optional<double> maybe_real(int column) const {
    return is_null(column) ? std::nullopt : std::optional(real(column));
  }
  // Until the next step; blobs too.
  std::string_view view(int column) const {
    const void* bytes = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return {static_cast<const char*>(bytes), bytes == nullptr ? 0 : static_cast<std::size_t>(size)};
  }
  std::string text(int column) const { return std::string(view(column)); }
  void finish() {
    while (next()) continue;
  }

 private:
  void check(int result) const {
    if (result == SQLITE_OK) return;
    const SQLite::Exception error(handle_, result);
    throw error;
  }

  sqlite3* handle_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

// One row on its way through gather().
class Passing {
 public:
  explicit Passing(sqlite3_value** values) : values_(values) {}
  std::int64_t integer(int column) const { return sqlite3_value_int64(values_[column]); }
  double real(int column) const { return sqlite3_value_double(values_[column]); }
  std::optional<double> maybe_real(int column) const {
    if (is_null(column)) return std::nullopt;
    return real(column);
  }
  bool is_null(int column) const { return sqlite3_value_type(values_[column]) == SQLITE_NULL; }
  std::string_view view(int column) const {  // until the next row
    const void* bytes = sqlite3_value_blob(values_[column]);
    const int size = sqlite3_value_bytes(values_[column]);
    return {static_cast<const char*>(bytes), bytes == nullptr ? 0 : static_cast<std::size_t>(size)};
  }

 private:
  sqlite3_value** values_;
};

// `SELECT <columns> <from>`: `from` begins with FROM and may have one parameter, a text.
void gather(SQLite::Database& database, std::string_view columns, std::string_view from,
            const std::optional<std::string>& parameter,
            const std::function<void(const Passing&)>& visit);

}  // namespace stackx::store
