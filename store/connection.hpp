// One open SQLite file: how it is opened, checked, migrated, and how its errors read.
//
// The only users of SQLiteCpp are this file and those of this directory that include it.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "specs/error.hpp"
#include "store/damaged.hpp"
#include "store/file_system.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

namespace stackx::store {

struct Blob {
  std::string bytes;
};

// A statement in use: values are bound in order with <<; reset at the end, because a statement left
// in the middle of its rows keeps the log from being cleared.
class Cursor {
 public:
  explicit Cursor(SQLite::Statement& statement) : statement_(&statement) {}
  ~Cursor() {
    if (statement_) statement_->tryReset();
  }
  Cursor(Cursor&& other) noexcept
      : statement_(std::exchange(other.statement_, nullptr)), bound_(other.bound_) {}
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  template <typename Value>
  Cursor& operator<<(const Value& value) {
    statement_->bind(++bound_, value);
    return *this;
  }
  Cursor& operator<<(const Blob& blob);
  Cursor& operator<<(std::nullptr_t);

  bool next() { return statement_->executeStep(); }
  void execute() { statement_->exec(); }
  std::int64_t integer(int column) const { return statement_->getColumn(column).getInt64(); }
  double real(int column) const { return statement_->getColumn(column).getDouble(); }
  std::string text(int column) const {
    return statement_->getColumn(column).getString();
  }  // blobs too
  bool is_null(int column) const { return statement_->isColumnNull(column); }
  bool is_text(int column) const { return statement_->getColumn(column).isText(); }

 private:
  SQLite::Statement* statement_;
  int bound_ = 0;
};

// While a stranger's schema is read: with it SQLite reads the statistics of ANALYZE, which may be a table that computes
// its columns, for ever.
class SchemaLimits {
 public:
  explicit SchemaLimits(SQLite::Database& database);
  ~SchemaLimits();
  SchemaLimits(const SchemaLimits&) = delete;
  SchemaLimits& operator=(const SchemaLimits&) = delete;

 private:
  sqlite3* handle_;
  int length_, pattern_;
};

// A database's file and those that SQLite keeps beside it.
void remove_database(const std::filesystem::path& file);

class Connection {
 public:
  // Brings the schema to the newest of `steps`, in one transaction with its version number.
  Connection(const std::filesystem::path& file, Mode mode, std::span<const Step> steps);

  SQLite::Database& sqlite() { return database_; }
  const std::filesystem::path& file() const { return file_; }
  Mode mode() const { return mode_; }
  void require_writable() const;  // throws bad input
  bool is_in_place() const;       // the file that was opened still stands there: nobody removed or replaced it

  // A prepared statement, kept for the next call with the same literal; without bindings.
  Cursor prepare(const char* sql);
  void forget_statements();  // before tables go; no cursor may be open

  // Runs `work` and turns what SQLite, or damaged content, throws into an Error that names the
  // file.
  template <typename Work>
  auto run(Work work) -> decltype(work()) {
    try {
      return work();
    } catch (const SQLite::Exception& error) {
      raise(file_, error);
    } catch (const nlohmann::json::exception& error) {
      throw damaged(file_, error.what());
    }
  }

  // Throws what SQLite says as an Error, a Damaged where its content is not what was written.
  [[noreturn]] static void raise(const std::filesystem::path& file, const SQLite::Exception& error);
  static Damaged damaged(const std::filesystem::path& file, const std::string& what);

 private:

  std::filesystem::path file_;
  Mode mode_;
  SQLite::Database database_;
  FileIdentity identity_;
  std::map<const void*, SQLite::Statement> statements_;  // keyed by the literal's address
};

}  // namespace stackx::store
