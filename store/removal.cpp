#include "store/removal.hpp"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"
#include "store/connection.hpp"
#include "store/packing/prepared.hpp"
#include "store/packing/program.hpp"
#include "store/questions/summary.hpp"
#include "store/rows.hpp"

namespace stackx::store {
namespace {

using RowNumbers = std::set<std::int64_t>;  // of rows

struct CampaignLeaving {
  Leaving told;
  std::vector<std::int64_t> rows;  // of inspections
  std::set<std::string> keys;      // the first 16 digits of their ids
  RowNumbers arms;
};
using Selected = std::map<std::int64_t, CampaignLeaving>;  // by the campaign's row

// An id may be meant by so many of its digits.
bool may_mean(const std::string& begin, const std::string& id) {
  constexpr std::size_t telling = 6;
  return begin.size() >= telling && id.starts_with(begin);
}

// Rows of `conditions` on the host; nothing where every host is meant.
std::optional<RowNumbers> conditions_on(Connection& connection, const std::optional<std::string>& host) {
  if (!host) return std::nullopt;
  RowNumbers rows;
  std::set<std::string> known;
  Cursor cursor = connection.prepare("SELECT c.id, h.hostname, h.fingerprint FROM hosts h LEFT JOIN conditions c ON c.host = h.id");
  while (cursor.next()) {
    known.insert(cursor.text(1));
    if ((cursor.text(1) == *host || may_mean(*host, cursor.text(2))) && !cursor.is_null(0)) rows.insert(cursor.integer(0));
  }
  if (rows.empty())
    throw bad_input(fmt::format("--host {}: no result of such a host is in {}{}; it has those of: {}", *host, connection.file().string(),
                                specs::suggestion(*host, {known.begin(), known.end()}), fmt::join(known, ", ")));
  return rows;
}

// All campaigns that may be meant, with nothing chosen of them yet.
Selected campaigns_of(Connection& connection, const Removal& which) {
  Selected selected;
  Cursor cursor = connection.prepare("SELECT id, name, project, created, done FROM campaigns");
  while (cursor.next()) {
    const auto name = cursor.text(1);
    if (which.campaigns && std::ranges::find(*which.campaigns, name) == which.campaigns->end()) continue;
    selected[cursor.integer(0)].told = {name, cursor.text(2), cursor.text(3), 0, 0, static_cast<std::uint64_t>(cursor.integer(4))};
  }
  return selected;
}

void choose_in(Connection& connection, const Removal& which, const std::optional<RowNumbers>& conditions, std::int64_t campaign,
            CampaignLeaving& leaving) {
  Cursor cursor = connection.prepare(
      "SELECT i.id, i.key, i.condition, i.rest, c.outcome FROM arms a JOIN inspections i ON i.id BETWEEN a.id * 4096 AND a.id * 4096 + "
      "4095 JOIN conditions c ON c.id = i.condition WHERE a.campaign = ?");
  cursor << campaign;
  while (cursor.next()) {
    if (conditions && !conditions->contains(cursor.integer(2))) continue;
    if (which.before) {
      const auto finished = packed_finish(cursor.text(3));
      if (finished == 0 || finished >= *which.before) continue;
    }
    leaving.rows.push_back(cursor.integer(0));
    leaving.keys.insert(key_text(cursor.integer(1)));
    leaving.arms.insert(cursor.integer(0) >> round_bits);
    leaving.told.failed += cursor.text(4) != "ok";
  }
  leaving.told.inspections = leaving.rows.size();
  leaving.told.whole = !leaving.told.campaign.empty() && leaving.told.inspections == leaving.told.of;
}

Selected leaving_of(Connection& connection, const Removal& which) {
  const auto conditions = conditions_on(connection, which.host);
  auto selected = campaigns_of(connection, which);
  for (auto& [row, leaving] : selected) choose_in(connection, which, conditions, row, leaving);
  const bool of_plans = which.campaigns && !which.host && !which.before;  // a campaign that never ran is no result of a host
  std::erase_if(selected, [&](const auto& one) { return one.second.rows.empty() && !of_plans; });
  return selected;
}

std::uint64_t inspections_in(Connection& connection) {
  Cursor cursor = connection.prepare("SELECT coalesce(sum(done), 0) FROM campaigns");
  return cursor.next() ? static_cast<std::uint64_t>(cursor.integer(0)) : 0;
}

Removable summed(Connection& connection, const Selected& selected) {
  Removable result;
  result.of = inspections_in(connection);
  for (const auto& [row, leaving] : selected) {
    result.campaigns.push_back(leaving.told);
    result.inspections += leaving.told.inspections;
    result.failed += leaving.told.failed;
  }
  std::ranges::stable_sort(result.campaigns, {}, [](const Leaving& one) { return std::pair(one.created, one.campaign); });
  return result;
}

void execute_on(Connection& connection, const char* sql, std::int64_t row) {
  Cursor cursor = connection.prepare(sql);
  cursor << row;
  cursor.execute();
}

RowNumbers series_with(Connection& connection, const RowNumbers& arms) {
  RowNumbers series;
  for (const auto arm : arms) {
    Cursor cursor = connection.prepare("SELECT series FROM arms WHERE id = ?");
    cursor << arm;
    if (cursor.next()) series.insert(cursor.integer(0));
  }
  return series;
}

// A series of which something is left gets its sums anew; of its panel one that stays does, too: its steps are others now.
void take_out_series(Connection& connection, const RowNumbers& touched) {
  std::set<Panel> panels;
  for (const auto series : touched) {
    Cursor cursor = connection.prepare("SELECT 1 FROM arms WHERE series = ? LIMIT 1");
    cursor << series;
    if (cursor.next()) {
      execute_on(connection, "INSERT OR IGNORE INTO stale(series) VALUES(?)", series);
      continue;
    }
    panels.insert(panel_of(connection, series));
    execute_on(connection, "DELETE FROM failures WHERE series = ?", series);
    execute_on(connection, "DELETE FROM occasions WHERE series = ?", series);
    execute_on(connection, "DELETE FROM steps WHERE older = ?", series);
    execute_on(connection, "DELETE FROM steps WHERE newer = ?", series);
    execute_on(connection, "DELETE FROM stale WHERE series = ?", series);
    execute_on(connection, "DELETE FROM series WHERE id = ?", series);
  }
  for (const auto& panel : panels) {
    Cursor cursor = connection.prepare(
        "INSERT OR IGNORE INTO stale(series) SELECT id FROM series WHERE workload = ? AND device = ? LIMIT 1");
    cursor << panel.workload << panel.device;
    cursor.execute();
  }
}

void take_out(Connection& connection, std::int64_t campaign, const CampaignLeaving& leaving) {
  for (const auto row : leaving.rows) execute_on(connection, "DELETE FROM inspections WHERE id = ?", row);
  const auto touched = series_with(connection, leaving.arms);
  for (const auto arm : leaving.arms)
    execute_on(connection,
               "DELETE FROM arms WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM inspections WHERE id BETWEEN ?1 * 4096 AND "
               "?1 * 4096 + 4095)",
               arm);
  if (leaving.told.whole) execute_on(connection, "DELETE FROM arms WHERE campaign = ?", campaign);
  take_out_series(connection, touched);
  if (leaving.told.whole) {
    execute_on(connection, "DELETE FROM occasions WHERE campaign = ?", campaign);
    execute_on(connection, "DELETE FROM campaigns WHERE id = ?", campaign);
    return;
  }
  Cursor cursor = connection.prepare("UPDATE campaigns SET done = done - ?, failed = failed - ? WHERE id = ?");
  cursor << static_cast<std::int64_t>(leaving.told.inspections) << static_cast<std::int64_t>(leaving.told.failed) << campaign;
  cursor.execute();
}

// What nothing refers to any more, each after what refers to it.
constexpr const char* unused_rows[] = {
    "DELETE FROM conditions WHERE id NOT IN (SELECT condition FROM inspections)",
    "DELETE FROM templates WHERE id NOT IN (SELECT template FROM conditions)",
    "DELETE FROM skeletons WHERE id NOT IN (SELECT skeleton FROM templates)",
    "DELETE FROM contexts WHERE id NOT IN (SELECT context FROM conditions) AND id NOT IN (SELECT details FROM published WHERE details "
    "IS NOT NULL)",
    "DELETE FROM hosts WHERE id NOT IN (SELECT host FROM conditions)",
    "DELETE FROM devices WHERE id NOT IN (SELECT device FROM series)",
    "DELETE FROM hardware WHERE id NOT IN (SELECT hardware FROM devices) AND id NOT IN (SELECT hardware FROM published)",
    "DELETE FROM workloads WHERE id NOT IN (SELECT workload FROM series) AND id NOT IN (SELECT workload FROM published)",
    "DELETE FROM stack_versions WHERE stack NOT IN (SELECT stack FROM series) AND stack NOT IN (SELECT stack FROM published)",
    "DELETE FROM stacks WHERE id NOT IN (SELECT stack FROM series) AND id NOT IN (SELECT stack FROM published)",
    "DELETE FROM versions WHERE id NOT IN (SELECT version FROM stack_versions)",
    "DELETE FROM components WHERE id NOT IN (SELECT component FROM versions)"};

// Foreign keys were off: that nothing is named which is gone is proved before it is kept.
void require_whole_references(Connection& connection) {
  Cursor cursor = connection.prepare("PRAGMA foreign_key_check");
  if (cursor.next()) throw Connection::damaged(connection.file(), fmt::format("{}: a row names what is not there", cursor.text(0)));
}

void take_out_all(Connection& connection, const Selected& selected) {
  for (const auto& [row, leaving] : selected) take_out(connection, row, leaving);
  for (const char* sql : unused_rows) connection.sqlite().exec(sql);
  require_whole_references(connection);
}

}  // namespace

std::vector<std::string> campaigns_called(const std::filesystem::path& file, const std::string& name) {
  Connection connection(file, Mode::read_only, steps());
  return connection.run([&] {
    std::vector<std::string> begun, of_project, blocks, projects;
    Cursor cursor = connection.prepare(
        "SELECT name, project, coalesce(json_extract(plan, '$.block.cluster'), '') FROM campaigns WHERE name <> ''");
    while (cursor.next()) {
      if (may_mean(name, cursor.text(0))) begun.push_back(cursor.text(0));
      if (cursor.text(1) == name) of_project.push_back(cursor.text(0));
      if (may_mean(name, cursor.text(2))) blocks.push_back(cursor.text(0));
      projects.push_back(cursor.text(1));
    }
    if (begun.size() > 1) throw bad_input(fmt::format("--campaign {}: {} and {} begin so; give more digits", name, begun[0], begun[1]));
    if (!begun.empty() && !of_project.empty())
      throw bad_input(fmt::format("--campaign {}: a project is called so, and campaign {} begins so; give the whole id, or another of the project's campaigns",
                                  name, begun.front()));
    if (!begun.empty()) return begun;
    if (!blocks.empty()) return blocks;
    if (of_project.empty() || name.empty())
      throw bad_input(fmt::format("--campaign {}: the store knows no campaign of this id, nor of a project of this name{}; "
                                  "`stackx query --sql 'SELECT * FROM campaigns'` lists them",
                                  specs::in_quotes(name), specs::suggestion(name, projects)));
    return of_project;
  });
}

Removable removable(const std::filesystem::path& file, const Removal& which) {
  Connection connection(file, Mode::read_only, steps());
  return connection.run([&] {
    const SQLite::Transaction snapshot(connection.sqlite());
    return summed(connection, leaving_of(connection, which));
  });
}

Removable remove(const std::filesystem::path& file, const Removal& which, const Spool& spool) {
  Removable result;
  {
    Connection connection(file, Mode::read_write, steps());
    connection.run([&] {
      connection.sqlite().exec("PRAGMA foreign_keys=OFF");  // each shared row that goes would be sought in all inspections
      SQLite::Transaction transaction(connection.sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
      const auto selected = leaving_of(connection, which);
      result = summed(connection, selected);
      take_out_all(connection, selected);
      for (const auto& [row, leaving] : selected) spool.take_out(leaving.told.campaign, leaving.keys, leaving.told.whole);
      transaction.commit();
    });
  }
  Store::open(file).finish_summaries();
  return result;
}

}  // namespace stackx::store
