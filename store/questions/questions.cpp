#include "store/questions/questions.hpp"

#include <fmt/format.h>

#include <map>

#include "specs/hardware/name.hpp"

#include "store/questions/state.hpp"
#include "store/questions/summary.hpp"

namespace stackx::store {
namespace {

[[noreturn]] void damaged_row(const std::filesystem::path& file, const char* table,
                              std::int64_t row) {
  throw Connection::damaged(file, fmt::format("{}: row {} is changed", table, row));
}

constexpr std::string_view series_columns =
    "id, workload, device, stack, ok, failed, unit, median, low, high, cv, first, last, sentinels, "
    "inspections, checksum";

template <typename Row>
bool holds(const Row& scan, const SeriesSums& s) {
  Summary summary;
  summary.ok = scan.integer(4);
  summary.failed = scan.integer(5);
  summary.unit = static_cast<Unit>(scan.integer(6));
  summary.median = s.median;
  summary.low = s.low;
  summary.high = s.high;
  summary.cv = s.cv;
  summary.first = s.first;
  summary.last = s.last;
  summary.sentinels = scan.integer(13);
  summary.inspections = scan.integer(14);
  return checksum_of({s.row, s.workload, s.device, s.stack}, summary) == scan.integer(15);
}

// Throws where the row is not what it was written as.
template <typename Row>
SeriesSums series_of(const Row& scan, const std::filesystem::path& file) {
  SeriesSums s;
  s.row = scan.integer(0);
  s.workload = scan.integer(1);
  s.device = scan.integer(2);
  s.stack = scan.integer(3);
  s.ok = static_cast<std::uint64_t>(scan.integer(4));
  s.failed = static_cast<std::uint64_t>(scan.integer(5));
  const std::int64_t unit = scan.integer(6);
  s.unit = unit >= 1 && unit <= 3 ? static_cast<RateUnit>(unit) : RateUnit::none;
  s.median = scan.maybe_real(7);
  s.low = scan.maybe_real(8);
  s.high = scan.maybe_real(9);
  s.cv = scan.maybe_real(10);
  s.first = scan.integer(11);
  s.last = scan.integer(12);
  s.inspections = static_cast<std::uint64_t>(scan.integer(14));
  if (!holds(scan, s)) damaged_row(file, "series", s.row);
  return s;
}

std::string hex_bytes(const std::string& prefix, char fill) {
  return bytes_of(prefix + std::string(64 - prefix.size(), fill));
}

}  // namespace

std::string list(const std::vector<std::int64_t>& rows) { return fmt::format("[{}]", fmt::join(rows, ",")); }

const char* to_string(RateUnit unit) {
  switch (unit) {
    case RateUnit::none:
      return "";
    case RateUnit::gflops:
      return "GFLOP/s";
    case RateUnit::gigabytes:
      return "GB/s";
    case RateUnit::items:
      return "items/s";
  }
  return "";
}

void Questions::State::missing(const char* table, std::int64_t row) const {
  throw Connection::damaged(connection.file(),
                            fmt::format("{}: row {} is missing or changed", table, row));
}

std::vector<std::int64_t> Questions::State::rows(std::string_view sql) {
  std::vector<std::int64_t> result;
  for (Scan scan(sqlite(), sql); scan.next();) result.push_back(scan.integer(0));
  return result;
}

void Questions::State::read_hardware() {
  for (Scan scan(sqlite(),
                 "SELECT id, model, microarchitecture, (SELECT count(*) FROM devices d WHERE "
                 "d.hardware = h.id), checksum FROM hardware h");
       scan.next();) {
    if (hardware_checksum(scan.view(1), scan.view(2)) != scan.integer(4))
      missing("hardware", scan.integer(0));
    hardware[scan.integer(0)] = {scan.integer(0), scan.text(1), scan.text(2),
                                 static_cast<std::uint64_t>(scan.integer(3))};
  }
  for (Scan scan(sqlite(), "SELECT id, name, hardware FROM devices"); scan.next();)
    devices[scan.integer(0)] = {scan.text(1), scan.integer(2)};
}

std::vector<std::int64_t> Questions::State::measured_workloads() {
  return rows("WITH RECURSIVE measured(id) AS (SELECT min(workload) FROM series UNION ALL SELECT (SELECT min(workload) "
              "FROM series WHERE workload > measured.id) FROM measured WHERE measured.id IS NOT NULL) "
              "SELECT id FROM measured WHERE id IS NOT NULL");
}

std::vector<std::int64_t> Questions::State::matching_measured(const QuestionFilter& filter, const Questions& questions) {
  std::vector<std::int64_t> result = measured_workloads();
  std::erase_if(result, [&](std::int64_t row) {
    const specs::Workload& workload = questions.workload(row);
    return !is_of(workload, filter.whose) || (filter.workload && !filter.workload->matches(workload));
  });
  return result;
}

std::vector<std::int64_t> Questions::State::matching_published(const specs::Workload& workload, const Questions& questions) {
  std::vector<std::int64_t> result;
  Scan scan(sqlite(), "SELECT id FROM workloads w WHERE pi = ? AND EXISTS (SELECT 1 FROM published p WHERE p.workload = w.id)");
  scan << std::string_view(workload.pi);
  while (scan.next())
    if (workload.matches(questions.workload(scan.integer(0)))) result.push_back(scan.integer(0));
  return result;
}

bool Questions::State::has_foreign() {
  return Scan(sqlite(), "SELECT 1 FROM workloads WHERE program <> '' LIMIT 1").next();
}

RowSet Questions::State::matching_hardware(const QuestionFilter& filter) const {
  RowSet result;
  const specs::WantedHardware named(filter.hardware.value_or(""));
  for (const auto& [row, one] : hardware)
    if (!filter.hardware || named.is_named_by(one.model) || named.is_named_by(one.microarchitecture)) result.add(row);
  return result;
}

// The stack that `prefix` begins; none if there is none.
std::optional<std::int64_t> Questions::State::stack_of(const std::string& prefix) {
  if (prefix.empty() || prefix.size() > 64 ||
      prefix.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw bad_input(fmt::format(
        "\"{}\" is no stack id: expected up to 64 lower-case hex digits", prefix));
  Scan scan(sqlite(), "SELECT id, hash FROM stacks WHERE hash BETWEEN ? AND ? LIMIT 2");
  scan.bind_blob(hex_bytes(prefix, '0'));
  scan.bind_blob(hex_bytes(prefix, 'f'));
  if (!scan.next()) return std::nullopt;
  const std::int64_t row = scan.integer(0);
  const std::string first = hex_of(scan.view(1));
  if (scan.next())
    throw bad_input(fmt::format("stack \"{}\" is ambiguous: {} and {} begin so; give more digits",
                                prefix, first, hex_of(scan.view(1))));
  return row;
}

std::optional<RowSet> Questions::State::matching_stacks(const QuestionFilter& filter) {
  std::optional<RowSet> result;
  const auto keep = [&](RowSet set) {
    result = result ? RowSet::both(*result, set) : std::move(set);
  };
  if (filter.stack) {
    RowSet one;
    if (const auto row = stack_of(*filter.stack)) one.add(*row);
    keep(std::move(one));
  }
  for (const ComponentFilter& component : filter.components) {
    std::vector<std::int64_t> versions;
    Scan named(sqlite(), "SELECT v.id, v.version FROM components c JOIN versions v ON v.component = "
                         "c.id WHERE c.name = ?");
    named << component.name;
    while (named.next())
      if (component.holds(named.text(1))) versions.push_back(named.integer(0));
    RowSet set;
    Scan scan(sqlite(), "SELECT stack FROM stack_versions WHERE version IN (SELECT value FROM "
                        "json_each(?))");
    scan << list(versions);
    while (scan.next()) set.add(scan.integer(0));
    keep(std::move(set));
  }
  return result;
}

Questions::Questions(const std::filesystem::path& file) {
  try {
    state_ = std::make_unique<State>(file);
    state_->read_hardware();
  } catch (const SQLite::Exception& error) {
    Connection::raise(file, error);
  }
}
Questions::~Questions() = default;
Questions::Questions(Questions&&) noexcept = default;

bool Questions::stale() const {
  return state_->connection.run(
      [&] { return Scan(state_->sqlite(), "SELECT 1 FROM stale LIMIT 1").next(); });
}

std::vector<SeriesSums> Questions::series(const QuestionFilter& filter) const {
  State& state = *state_;
  return state.connection.run([&] {
    const RowSet hardware = state.matching_hardware(filter);
    const std::optional<RowSet> stacks = state.matching_stacks(filter);
    std::string from = "FROM series";
    std::optional<std::string> parameter;
    if (filter.stack) {
      from += " WHERE stack = CAST(? AS INTEGER)";
      parameter = std::to_string(state.stack_of(*filter.stack).value_or(-1));
    } else if (filter.workload || (filter.whose && (!filter.whose->empty() || state.has_foreign()))) {
      from += " WHERE workload IN (SELECT value FROM json_each(?))";
      parameter = list(state.matching_measured(filter, *this));
    }
    std::vector<SeriesSums> result;
    if (!parameter)
      result.reserve(static_cast<std::size_t>(state.rows("SELECT coalesce(max(id), 0) FROM series")[0]));
    RowSet devices;
    for (const auto& [row, one] : state.devices)
      if (hardware.contains(one.hardware)) devices.add(row);
    gather(state.sqlite(), series_columns, from, parameter, [&](const Passing& row) {
      if (!devices.contains(row.integer(2))) return;
      if (stacks && !stacks->contains(row.integer(3))) return;
      if (filter.since && row.integer(12) < *filter.since) return;
      if (filter.stack && !is_of(workload(row.integer(1)), filter.whose)) return;
      if (filter.stack && filter.workload && !filter.workload->matches(workload(row.integer(1))))
        return;
      result.push_back(series_of(row, state.connection.file()));
    });
    return result;
  });
}

std::optional<SeriesSums> Questions::one_series(std::int64_t row) const {
  return state_->connection.run([&]() -> std::optional<SeriesSums> {
    Scan scan(state_->sqlite(), fmt::format("SELECT {} FROM series WHERE id = ?", series_columns));
    scan << row;
    return scan.next() ? std::optional(series_of(scan, state_->connection.file())) : std::nullopt;
  });
}

std::vector<StepSums> Questions::State::steps(const RowSet* asked) {
  return connection.run([&] {
    std::vector<StepSums> result;
    gather(sqlite(), "older, newer, component, rounds, slower, faster, ratio, checksum",
           "FROM steps", std::nullopt, [&](const Passing& row) {
             const StepSummary step{row.integer(3), row.integer(4), row.integer(5),
                                    row.maybe_real(6)};
             if (checksum_of(row.integer(0), row.integer(1), row.integer(2), step) !=
                 row.integer(7))
               damaged_row(connection.file(), "steps", row.integer(0));
             if (asked && (!asked->contains(row.integer(0)) || !asked->contains(row.integer(1))))
               return;
             result.push_back({row.integer(0), row.integer(1), row.integer(2),
                               static_cast<std::uint64_t>(row.integer(3)),
                               static_cast<std::uint64_t>(row.integer(4)),
                               static_cast<std::uint64_t>(row.integer(5)), row.real(6)});
           });
    return result;
  });
}

std::vector<StepSums> Questions::steps(const std::vector<SeriesSums>& series) const {
  RowSet asked;
  for (const SeriesSums& one : series) asked.add(one.row);
  return state_->steps(&asked);
}

std::vector<StepSums> Questions::steps() const {
  const bool foreign = state_->connection.run([&] { return state_->has_foreign(); });
  return foreign ? steps(series({})) : state_->steps(nullptr);
}

std::vector<ForeignResults> Questions::foreign(const QuestionFilter& filter) const {
  if (!state_->connection.run([&] { return state_->has_foreign(); })) return {};
  QuestionFilter all = filter;
  all.whose = all_results;
  std::map<std::string, ForeignResults> programs;
  for (const SeriesSums& one : series(all)) {
    const std::string& program = workload(one.workload).program;
    if (program.empty() || one.inspections == 0) continue;
    ForeignResults& found = programs[program];
    found.inspections += one.inspections;
    if (!found.program.empty()) continue;
    found.program = program;
    found.path = state_->program_path(one.row);
  }
  std::vector<ForeignResults> result;
  for (auto& [program, found] : programs) result.push_back(std::move(found));
  return result;
}

std::vector<FailureSums> Questions::failures() const {
  return state_->connection.run([&] {
    std::vector<FailureSums> result;
    for (Scan scan(state_->sqlite(), "SELECT series, outcome, inspections FROM failures");
         scan.next();)
      result.push_back(
          {scan.integer(0), scan.text(1), static_cast<std::uint64_t>(scan.integer(2))});
    return result;
  });
}

std::vector<VersionRow> Questions::versions() const {
  return state_->connection.run([&] {
    std::vector<VersionRow> result;
    for (Scan scan(state_->sqlite(), "SELECT v.id, c.name, v.version FROM versions v JOIN "
                                     "components c ON c.id = v.component ORDER BY v.id");
         scan.next();)
      result.push_back({scan.integer(0), scan.text(1), scan.text(2)});
    return result;
  });
}

void Questions::stack_versions(
    const std::function<void(std::int64_t stack, std::int64_t version)>& visit) const {
  state_->connection.run([&] {
    gather(state_->sqlite(), "stack, version", "FROM stack_versions", std::nullopt,
           [&](const Passing& row) { visit(row.integer(0), row.integer(1)); });
  });
}

}  // namespace stackx::store
