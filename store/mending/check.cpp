// `check`: everything in the store is read and proved, one problem a line.
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "specs/format/digest.hpp"
#include "store/database.hpp"
#include "store/published.hpp"
#include "store/questions/summary.hpp"

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

std::vector<std::int64_t> numbers(Connection& connection, const char* sql) {
  std::vector<std::int64_t> result;
  Cursor cursor = connection.prepare(sql);
  while (cursor.next()) result.push_back(cursor.integer(0));
  return result;
}

void check_inspection(Connection& connection, SharedRows& shared, std::int64_t id) {
  Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                     " FROM inspections WHERE id = ?");
  cursor << id;
  if (!cursor.next())
    throw Connection::damaged(connection.file(),
                              fmt::format("inspections: row {}: its index is wrong", id));
  (void)read_inspection(connection, read_row(connection, cursor, shared));
}

std::vector<std::string> wrong_counts(Connection& connection) {
  std::vector<std::string> problems;
  Cursor cursor = connection.prepare(
      "SELECT c.name, c.done, count(i.id), c.failed, count(i.id) FILTER (WHERE k.outcome <> 'ok') "
      "FROM campaigns c LEFT JOIN arms a ON a.campaign = c.id LEFT JOIN inspections i ON i.id "
      "BETWEEN a.id * 4096 AND a.id * 4096 + 4095 LEFT JOIN conditions k ON k.id = i.condition "
      "GROUP BY c.id");
  while (cursor.next())
    if (cursor.integer(1) != cursor.integer(2) || cursor.integer(3) != cursor.integer(4))
      problems.push_back(fmt::format(
          "{}: campaigns: {} counts {} inspections, {} failed; there are {}, {} failed",
          connection.file().string(), cursor.text(0), cursor.integer(1), cursor.integer(3),
          cursor.integer(2), cursor.integer(4)));
  return problems;
}

}  // namespace

std::vector<std::string> Store::check() const {
  Connection& connection = database_->connection;
  Problems problems;
  std::vector<std::int64_t> inspections;
  std::vector<std::string> plans;
  SharedRows shared(connection);
  note_errors(connection, problems, [&] { check_file(connection, problems); });
  note_errors(connection, problems, [&] { check_contexts(connection, problems); });
  note_errors(connection, problems,
              [&] { inspections = numbers(connection, "SELECT id FROM inspections ORDER BY id"); });
  note_errors(connection, problems, [&] {
    plans = texts(connection, "SELECT name FROM campaigns WHERE plan IS NOT NULL");
  });
  for (const std::int64_t id : inspections)
    note_errors(connection, problems, [&] { check_inspection(connection, shared, id); });
  for (const std::string& id : plans) note_errors(connection, problems, [&] { (void)plan(id); });
  note_errors(connection, problems, [&] {
    for (std::string& problem : damaged_published(connection, shared))
      problems.push_back(std::move(problem));
  });
  note_errors(connection, problems, [&] {
    for (std::string& problem : wrong_summaries(connection, shared))
      problems.push_back(std::move(problem));
    for (std::string& problem : wrong_counts(connection)) problems.push_back(std::move(problem));
  });
  note_errors(connection, problems, [&] {
    for (std::string& problem : damaged_published(connection, shared))
      problems.push_back(std::move(problem));
  });
  return problems;
}

}  // namespace stackx::store
