// Writing: a document is one short transaction; many share one.
#include <fmt/format.h>

#include "specs/format/json.hpp"
#include "specs/format/seal.hpp"
#include "store/database.hpp"
#include "store/questions/summary.hpp"

namespace stackx::store {
namespace {

// What the campaign will run at most: rounds times arms, within its budget.
std::uint64_t planned(const specs::Plan& plan) {
  const std::uint64_t all = plan.campaign.rounds * plan.arms.size();
  return std::min(all, plan.campaign.budget_inspections.value_or(all));
}

void verify_id(const specs::Plan& plan) {
  const std::string id = specs::content_id(specs::to_json(plan));
  if (id != plan.id)
    throw bad_input(
        fmt::format("plan {}: the id does not match the content, whose id is {}; it is not stored",
                    plan.id.empty() ? "(without id)" : plan.id, id));
}

}  // namespace

Ingest Store::ingest(const specs::Inspection& inspection) {
  Connection& connection = database_->connection;
  connection.require_writable();
  const Prepared prepared =
      database_->reader.prepare(specs::canonical(specs::to_json(inspection)),
                                fmt::format("inspection {}", inspection.id.empty() ? "(without id)" : inspection.id));
  return connection.run([&] {
    Writer::Transaction transaction(database_->writer);
    const Ingest result = database_->writer.insert(prepared);
    if (result == Ingest::already_there) return result;
    for (const std::int64_t series : database_->writer.flush())
      finish_panel(connection, database_->writer.shared(), panel_of(connection, series));
    transaction.commit();
    return result;
  });
}

Ingest Store::ingest(const specs::Plan& plan) {
  Connection& connection = database_->connection;
  connection.require_writable();
  verify_id(plan);
  return connection.run([&] {
    Writer& writer = database_->writer;
    Writer::Transaction transaction(writer);
    const std::int64_t row = writer.campaign(plan.id);  // may be there through its inspections
    {
      Cursor cursor = connection.prepare("SELECT plan IS NOT NULL FROM campaigns WHERE id = ?");
      cursor << row;
      if (cursor.next() && cursor.integer(0)) return Ingest::already_there;
    }
    Cursor cursor = connection.prepare(
        "UPDATE campaigns SET project = ?, created = ?, planned = ?, plan = ? WHERE id = ?");
    cursor << plan.project << plan.created << static_cast<std::int64_t>(planned(plan))
           << specs::canonical(specs::to_json(plan)) << row;
    cursor.execute();
    transaction.commit();
    return Ingest::inserted;
  });
}

void Store::finish_summaries(const std::function<void(std::size_t done, std::size_t all)>& progress) {
  Connection& connection = database_->connection;
  connection.require_writable();
  connection.run([&] {
    if (has_unmarked_series(connection)) {
      Writer::Transaction transaction(database_->writer);
      mark_unmarked_series(connection);
      transaction.commit();
    }
    const std::vector<Panel> panels = stale_panels(connection);
    // Some panels at a time: another writer waits for less than a second.
    constexpr std::size_t at_once = 8;
    for (std::size_t i = 0; i < panels.size(); i += at_once) {
      Writer::Transaction transaction(database_->writer);
      for (std::size_t k = i; k < std::min(panels.size(), i + at_once); ++k)
        finish_panel(connection, database_->writer.shared(), panels[k]);
      transaction.commit();
      if (progress) progress(std::min(panels.size(), i + at_once), panels.size());
    }
  });
}

}  // namespace stackx::store
