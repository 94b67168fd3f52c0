// `check`: everything in the store is read and proved, one problem a line.
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "specs/digest.hpp"
#include "store/database.hpp"

namespace stackx::store {
namespace {

using Problems = std::vector<std::string>;

template <typename Work>
void note_errors(Connection& connection, Problems& problems, Work work) {
  try {
    connection.run(work);
  } catch (const Error& error) {
    problems.push_back(error.what());
  }
}

void check_file(Connection& connection, Problems& problems) {
  for (const char* sql : {"PRAGMA integrity_check", "PRAGMA foreign_key_check"}) {
    Cursor cursor = connection.prepare(sql);
    while (cursor.next())
      if (const std::string line = cursor.text(0); line != "ok")
        problems.push_back(fmt::format("{}: {}: {}", connection.file().string(), sql, line));
  }
}

void check_contexts(Connection& connection, Problems& problems) {
  Cursor cursor = connection.prepare("SELECT id, hash, document FROM contexts");
  while (cursor.next())
    if (hex_of(cursor.text(1)) != specs::sha256(cursor.text(2)))
      problems.push_back(fmt::format("{}: contexts: row {} is changed", connection.file().string(),
                                     cursor.integer(0)));
}

std::vector<std::string> texts(Connection& connection, const char* sql) {
  std::vector<std::string> result;
  Cursor cursor = connection.prepare(sql);
  while (cursor.next()) result.push_back(cursor.text(0));
  return result;
}

}  // namespace

std::vector<std::string> Store::check() const {
  Connection& connection = database_->connection;
  Problems problems;
  std::vector<std::string> inspections, plans;
  note_errors(connection, problems, [&] { check_file(connection, problems); });
  note_errors(connection, problems, [&] { check_contexts(connection, problems); });
  note_errors(connection, problems,
              [&] { inspections = texts(connection, "SELECT hash FROM inspections"); });
  note_errors(connection, problems, [&] {
    plans = texts(connection, "SELECT name FROM campaigns WHERE plan IS NOT NULL");
  });
  for (const std::string& hash : inspections)
    note_errors(connection, problems, [&] {
      if (!read_document(connection, hash))
        throw Connection::damaged(connection.file(),
                                  fmt::format("inspection {}: its index is wrong", hex_of(hash)));
    });
  for (const std::string& id : plans) note_errors(connection, problems, [&] { (void)plan(id); });
  return problems;
}

}  // namespace stackx::store
