#include "store/migrate_1.hpp"

#include <fmt/format.h>

#include "specs/json.hpp"
#include "store/packing.hpp"
#include "store/summary.hpp"
#include "store/writer.hpp"

namespace stackx::store {
namespace {

using nlohmann::json;

json components_of(Connection& connection, std::int64_t stack) {
  json components = json::object();
  Cursor cursor = connection.prepare(
      "SELECT c.name, v.version FROM stack_versions s JOIN versions v ON v.id = s.version JOIN "
      "components c ON c.id = v.component WHERE s.stack = ?");
  cursor << stack;
  while (cursor.next()) components[cursor.text(0)] = cursor.text(1);
  return components;
}

// `rest`, the context and the host lie as JSON in schema 1; the other members are columns.
std::string document_of_1(Connection& connection, const Cursor& row) {
  json document = json::parse(row.text(14));
  document.update(json::parse(row.text(15)));
  document["host"] = json::parse(row.text(16));
  document["id"] = hex_of(row.text(0));
  document["campaign"] = row.is_null(1) ? "" : row.text(1);
  document["round"] = static_cast<std::uint64_t>(row.integer(2));
  document["position"] = static_cast<std::uint64_t>(row.integer(3));
  document["arm"] = row.text(4);
  document["sentinel"] = row.integer(5) != 0;
  document["stack"] = components_of(connection, row.integer(6));
  document["workload"] = {{"pi", row.text(7)}, {"params", json::parse(row.text(8))}};
  document["device"] = row.text(9);
  document["outcome"] = row.text(10);
  document["reason"] = row.text(11);
  document["finished"] = row.text(12);
  document["samples_ns"] = unpack(row.text(13));
  return specs::canonical(document);
}

void convert_inspections(Connection& connection, Writer& writer) {
  Reader reader;
  Cursor row = connection.prepare(
      "SELECT i.hash, c.name, i.round, i.position, i.arm, i.sentinel, i.stack, w.pi, w.params, "
      "d.name, i.outcome, i.reason, i.finished, i.samples, i.rest, x.document, h.document FROM "
      "inspections_1 i LEFT JOIN campaigns c ON c.id = i.campaign JOIN workloads w ON w.id = "
      "i.workload JOIN devices_1 d ON d.id = i.device JOIN contexts x ON x.id = i.context JOIN "
      "hosts h ON h.id = i.host ORDER BY i.campaign, i.arm, i.round");
  while (row.next()) {
    const std::string name = fmt::format("inspection {}", hex_of(row.text(0)));
    try {
      writer.insert(reader.prepare(document_of_1(connection, row), name));
    } catch (const Error& error) {
      throw Connection::damaged(connection.file(), error.what());
    }
  }
}

}  // namespace

void migrate_1(Connection& connection) {
  Writer writer(connection);
  const auto count = [&](const char* sql) {
    return connection.sqlite().execAndGet(sql).getInt64();
  };
  const std::int64_t before = count("SELECT count(*) FROM inspections_1");
  convert_inspections(connection, writer);
  for (const std::int64_t series : writer.flush())
    finish_panel(connection, writer.shared(), panel_of(connection, series));
  if (count("SELECT count(*) FROM inspections") != before)
    throw Connection::damaged(connection.file(), "an inspection refers to a row that is missing");
  connection.forget_statements();
  connection.sqlite().exec("DROP TABLE inspections_1; DROP TABLE devices_1");
}

}  // namespace stackx::store
