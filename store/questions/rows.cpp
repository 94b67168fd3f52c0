// Single rows and lists: what a question shows, once it knows which.
#include <fmt/format.h>

#include <algorithm>

#include "specs/format/clock.hpp"
#include "store/packing/measurement.hpp"
#include "store/packing/prepared.hpp"
#include "store/questions/occasion.hpp"
#include "store/questions/sample.hpp"
#include "store/questions/state.hpp"

namespace stackx::store {
namespace {

std::optional<std::uint64_t> maybe_count(const Passing& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return static_cast<std::uint64_t>(row.integer(column));
}

specs::Source source_of(const Scan& scan, int from) {
  return {scan.text(from),     scan.text(from + 1), scan.text(from + 2), scan.text(from + 3),
          scan.text(from + 4), scan.text(from + 5), scan.text(from + 6)};
}

}  // namespace

std::string utc_text(std::int64_t ms) {
  if (ms == 0) return "";
  return specs::rfc3339_utc(std::chrono::system_clock::time_point(std::chrono::milliseconds(ms)));
}

const specs::Workload& Questions::workload(std::int64_t row) const {
  return state_->connection.run(
      [&]() -> const specs::Workload& { return state_->shared.workload(row).workload; });
}

const DeviceRow& Questions::device(std::int64_t row) const {
  const auto found = state_->devices.find(row);
  if (found == state_->devices.end()) state_->missing("devices", row);
  return found->second;
}

const HardwareRow& Questions::hardware(std::int64_t row) const {
  const auto found = state_->hardware.find(row);
  if (found == state_->hardware.end()) state_->missing("hardware", row);
  return found->second;
}

std::vector<HardwareRow> Questions::hardware() const {
  std::vector<HardwareRow> result;
  for (const auto& [row, one] : state_->hardware) result.push_back(one);
  std::ranges::sort(result, {}, [](const HardwareRow& one) {
    return std::tie(one.model, one.microarchitecture);
  });
  return result;
}

const StackRow& Questions::stack(std::int64_t row) const {
  if (const auto known = state_->stacks.find(row); known != state_->stacks.end())
    return known->second;
  return state_->connection.run([&]() -> const StackRow& {
    const SharedRows::StackRow& found = state_->shared.stack(row);
    return state_->stacks.emplace(row, StackRow{found.id, found.stack}).first->second;
  });
}

std::optional<StackRow> Questions::stack_named(const std::string& id_or_prefix) const {
  const auto row = state_->connection.run([&] { return state_->stack_of(id_or_prefix); });
  return row ? std::optional(stack(*row)) : std::nullopt;
}

std::string Questions::component(std::int64_t row) const {
  return state_->connection.run([&] {
    Scan scan(state_->sqlite(), "SELECT name FROM components WHERE id = ?");
    scan << row;
    if (!scan.next()) state_->missing("components", row);
    return scan.text(0);
  });
}

std::vector<PublishedRow> Questions::published(const QuestionFilter& filter) const {
  State& state = *state_;
  return state.connection.run([&] {
    const RowSet hardware = state.matching_hardware(filter);
    const std::optional<RowSet> stacks = state.matching_stacks(filter);
    const RowSet sources = state.sources_since(filter);
    std::string from = "FROM published";
    std::optional<std::string> parameter;
    if (filter.workload) {
      from += " WHERE workload IN (SELECT value FROM json_each(?))";
      parameter = list(state.matching_published(*filter.workload, *this));
    }
    std::vector<std::pair<std::int64_t, PublishedRow>> found;
    gather(state.sqlite(),
           "id, hardware, workload, stack, devices, runs, metric, statistic, value, min, max, stdev, source", from, parameter,
           [&](const Passing& row) {
             if (filter.hardware && !hardware.contains(row.integer(1))) return;
             if (stacks && !stacks->contains(row.integer(3))) return;
             if (!sources.contains(row.integer(12))) return;
             found.emplace_back(row.integer(0),
                                PublishedRow{row.integer(1), row.integer(2), row.integer(3), maybe_count(row, 4),
                                             maybe_count(row, 5), std::string(row.view(6)), std::string(row.view(7)),
                                             row.real(8), row.maybe_real(9), row.maybe_real(10), row.maybe_real(11),
                                             row.integer(12)});
           });
    std::ranges::sort(found, {}, &std::pair<std::int64_t, PublishedRow>::first);
    std::vector<PublishedRow> result;
    result.reserve(found.size());
    for (auto& [row, one] : found) result.push_back(std::move(one));
    return result;
  });
}

// A source without a date is older than any.
RowSet Questions::State::sources_since(const QuestionFilter& filter) {
  const std::string since = filter.since ? utc_text(*filter.since).substr(0, 10) : "";
  RowSet result;
  for (Scan scan(sqlite(), "SELECT id, date FROM sources"); scan.next();)
    if (scan.view(1) >= since) result.add(scan.integer(0));
  return result;
}

std::vector<PublishedPlace> Questions::published_places(const QuestionFilter& filter) const {
  State& state = *state_;
  std::vector<PublishedPlace> result;
  if (filter.since || filter.stack || !filter.components.empty()) {
    for (PublishedRow& row : published(filter))
      result.push_back({row.workload, row.hardware, row.devices.value_or(0), std::move(row.metric)});
    std::ranges::sort(result);
    return result;
  }
  return state.connection.run([&] {
    const RowSet hardware = state.matching_hardware(filter);
    std::string from = "FROM published INDEXED BY published_by_place";
    std::optional<std::string> parameter;
    if (filter.workload) {
      from += " WHERE workload IN (SELECT value FROM json_each(?))";
      parameter = list(state.matching_published(*filter.workload, *this));
    }
    gather(state.sqlite(), "workload, hardware, devices, metric", from, parameter, [&](const Passing& row) {
      if (filter.hardware && !hardware.contains(row.integer(1))) return;
      result.push_back({row.integer(0), row.integer(1), static_cast<std::uint64_t>(row.integer(2)), std::string(row.view(3))});
    });
    return result;
  });
}

std::vector<SourceRow> Questions::sources(const QuestionFilter& filter) const {
  std::map<std::int64_t, std::uint64_t> results;
  if (filter.hardware || filter.workload || filter.since || filter.stack || !filter.components.empty())
    for (const PublishedRow& row : published(filter)) ++results[row.source];
  else
    results = state_->results_by_source();
  return state_->connection.run([&] {
    std::vector<SourceRow> rows;
    Scan scan(state_->sqlite(),
              "SELECT url, title, revision, date, read, license, tool, seed, id FROM sources ORDER "
              "BY date DESC, url, revision");
    while (scan.next())
      if (const auto found = results.find(scan.integer(8)); found != results.end())
        rows.push_back({source_of(scan, 0), found->second, scan.integer(7) != 0});
    return rows;
  });
}

std::map<std::int64_t, std::uint64_t> Questions::State::results_by_source() {
  return connection.run([&] {
    std::map<std::int64_t, std::uint64_t> results;
    for (Scan scan(sqlite(), "SELECT source, count(*) FROM published INDEXED BY published_by_source GROUP BY source"); scan.next();)
      results[scan.integer(0)] = static_cast<std::uint64_t>(scan.integer(1));
    return results;
  });
}

specs::Source Questions::source(std::int64_t row) const {
  return state_->connection.run([&] {
    Scan scan(state_->sqlite(),
              "SELECT url, title, revision, date, read, license, tool FROM sources WHERE id = ?");
    scan << row;
    if (!scan.next()) state_->missing("sources", row);
    return source_of(scan, 0);
  });
}

std::vector<Measurement> Questions::State::inspections(const std::vector<std::int64_t>& arms, const Yardsticks& yardsticks) {
  std::vector<Measurement> result;
  for (const std::int64_t arm : arms) {
    Cursor cursor = connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                       " FROM inspections WHERE id BETWEEN ? AND ?");
    cursor << inspection_row(arm, 0) << inspection_row(arm, rounds_a_block - 1);
    while (cursor.next())
      result.push_back(measurement_of(read_row(connection, cursor, shared), {false, yardsticks}));
  }
  sort_measurements(result);
  return result;
}

