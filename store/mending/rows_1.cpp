#include "store/mending/rows_1.hpp"

#include <fmt/format.h>

#include "specs/format/json.hpp"
#include "store/packing/packing.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

Cursor select(Connection& connection, const char* sql, std::int64_t row) {
  Cursor cursor = connection.prepare(sql);
  cursor << row;
  if (!cursor.next())
    throw Connection::damaged(connection.file(),
                              fmt::format("row {} of `{}` is missing", row, sql));
  return cursor;
}

json stack_of(Connection& connection, std::int64_t row) {
  Cursor cursor = connection.prepare(
      "SELECT c.name, v.version FROM stack_versions s JOIN versions v ON v.id = s.version JOIN "
      "components c ON c.id = v.component WHERE s.stack = ?");
  cursor << row;
  json stack = json::object();
  while (cursor.next()) stack[cursor.text(0)] = cursor.text(1);
  return stack;
}

json workload_of(Connection& connection, std::int64_t row) {
  const Cursor cursor = select(connection, "SELECT pi, params FROM workloads WHERE id = ?", row);
  return {{"pi", cursor.text(0)}, {"params", json::parse(cursor.text(1))}};
}

std::string text_of(Connection& connection, const char* sql, std::int64_t row) {
  return select(connection, sql, row).text(0);
}

}  // namespace

#define COLUMNS_1                                                                           \
  "SELECT hash, campaign, round, position, arm, sentinel, stack, workload, host, device, " \
  "context, outcome, reason, finished, samples, rest FROM "

std::string document_of_schema_1(Connection& connection, std::int64_t row, Tables1 tables) {
  const bool renamed = tables == Tables1::renamed;
  return connection.run([&] {
    const Cursor cursor = select(connection,
                                 renamed ? COLUMNS_1 "inspections_1 WHERE id = ?"
                                         : COLUMNS_1 "inspections WHERE id = ?",
                                 row);
    json document = json::parse(cursor.text(15));
    document.update(json::parse(
        text_of(connection, "SELECT document FROM contexts WHERE id = ?", cursor.integer(10))));
    document["id"] = hex_of(cursor.text(0));
    document["campaign"] =
        cursor.is_null(1)
            ? ""
            : text_of(connection, "SELECT name FROM campaigns WHERE id = ?", cursor.integer(1));
    document["round"] = static_cast<std::uint64_t>(cursor.integer(2));
    document["position"] = static_cast<std::uint64_t>(cursor.integer(3));
    document["arm"] = cursor.text(4);
    document["sentinel"] = cursor.integer(5) != 0;
    document["stack"] = stack_of(connection, cursor.integer(6));
    document["workload"] = workload_of(connection, cursor.integer(7));
    document["host"] = json::parse(
        text_of(connection, "SELECT document FROM hosts WHERE id = ?", cursor.integer(8)));
    document["device"] =
        text_of(connection,
                renamed ? "SELECT name FROM devices_1 WHERE id = ?"
                        : "SELECT name FROM devices WHERE id = ?",
                cursor.integer(9));
    document["outcome"] = cursor.text(11);
    document["reason"] = cursor.text(12);
    document["finished"] = cursor.text(13);
    document["samples_ns"] = unpack(cursor.text(14));
    return specs::canonical(document);
  });
}

}  // namespace stackx::store
