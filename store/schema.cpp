#include "store/schema.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <sstream>

#include "store/mending/migrate_1.hpp"

namespace stackx::store {
namespace {

constexpr std::string_view first = R"sql(
CREATE TABLE hosts(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
  fingerprint TEXT NOT NULL,
  hostname TEXT NOT NULL,
  microarchitecture TEXT NOT NULL,
  cpu_model TEXT NOT NULL,
  document TEXT NOT NULL
) STRICT;
CREATE INDEX hosts_by_fingerprint ON hosts(fingerprint);

CREATE TABLE devices(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE components(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE versions(
  id INTEGER PRIMARY KEY,
  component INTEGER NOT NULL REFERENCES components(id),
  version TEXT NOT NULL,
  UNIQUE(component, version)
) STRICT;

CREATE TABLE stacks(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32)
) STRICT;

CREATE TABLE stack_versions(
  stack INTEGER NOT NULL REFERENCES stacks(id),
  version INTEGER NOT NULL REFERENCES versions(id),
  PRIMARY KEY(stack, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX stacks_by_version ON stack_versions(version);

CREATE TABLE workloads(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
  pi TEXT NOT NULL,
  params TEXT NOT NULL
) STRICT;

CREATE TABLE campaigns(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL DEFAULT '',
  created TEXT NOT NULL DEFAULT '',
  planned INTEGER NOT NULL DEFAULT 0,
  plan TEXT
) STRICT;

CREATE TABLE contexts(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
  document TEXT NOT NULL
) STRICT;

CREATE TABLE inspections(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
  campaign INTEGER REFERENCES campaigns(id),
  round INTEGER NOT NULL,
  position INTEGER NOT NULL,
  arm TEXT NOT NULL,
  sentinel INTEGER NOT NULL CHECK(sentinel IN (0, 1)),
  stack INTEGER NOT NULL REFERENCES stacks(id),
  workload INTEGER NOT NULL REFERENCES workloads(id),
  host INTEGER NOT NULL REFERENCES hosts(id),
  device INTEGER NOT NULL REFERENCES devices(id),
  context INTEGER NOT NULL REFERENCES contexts(id),
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  finished TEXT NOT NULL,
  samples BLOB NOT NULL,
  flop REAL NOT NULL,
  bytes REAL NOT NULL,
  items REAL NOT NULL,
  rest TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE(campaign, round, arm)
) STRICT;
CREATE INDEX inspections_by_workload ON inspections(workload, host);
CREATE INDEX inspections_by_stack ON inspections(stack);
)sql";

// Schema 2: inspections at 100 bytes instead of 5,000, and sums of them that questions are answered from.
// `inspections_1` is read by store/mending/migrate_1.cpp and dropped with it.
constexpr std::string_view second = R"sql(
DROP INDEX inspections_by_workload;
DROP INDEX inspections_by_stack;
ALTER TABLE inspections RENAME TO inspections_1;
ALTER TABLE devices RENAME TO devices_1;
ALTER TABLE campaigns ADD COLUMN done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;

CREATE TABLE hardware(
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  microarchitecture TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE(model, microarchitecture)
) STRICT;

CREATE TABLE devices(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  hardware INTEGER NOT NULL REFERENCES hardware(id),
  UNIQUE(name, hardware)
) STRICT;
CREATE INDEX devices_by_hardware ON devices(hardware);

CREATE TABLE series(
  id INTEGER PRIMARY KEY,
  workload INTEGER NOT NULL REFERENCES workloads(id),
  device INTEGER NOT NULL REFERENCES devices(id),
  stack INTEGER NOT NULL REFERENCES stacks(id),
  ok INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  sentinels INTEGER NOT NULL DEFAULT 0,
  unit INTEGER NOT NULL DEFAULT 0,
  median REAL,
  low REAL,
  high REAL,
  cv REAL,
  first INTEGER,
  last INTEGER,
  inspections INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL DEFAULT 0,
  UNIQUE(workload, device, stack)
) STRICT;
CREATE INDEX series_by_stack ON series(stack);

CREATE TABLE stale(series INTEGER PRIMARY KEY REFERENCES series(id)) STRICT;

CREATE TABLE failures(
  series INTEGER NOT NULL REFERENCES series(id),
  outcome TEXT NOT NULL,
  inspections INTEGER NOT NULL,
  PRIMARY KEY(series, outcome)
) STRICT, WITHOUT ROWID;

CREATE TABLE steps(
  older INTEGER NOT NULL REFERENCES series(id),
  newer INTEGER NOT NULL REFERENCES series(id),
  component INTEGER NOT NULL REFERENCES components(id),
  rounds INTEGER NOT NULL,
  slower INTEGER NOT NULL,
  faster INTEGER NOT NULL,
  ratio REAL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY(older, newer)
) STRICT, WITHOUT ROWID;
CREATE INDEX steps_by_newer ON steps(newer);

CREATE TABLE arms(
  id INTEGER PRIMARY KEY,
  campaign INTEGER NOT NULL REFERENCES campaigns(id),
  label TEXT NOT NULL,
  series INTEGER NOT NULL REFERENCES series(id),
  sentinel INTEGER NOT NULL CHECK(sentinel IN (0, 1)),
  block INTEGER NOT NULL,
  UNIQUE(campaign, label, series, sentinel, block)
) STRICT;
CREATE INDEX arms_by_series ON arms(series);

CREATE TABLE skeletons(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
  text BLOB NOT NULL
) STRICT;

CREATE TABLE templates(
  id INTEGER PRIMARY KEY,
  skeleton INTEGER NOT NULL REFERENCES skeletons(id),
  program BLOB NOT NULL,
  UNIQUE(skeleton, program)
) STRICT;

CREATE TABLE conditions(
  id INTEGER PRIMARY KEY,
  host INTEGER NOT NULL REFERENCES hosts(id),
  context INTEGER NOT NULL REFERENCES contexts(id),
  template INTEGER NOT NULL REFERENCES templates(id),
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  UNIQUE(context, host, template, outcome, reason)
) STRICT;

CREATE TABLE inspections(
  id INTEGER PRIMARY KEY,
  position INTEGER NOT NULL,
  condition INTEGER NOT NULL REFERENCES conditions(id),
  samples BLOB NOT NULL,
  rest BLOB NOT NULL,
  key INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE sources(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
  url TEXT NOT NULL,
  title TEXT NOT NULL,
  revision TEXT NOT NULL,
  date TEXT NOT NULL,
  read TEXT NOT NULL,
  license TEXT NOT NULL,
  tool TEXT NOT NULL,
  seed INTEGER NOT NULL CHECK(seed IN (0, 1))
) STRICT;

CREATE TABLE published(
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL UNIQUE,
  source INTEGER NOT NULL REFERENCES sources(id),
  hardware INTEGER NOT NULL REFERENCES hardware(id),
  devices INTEGER,
  workload INTEGER NOT NULL REFERENCES workloads(id),
  stack INTEGER NOT NULL REFERENCES stacks(id),
  metric TEXT NOT NULL,
  value REAL NOT NULL,
  statistic TEXT NOT NULL,
  runs INTEGER,
  min REAL,
  max REAL,
  stdev REAL,
  details INTEGER REFERENCES contexts(id),
  more TEXT NOT NULL
) STRICT;
CREATE INDEX published_by_workload ON published(workload, hardware);
CREATE INDEX published_by_source ON published(source);

CREATE TABLE seeds(
  name TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// Schema 3: which program measures is part of a workload, and rates that no such device reaches are not ok: sums of
// rates are made again.
constexpr std::string_view third = R"sql(
ALTER TABLE workloads ADD COLUMN program TEXT NOT NULL DEFAULT '';
CREATE INDEX workloads_by_program ON workloads(program) WHERE program <> '';
INSERT OR IGNORE INTO stale(series) SELECT id FROM series WHERE unit IN (1, 2);
)sql";

// Schema 4: occasions, and an index that says where published results belong without reading them.
constexpr std::string_view fourth = R"sql(
CREATE TABLE occasions(
  series INTEGER NOT NULL REFERENCES series(id),
  campaign INTEGER NOT NULL REFERENCES campaigns(id),
  first ANY NOT NULL,
  ok INTEGER NOT NULL,
  inspections INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY(series, campaign)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO stale(series) SELECT id FROM series;
DROP INDEX published_by_workload;
CREATE INDEX published_by_place ON published(workload, hardware, devices, metric);
)sql";

constexpr std::array all{
    Step{1, "the first schema", first},
    Step{2, "packed inspections, summaries, published results", second, migrate_1},
    Step{3, "the programs that measure", third},
    Step{4, "occasions, published results by place", fourth}};

// What one statement leaves of `objects`.
void follow(const std::string& statement, std::map<std::string, std::string>& objects) {
  std::istringstream words(statement);
  std::string verb, kind, name, change, what;
  words >> verb >> kind >> name >> change >> what;
  name = name.substr(0, name.find('('));
  if (verb == "CREATE") objects[name] = without_space(statement);
  if (verb == "DROP" || change == "RENAME") objects.erase(name);  // `convert` reads and drops what a step renames
  if (verb != "ALTER" || change != "ADD") return;
  std::string& table = objects.at(name);
  table.insert(table.rfind(')'), "," + without_space(statement.substr(statement.find("COLUMN") + 6)));
}

}  // namespace

std::span<const Step> steps() { return all; }

std::string without_space(std::string_view statement) {
  std::string result(statement);
  std::erase_if(result, [](unsigned char c) { return std::isspace(c) != 0; });
  return result;
}

std::map<std::string, std::string> objects_after(std::span<const Step> steps) {
  std::map<std::string, std::string> objects;
  for (const Step& step : steps)
    for (const auto statement : step.sql | std::views::split(';'))
      follow(std::string(statement.begin(), statement.end()), objects);
  return objects;
}

}  // namespace stackx::store