std::vector<Measurement> Questions::inspections(const SeriesSums& series, const Yardsticks& yardsticks) const {
  State& state = *state_;
  return state.connection.run([&] {
    std::vector<std::int64_t> arms;
    {
      Cursor cursor = state.connection.prepare("SELECT id FROM arms WHERE series = ?");
      cursor << series.row;
      while (cursor.next()) arms.push_back(cursor.integer(0));
    }
    auto result = state.inspections(arms, yardsticks);
    if (result.size() != series.inspections)
      throw Connection::damaged(state.connection.file(),
                                fmt::format("series: row {} counts {} inspections, {} are there",
                                            series.row, series.inspections, result.size()));
    return result;
  });
}

std::vector<OccasionSums> Questions::occasions(const SeriesSums& series) const {
  State& state = *state_;
  return state.connection.run([&] {
    std::vector<OccasionSums> result;
    for (StoredOccasion& one : stored_occasions(state.connection, series.row)) {
      if (!one.holds) state.missing("occasions", one.campaign);
      result.push_back({std::move(one.name), std::move(one.occasion.first), static_cast<std::uint64_t>(one.occasion.ok),
                        static_cast<std::uint64_t>(one.occasion.inspections)});
    }
    return result;
  });
}

std::vector<Measurement> Questions::inspections(const SeriesSums& series, const OccasionSums& occasion,
                                                const Yardsticks& yardsticks) const {
  State& state = *state_;
  return state.connection.run([&] {
    std::vector<std::int64_t> arms;
    {
      Cursor cursor = state.connection.prepare(
          "SELECT a.id FROM campaigns c CROSS JOIN arms a ON a.campaign = c.id WHERE c.name = ? AND a.series = ? AND "
          "a.sentinel = 0");
      cursor << occasion.campaign << series.row;
      while (cursor.next()) arms.push_back(cursor.integer(0));
    }
    auto result = state.inspections(arms, yardsticks);
    if (result.size() != occasion.inspections)
      throw Connection::damaged(state.connection.file(),
                                fmt::format("occasions: {} inspections of series {} in campaign {} are counted, {} are there",
                                            occasion.inspections, series.row, occasion.campaign, result.size()));
    return result;
  });
}

