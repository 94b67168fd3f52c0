#include "store/schema.hpp"

#include <array>

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

constexpr std::array all{Step{1, "the first schema", first}};

}  // namespace

std::span<const Step> steps() { return all; }

}  // namespace stackx::store
