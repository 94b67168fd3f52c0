// Single rows and lists: what a question shows, once it knows which.
#include <fmt/format.h>

#include <algorithm>

#include "specs/format/clock.hpp"
#include "store/packing/measurement.hpp"
#include "store/packing/prepared.hpp"
#include "store/questions/sample.hpp"
#include "store/questions/state.hpp"

namespace stackx::store {
namespace {

std::optional<std::uint64_t> maybe_count(const Scan& scan, int column) {
  if (scan.is_null(column)) return std::nullopt;
  return static_cast<std::uint64_t>(scan.integer(column));
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
    RowSet workloads;
    if (filter.workload)
      for (const std::int64_t row : state.matching_workloads(filter, *this, State::Known::published)) workloads.add(row);
    const std::string since = filter.since ? utc_text(*filter.since).substr(0, 10) : "";
    std::vector<PublishedRow> result;
    Scan scan(state.sqlite(),
              "SELECT p.hardware, p.workload, p.stack, p.devices, p.runs, p.metric, p.statistic, "
              "p.value, p.min, p.max, p.stdev, p.source, s.date FROM published p JOIN sources s ON "
              "s.id = p.source");
    while (scan.next()) {
      if (filter.hardware && !hardware.contains(scan.integer(0))) continue;
      if (filter.workload && !workloads.contains(scan.integer(1))) continue;
      if (stacks && !stacks->contains(scan.integer(2))) continue;
      if (scan.text(12) < since) continue;  // a source without a date is older than any
      result.push_back({scan.integer(0), scan.integer(1), scan.integer(2), maybe_count(scan, 3),
                        maybe_count(scan, 4), scan.text(5), scan.text(6), scan.real(7),
                        scan.maybe_real(8), scan.maybe_real(9), scan.maybe_real(10),
                        scan.integer(11)});
    }
    return result;
  });
}

std::vector<SourceRow> Questions::sources(const QuestionFilter& filter) const {
  std::map<std::int64_t, std::uint64_t> results;
  for (const PublishedRow& row : published(filter)) ++results[row.source];
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

specs::Source Questions::source(std::int64_t row) const {
  return state_->connection.run([&] {
    Scan scan(state_->sqlite(),
              "SELECT url, title, revision, date, read, license, tool FROM sources WHERE id = ?");
    scan << row;
    if (!scan.next()) state_->missing("sources", row);
    return source_of(scan, 0);
  });
}

std::vector<Measurement> Questions::inspections(const SeriesSums& series) const {
  State& state = *state_;
  return state.connection.run([&] {
    std::vector<std::int64_t> arms;
    {
      Cursor cursor = state.connection.prepare("SELECT id FROM arms WHERE series = ?");
      cursor << series.row;
      while (cursor.next()) arms.push_back(cursor.integer(0));
    }
    std::vector<Measurement> result;
    for (const std::int64_t arm : arms) {
      Cursor cursor = state.connection.prepare("SELECT " STACKX_INSPECTION_COLUMNS
                                               " FROM inspections WHERE id BETWEEN ? AND ?");
      cursor << inspection_row(arm, 0) << inspection_row(arm, rounds_a_block - 1);
      while (cursor.next())
        result.push_back(measurement_of(read_row(state.connection, cursor, state.shared),
                                       Conditions::left_out));
    }
    if (result.size() != series.inspections)
      throw Connection::damaged(state.connection.file(),
                                fmt::format("series: row {} counts {} inspections, {} are there",
                                            series.row, series.inspections, result.size()));
    sort_measurements(result);
    return result;
  });
}

Excerpt Questions::excerpt(const std::vector<SeriesSums>& series, const Sampling& sampling) const {
  State& state = *state_;
  return state.connection.run([&] {
    std::vector<std::int64_t> rows;
    std::uint64_t inspections = 0;
    for (const SeriesSums& one : series) {
      rows.push_back(one.row);
      inspections += one.inspections;
    }
    const auto strata = strata_of(state.connection, rows, "", sampling.seed);
    Excerpt result = drawn(state.connection, state.shared, strata, sampling);
    result.inspections = inspections;
    return result;
  });
}

std::string Questions::host_of(std::int64_t device) const {
  return state_->connection.run([&] {
    Scan scan(state_->sqlite(),
              "SELECT h.fingerprint FROM workloads w CROSS JOIN series s ON s.workload = w.id AND "
              "s.device = ? CROSS JOIN arms a ON a.series = s.id CROSS JOIN inspections i ON i.id "
              "BETWEEN a.id << 12 AND (a.id << 12) | 4095 JOIN conditions c ON c.id = i.condition "
              "JOIN hosts h ON h.id = c.host LIMIT 1");
    scan << device;
    return scan.next() ? scan.text(0) : std::string();
  });
}

std::string Questions::State::program_path(std::int64_t series) {
  return connection.run([&] {
    Scan scan(sqlite(),
              "SELECT i.condition FROM arms a CROSS JOIN inspections i ON i.id BETWEEN a.id << 12 AND (a.id << 12) | "
              "4095 WHERE a.series = ? LIMIT 1");
    scan << series;
    return scan.next() ? shared.condition(scan.integer(0)).pi_path : std::string();
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