Excerpt Questions::excerpt(const std::vector<SeriesSums>& series, const Sampling& sampling, const Yardsticks& yardsticks) const {
  State& state = *state_;
  return state.connection.run([&] {
    std::vector<std::int64_t> rows;
    std::uint64_t inspections = 0;
    for (const SeriesSums& one : series) {
      rows.push_back(one.row);
      inspections += one.inspections;
    }
    const auto strata = strata_of(state.connection, rows, "", sampling.seed);
    Excerpt result = drawn(state.connection, state.shared, strata, sampling, yardsticks);
    result.inspections = inspections;
    return result;
  });
}

std::string Questions::host_of(std::int64_t device) const {
  return state_->connection.run([&] {
    // Of the workload with the smallest hash that the device has.
    Scan scan(state_->sqlite(),
              "SELECT h.fingerprint FROM (SELECT id FROM workloads WHERE id IN (SELECT value FROM json_each(?)) ORDER BY hash) "
              "w CROSS JOIN series s ON s.workload = w.id AND s.device = ? CROSS JOIN arms a ON a.series = s.id CROSS JOIN "
              "inspections i ON i.id BETWEEN a.id << 12 AND (a.id << 12) | 4095 JOIN conditions c ON c.id = i.condition "
              "JOIN hosts h ON h.id = c.host LIMIT 1");
    scan << std::string_view(list(state_->measured_workloads())) << device;
    return scan.next() ? scan.text(0) : std::string();
  });
}

std::string Questions::State::program_path(std::int64_t series) {
  return connection.run([&] {
    Scan scan(sqlite(),
              "SELECT i.condition FROM arms a CROSS JOIN inspections i ON i.id BETWEEN a.id << 12 AND (a.id << 12) | "
              "4095 WHERE a.series = ? LIMIT 1");
    scan << series;
    return scan.next() ? shared.condition(scan.integer(0)).context->pi_path : std::string();
  });
}

std::vector<CampaignRow> Questions::campaigns() const {
  return state_->connection.run([&] {
    std::vector<CampaignRow> result;
    Scan scan(state_->sqlite(),
              "SELECT name, project, created, planned, done, failed FROM campaigns ORDER BY created "
              "DESC, name");
    while (scan.next())
      result.push_back({scan.text(0), scan.text(1), scan.text(2),
                        static_cast<std::uint64_t>(scan.integer(3)),
                        static_cast<std::uint64_t>(scan.integer(4)),
                        static_cast<std::uint64_t>(scan.integer(5))});
    return result;
  });
}

}  // namespace stackx::store
