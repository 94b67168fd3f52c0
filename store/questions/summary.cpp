#include "store/questions/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include "specs/format/clock.hpp"
#include "specs/result/order_statistics.hpp"
#include "specs/version/version.hpp"
#include "store/packing/measurement.hpp"
#include "store/packing/packing.hpp"

namespace stackx::store {
namespace {

constexpr double confidence = 0.95;

Unit unit_of(const specs::Work& work) {
  if (work.flop > 0) return Unit::gflop;
  if (work.bytes > 0) return Unit::gbyte;
  return work.items > 0 ? Unit::items : Unit::none;
}

double amount(const specs::Work& work, Unit unit) {
  switch (unit) {
    case Unit::gflop:
      return work.flop;  // per ns: 1e9 a second
    case Unit::gbyte:
      return work.bytes;
    case Unit::items:
      return work.items * 1e9;
    case Unit::none:
      break;
  }
  return 0;
}

// Median rate; none where samples or work are not positive.
std::optional<double> rate_of(const Row& row, Unit unit) {
  const double work = amount(row.condition->context->work, unit);
  if (!(work > 0 && work <= specs::most_work) || row.samples.empty()) return std::nullopt;
  std::vector<double> rates;
  rates.reserve(row.samples.size());
  for (const std::int64_t sample : row.samples) {
    if (sample <= 0) return std::nullopt;
    rates.push_back(work / static_cast<double>(sample));
  }
  return specs::median(rates);
}

std::vector<Row> rows_of(Connection& connection, SharedRows& shared, std::int64_t series) {
  std::vector<std::int64_t> arms;
  {
    Cursor cursor = connection.prepare("SELECT id FROM arms WHERE series = ? ORDER BY id");
    cursor << series;
    while (cursor.next()) arms.push_back(cursor.integer(0));
  }
  std::vector<Row> rows;
  for (const std::int64_t arm : arms) {
    Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                       " FROM inspections WHERE id BETWEEN ? AND ?");
    cursor << (arm << round_bits) << ((arm << round_bits) + rounds_a_block - 1);
    while (cursor.next()) rows.push_back(read_row(connection, cursor, shared));
  }
  return rows;
}

bool counts(const Row& row) {
  return !row.arm->sentinel && row.outcome() == specs::Outcome::ok;
}

// The unit of most; GFLOP/s before GB/s before items/s where two are equally frequent.
Unit common_unit(const std::vector<Row>& rows) {
  std::map<Unit, std::size_t> frequency;
  for (const Row& row : rows)
    if (counts(row)) ++frequency[unit_of(row.condition->context->work)];
  Unit best = Unit::none;
  for (const Unit unit : {Unit::gflop, Unit::gbyte, Unit::items})
    if (frequency[unit] > frequency[best] || (best == Unit::none && frequency[unit] > 0)) best = unit;
  return best;
}

void sum_up(Summary& summary, const std::vector<double>& rates) {
  if (rates.empty()) return;
  summary.ok = static_cast<std::int64_t>(rates.size());
  summary.median = specs::median(rates);
  if (const auto interval = specs::median_interval(rates, confidence)) {
    summary.low = interval->low;
    summary.high = interval->high;
  }
  summary.cv = specs::cv(rates);
}

// A time of 0 stands for "not written as we can read it".
void see(Summary& summary, std::int64_t finished) {
  if (finished == 0) return;
  summary.first = std::min(summary.first.value_or(finished), finished);
  summary.last = std::max(summary.last.value_or(finished), finished);
}

Cursor& put(Cursor& cursor, const std::optional<double>& value) {
  return value ? cursor << *value : cursor << nullptr;
}
Cursor& put(Cursor& cursor, const std::optional<std::int64_t>& value) {
  return value ? cursor << *value : cursor << nullptr;
}

void write(Connection& connection, const SeriesKey& key, const Summary& s) {
  const std::int64_t series = key.series;
  {
    Cursor cursor = connection.prepare(
        "UPDATE series SET ok = ?, failed = ?, sentinels = ?, unit = ?, median = ?, low = ?, high "
        "= ?, cv = ?, first = ?, last = ?, inspections = ?, checksum = ? WHERE id = ?");
    cursor << s.ok << s.failed << s.sentinels << static_cast<int>(s.unit);
    put(put(put(put(cursor, s.median), s.low), s.high), s.cv);
    put(put(cursor, s.first), s.last)
        << s.inspections << static_cast<std::int64_t>(checksum_of(key, s)) << series;
    cursor.execute();
  }
  {
    Cursor cursor = connection.prepare("DELETE FROM failures WHERE series = ?");
    cursor << series;
    cursor.execute();
  }
  for (const auto& [outcome, inspections] : s.failures) {
    Cursor cursor =
        connection.prepare("INSERT INTO failures(series, outcome, inspections) VALUES(?, ?, ?)");
    cursor << series << outcome << inspections;
    cursor.execute();
  }
  Cursor cursor = connection.prepare("DELETE FROM stale WHERE series = ?");
  cursor << series;
  cursor.execute();
}

std::int64_t component_row(Connection& connection, const std::string& name) {
  Cursor cursor = connection.prepare("SELECT id FROM components WHERE name = ?");
  cursor << name;
  cursor.next();
  return cursor.integer(0);
}

void write(Connection& connection, const StepPlace& place, const StepSummary& step) {
  const std::int64_t component = component_row(connection, place.component);
  Cursor cursor = connection.prepare(
      "INSERT OR REPLACE INTO steps(older, newer, component, rounds, slower, faster, ratio, "
      "checksum) VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
  cursor << place.older << place.newer << component << step.rounds << step.slower << step.faster;
  put(cursor, step.ratio) << static_cast<std::int64_t>(
      checksum_of(place.older, place.newer, component, step));
  cursor.execute();
}

struct PanelSeries {
  std::int64_t series = 0, stack = 0;
};

std::vector<PanelSeries> series_of(Connection& connection, const Panel& panel) {
  std::vector<PanelSeries> rows;
  Cursor cursor = connection.prepare(
      "SELECT id, stack FROM series WHERE workload = ? AND device = ? ORDER BY id");
  cursor << panel.workload << panel.device;
  while (cursor.next()) rows.push_back({cursor.integer(0), cursor.integer(1)});
  return rows;
}

// Two stacks without one component are the same where the sums of the others' hashes are; whether
// they really are is looked at afterwards.
std::size_t hash_of(const std::string& name, const std::string& version) {
  return std::hash<std::string>()(name + '\0' + version);
}

struct Candidate {
  const specs::Stack* stack;
  std::int64_t series;
  specs::Version version;
};

bool differ_only_in(const specs::Stack& a, const specs::Stack& b, const std::string& component) {
  if (a.components.size() != b.components.size()) return false;
  return std::ranges::equal(a.components, b.components, [&](const auto& x, const auto& y) {
    return x.first == y.first && (x.second == y.second || x.first == component);
  });
}

std::set<std::int64_t> stale_in(Connection& connection, const Panel& panel) {
  std::set<std::int64_t> stale;
  Cursor cursor = connection.prepare(
      "SELECT s.id FROM stale t JOIN series s ON s.id = t.series WHERE s.workload = ? AND s.device "
      "= ?");
  cursor << panel.workload << panel.device;
  while (cursor.next()) stale.insert(cursor.integer(0));
  return stale;
}

std::set<std::pair<std::int64_t, std::int64_t>> stored_steps(Connection& connection,
                                                             const Panel& panel) {
  std::set<std::pair<std::int64_t, std::int64_t>> steps;
  Cursor cursor = connection.prepare(
      "SELECT p.older, p.newer FROM series s JOIN steps p ON p.older = s.id WHERE s.workload = ? "
      "AND s.device = ?");
  cursor << panel.workload << panel.device;
  while (cursor.next()) steps.emplace(cursor.integer(0), cursor.integer(1));
  return steps;
}

void remove_step(Connection& connection, std::int64_t older, std::int64_t newer) {
  Cursor cursor = connection.prepare("DELETE FROM steps WHERE older = ? AND newer = ?");
  cursor << older << newer;
  cursor.execute();
}

std::optional<double> real(const Cursor& cursor, int column) {
  return cursor.is_null(column) ? std::nullopt : std::optional(cursor.real(column));
}
std::optional<std::int64_t> whole(const Cursor& cursor, int column) {
  return cursor.is_null(column) ? std::nullopt : std::optional(cursor.integer(column));
}

#define STACKX_SUMMARY_COLUMNS "ok, failed, sentinels, unit, median, low, high, cv, first, last, inspections"

Summary summary_in(const Cursor& cursor) {  // without its failures
  Summary s;
  s.ok = cursor.integer(0);
  s.failed = cursor.integer(1);
  s.sentinels = cursor.integer(2);
  s.unit = static_cast<Unit>(cursor.integer(3));
  s.median = real(cursor, 4);
  s.low = real(cursor, 5);
  s.high = real(cursor, 6);
  s.cv = real(cursor, 7);
  s.first = whole(cursor, 8);
  s.last = whole(cursor, 9);
  s.inspections = cursor.integer(10);
  return s;
}

Summary stored_summary(Connection& connection, std::int64_t series) {
  Summary s;
  {
    Cursor cursor = connection.prepare("SELECT " STACKX_SUMMARY_COLUMNS " FROM series WHERE id = ?");
    cursor << series;
    cursor.next();
    s = summary_in(cursor);
  }
  Cursor cursor =
      connection.prepare("SELECT outcome, inspections FROM failures WHERE series = ?");
  cursor << series;
  while (cursor.next()) s.failures.emplace(cursor.text(0), cursor.integer(1));
  return s;
}

std::map<StepPlace, StepSummary> stored_steps_of(Connection& connection, const Panel& panel) {
  std::map<StepPlace, StepSummary> steps;
  Cursor cursor = connection.prepare(
      "SELECT p.older, p.newer, c.name, p.rounds, p.slower, p.faster, p.ratio FROM series s JOIN "
      "steps p ON p.older = s.id JOIN components c ON c.id = p.component WHERE s.workload = ? AND "
      "s.device = ?");
  cursor << panel.workload << panel.device;
  while (cursor.next())
    steps.emplace(StepPlace{cursor.integer(0), cursor.integer(1), cursor.text(2)},
                  StepSummary{cursor.integer(3), cursor.integer(4), cursor.integer(5),
                              real(cursor, 6)});
  return steps;
}

// The smallest `finished` of each campaign, as texts compare. Of those with milliseconds that is the earliest, and only
// its text is made.
class Finishes {
 public:
  void see(const Row& row) {
    First& first = campaigns_[row.arm->campaign];
    if (row.condition->skeleton->time == TimeForm::milliseconds) {
      const std::int64_t finished = packed_finish(row.rest);
      first.milliseconds = std::min(first.milliseconds.value_or(finished), finished);
    } else {
      const std::string finished = finished_of(row);
      first.text = std::min(first.text.value_or(finished), finished);
    }
  }
  std::string first_of(const std::string& campaign) const {
    const First& first = campaigns_.at(campaign);
    if (!first.milliseconds) return *first.text;
    const std::string finished = specs::utc_text(*first.milliseconds, true);
    return std::min(first.text.value_or(finished), finished);
  }

 private:
  struct First {
    std::optional<std::int64_t> milliseconds;
    std::optional<std::string> text;
  };
  std::map<std::string, First> campaigns_;
};

// Values of series, read once each.
class Values {
 public:
  Values(Connection& connection, SharedRows& shared) : connection_(connection), shared_(shared) {}
  const SeriesValues& of(std::int64_t series) {
    const auto known = values_.find(series);
    if (known != values_.end()) return known->second;
    return values_.emplace(series, read_series(connection_, shared_, series)).first->second;
  }

 private:
  Connection& connection_;
  SharedRows& shared_;
  std::map<std::int64_t, SeriesValues> values_;
};

}  // namespace

SeriesValues read_series(Connection& connection, SharedRows& shared, std::int64_t series) {
  const std::vector<Row> rows = rows_of(connection, shared, series);
  Finishes finishes;
  SeriesValues result;
  Summary& summary = result.summary;
  summary.unit = common_unit(rows);
  summary.inspections = static_cast<std::int64_t>(rows.size());
  std::vector<double> rates;
  std::map<Slot, std::vector<double>> by_slot;
  for (const Row& row : rows) {
    see(summary, packed_finish(row.rest));
    if (row.arm->sentinel) {
      ++summary.sentinels;
      continue;
    }
    Occasion& occasion = result.occasions[row.arm->campaign];
    ++occasion.inspections;
    finishes.see(row);
    if (row.outcome() != specs::Outcome::ok) {
      ++summary.failed;
      ++summary.failures[specs::to_string(row.outcome())];
    } else if (const auto rate = rate_of(row, summary.unit); rate && *rate > 0) {
      rates.push_back(*rate);
      ++occasion.ok;
      if (!row.arm->campaign.empty())
        by_slot[{row.arm->campaign, round_of(row)}].push_back(*rate);
    }
  }
  std::ranges::sort(rates);  // whatever the order of the rows, sums are the same to the last bit
  sum_up(summary, rates);
  for (const auto& [slot, values] : by_slot) result.rates[slot] = specs::median(values);
  for (auto& [campaign, occasion] : result.occasions) occasion.first = finishes.first_of(campaign);
  return result;
}

std::int32_t checksum_of(const SeriesKey& key, const Summary& s) {
  const auto real = [](const std::optional<double>& value) {
    return std::bit_cast<std::uint64_t>(value.value_or(-1));  // no rate and no CV is negative
  };
  const auto whole = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return mixed(std::array{whole(key.series), whole(key.workload), whole(key.device),
                          whole(key.stack), whole(s.ok), whole(s.failed), whole(s.sentinels),
                          whole(s.inspections), whole(static_cast<int>(s.unit)), real(s.median),
                          real(s.low), real(s.high), real(s.cv), whole(s.first.value_or(0)),
                          whole(s.last.value_or(0))});
}

std::int32_t checksum_of(std::int64_t older, std::int64_t newer, std::int64_t component,
                         const StepSummary& step) {
  const auto whole = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return mixed(std::array{whole(older), whole(newer), whole(component), whole(step.rounds),
                          whole(step.slower), whole(step.faster),
                          std::bit_cast<std::uint64_t>(step.ratio.value_or(-1))});
}

std::int32_t hardware_checksum(std::string_view model, std::string_view microarchitecture) {
  return static_cast<std::int32_t>(Checksum().add(model).add(microarchitecture).value());
}

StepSummary step_between(const SeriesValues& older, const SeriesValues& newer) {
  StepSummary step;
  if (older.summary.unit != newer.summary.unit) return step;
  std::vector<double> logs;
  for (const auto& [slot, rate] : newer.rates)
    if (const auto other = older.rates.find(slot); other != older.rates.end())
      logs.push_back(std::log(rate / other->second));
  if (logs.empty()) return step;
  const double margin = std::log1p(step_margin);
  step.rounds = static_cast<std::int64_t>(logs.size());
  step.slower = std::ranges::count_if(logs, [&](double log) { return log < -margin; });
  step.faster = std::ranges::count_if(logs, [&](double log) { return log > margin; });
  step.ratio = std::exp(specs::median(logs));
  return step;
}

std::vector<StepPlace> steps_of(Connection& connection, SharedRows& shared, const Panel& panel) {
  std::map<std::pair<std::string, std::size_t>, std::vector<Candidate>> groups;
  for (const PanelSeries& row : series_of(connection, panel)) {
    const specs::Stack& stack = shared.stack(row.stack).stack;
    std::size_t sum = 0;
    for (const auto& [name, version] : stack.components) sum += hash_of(name, version);
    for (const auto& [name, version] : stack.components)
      if (auto parsed = specs::Version::parse(version, specs::Versioning::pep440))
        groups[{name, sum - hash_of(name, version)}].push_back({&stack, row.series, *parsed});
  }
  std::vector<StepPlace> places;
  for (auto& [key, group] : groups) {
    std::ranges::sort(group, [](const Candidate& a, const Candidate& b) {
      return a.version.key() != b.version.key() ? a.version.key() < b.version.key()
                                                : a.version.text() < b.version.text();
    });
    for (std::size_t i = 1; i < group.size(); ++i)
      if (differ_only_in(*group[i - 1].stack, *group[i].stack, key.first))
        places.push_back({group[i - 1].series, group[i].series, key.first});
  }
  return places;
}

bool has_unmarked_series(Connection& connection) {
  Cursor cursor = connection.prepare(
      "SELECT 1 FROM series WHERE checksum = 0 AND inspections = 0 AND id NOT IN (SELECT series FROM stale) LIMIT 1");
  return cursor.next();
}

void mark_unmarked_series(Connection& connection) {
  Cursor cursor = connection.prepare(
      "INSERT OR IGNORE INTO stale(series) SELECT id FROM series WHERE checksum = 0 AND inspections = 0");
  cursor.execute();
}

std::vector<Panel> stale_panels(Connection& connection) {
  std::vector<Panel> panels;
  Cursor cursor = connection.prepare(
      "SELECT DISTINCT s.workload, s.device FROM stale t JOIN series s ON s.id = t.series");
  while (cursor.next()) panels.push_back({cursor.integer(0), cursor.integer(1)});
  return panels;
}

Panel panel_of(Connection& connection, std::int64_t series) {
  Cursor cursor = connection.prepare("SELECT workload, device FROM series WHERE id = ?");
  cursor << series;
  cursor.next();
  return {cursor.integer(0), cursor.integer(1)};
}

void finish_panel(Connection& connection, SharedRows& shared, const Panel& panel) {
  const std::set<std::int64_t> stale = stale_in(connection, panel);
  if (stale.empty()) return;
  Values values(connection, shared);
  for (const PanelSeries& row : series_of(connection, panel))
    if (stale.contains(row.series)) {
      const SeriesValues& sums = values.of(row.series);
      write_occasions(connection, row.series, sums.occasions);
      write(connection, {row.series, panel.workload, panel.device, row.stack}, sums.summary);
    }
  auto stored = stored_steps(connection, panel);
  for (const StepPlace& place : steps_of(connection, shared, panel)) {
    const bool there = stored.erase({place.older, place.newer}) > 0;
    if (there && !stale.contains(place.older) && !stale.contains(place.newer)) continue;
    write(connection, place, step_between(values.of(place.older), values.of(place.newer)));
  }
  for (const auto& [older, newer] : stored)  // a version came in between
    remove_step(connection, older, newer);
  shared.forget_arms();
}

std::vector<std::string> unsealed_rows(Connection& connection) {
  std::vector<std::string> problems;
  const auto changed = [&](const char* table, const Cursor& cursor, int row) {
    problems.push_back(
        fmt::format("{}: {}: row {} is changed", connection.file().string(), table, cursor.integer(row)));
  };
  {
    Cursor cursor = connection.prepare("SELECT " STACKX_SUMMARY_COLUMNS
                                       ", id, workload, device, stack, checksum FROM series WHERE id NOT IN (SELECT "
                                       "series FROM stale)");
    while (cursor.next()) {
      const SeriesKey key{cursor.integer(11), cursor.integer(12), cursor.integer(13), cursor.integer(14)};
      if (checksum_of(key, summary_in(cursor)) != cursor.integer(15)) changed("series", cursor, 11);
    }
  }
  {
    Cursor cursor = connection.prepare(
        "SELECT older, newer, component, rounds, slower, faster, ratio, checksum FROM steps");
    while (cursor.next()) {
      const StepSummary step{cursor.integer(3), cursor.integer(4), cursor.integer(5), real(cursor, 6)};
      if (checksum_of(cursor.integer(0), cursor.integer(1), cursor.integer(2), step) != cursor.integer(7))
        changed("steps", cursor, 0);
    }
  }
  for (const StoredOccasion& stored : stored_occasions(connection))
    if (!stored.holds)
      problems.push_back(fmt::format("{}: occasions: that of series {} in campaign {} is changed", connection.file().string(),
                                     stored.series, stored.campaign));
  Cursor cursor = connection.prepare("SELECT id, model, microarchitecture, checksum FROM hardware");
  while (cursor.next())
    if (hardware_checksum(cursor.text(1), cursor.text(2)) != cursor.integer(3)) changed("hardware", cursor, 0);
  return problems;
}

std::vector<Panel> all_panels(Connection& connection) {
  std::vector<Panel> panels;
  Cursor cursor = connection.prepare("SELECT DISTINCT workload, device FROM series");
  while (cursor.next()) panels.push_back({cursor.integer(0), cursor.integer(1)});
  return panels;
}

std::vector<std::string> wrong_summaries(Connection& connection, SharedRows& shared, const Panel& panel) {
  std::vector<std::string> problems;
  Values values(connection, shared);
  const std::set<std::int64_t> stale = stale_in(connection, panel);
  for (const PanelSeries& row : series_of(connection, panel)) {
    if (stale.contains(row.series)) continue;
    const SeriesValues& expected = values.of(row.series);
    if (stored_summary(connection, row.series) != expected.summary)
      problems.push_back(fmt::format("{}: series: row {} is not what its inspections say",
                                     connection.file().string(), row.series));
    Occasions stored;
    for (StoredOccasion& one : stored_occasions(connection, row.series)) stored.emplace(one.name, std::move(one.occasion));
    if (stored != expected.occasions)
      problems.push_back(fmt::format("{}: occasions: those of series {} are not what its inspections say",
                                     connection.file().string(), row.series));
  }
  if (!stale.empty()) return problems;  // its steps are made with it
  std::map<StepPlace, StepSummary> expected;
  for (const StepPlace& place : steps_of(connection, shared, panel))
    expected.emplace(place, step_between(values.of(place.older), values.of(place.newer)));
  if (expected != stored_steps_of(connection, panel))
    problems.push_back(fmt::format(
        "{}: steps: those of workload row {} on device row {} are not what its inspections say",
        connection.file().string(), panel.workload, panel.device));
  shared.forget_arms();
  return problems;
}

}  // namespace stackx::store
