#include "store/mending/migrate_1.hpp"

#include <fmt/format.h>

#include "store/mending/rows_1.hpp"
#include "store/questions/summary.hpp"
#include "store/writer.hpp"

namespace stackx::store {
namespace {

// In the order of their places, so that the new rows fill their pages.
std::vector<std::int64_t> rows_of(Connection& connection) {
  std::vector<std::int64_t> rows;
  Cursor cursor =
      connection.prepare("SELECT id FROM inspections_1 ORDER BY campaign, arm, round, id");
  while (cursor.next()) rows.push_back(cursor.integer(0));
  return rows;
}

}  // namespace

void migrate_1(Connection& connection) {
  Writer writer(connection);
  Reader reader(specs::TextLengths::any);
  for (const std::int64_t row : rows_of(connection)) {
    try {
      writer.insert(reader.prepare(document_of_schema_1(connection, row, Tables1::renamed),
                                   fmt::format("inspections: row {}", row)));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_input) throw;
      throw Connection::damaged(connection.file(), error.what());
    }
  }
  for (const std::int64_t series : writer.flush())
    finish_panel(connection, writer.shared(), panel_of(connection, series));
  connection.forget_statements();
  connection.sqlite().exec("DROP TABLE inspections_1; DROP TABLE devices_1");
}

}  // namespace stackx::store
