// The knowledge store: one SQLite file that keeps every result (schema and reasons: FORMAT.md).
//
// Readers are never blocked (WAL); a writer waits for another one; every document is one
// transaction, so a crash at any moment leaves whole documents only. Ingesting a document twice
// changes nothing. What comes out was verified: documents by their id, measurements by a checksum;
// a damaged file gives an Error, never wrong numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "specs/inspection.hpp"
#include "specs/plan.hpp"

namespace stackx::store {

enum class Mode { read_write, read_only };
enum class Ingest { inserted, already_there };

struct CampaignRow {
  std::string id, project, created;
  std::uint64_t planned = 0, done = 0, failed = 0;
};

// What analysis needs of an inspection.
struct Measurement {
  std::string inspection, campaign, arm;
  std::uint64_t round = 0, position = 0;
  bool sentinel = false;
  specs::Stack stack;
  specs::Workload workload;
  std::string host;  // fingerprint
  std::string hostname, microarchitecture, cpu_model;
  std::string device;
  specs::Outcome outcome = specs::Outcome::ok;
  std::string reason;
  std::string finished;
  std::vector<std::int64_t> samples_ns;
  specs::Work work;  // of one sample
};

struct Filter {
  std::optional<specs::Workload> workload = {};  // matched by specs::Workload::matches
  std::optional<std::string> host = {};          // fingerprint
  std::optional<std::string> hardware =
      {};  // whole words of a microarchitecture, CPU or GPU model: "v100"
  std::optional<std::string> campaign = {};  // an id, or how it begins
};

class Store {
 public:
  static Store open(const std::filesystem::path& file, Mode mode = Mode::read_write);
  ~Store();
  Store(Store&&) noexcept;

  // Both verify the id. A second, different document for one (campaign, round, arm) is refused:
  // Error(bad_input).
  Ingest ingest(const specs::Inspection& inspection);
  Ingest ingest(const specs::Plan& plan);

  std::optional<specs::Plan> plan(
      const std::string& id_or_prefix) const;  // throws Error if a prefix is ambiguous
  std::vector<CampaignRow> campaigns() const;  // newest first
  std::set<std::pair<std::uint64_t, std::string>> done(
      const std::string& campaign) const;  // (round, arm)

  std::vector<Measurement> measurements(const Filter& filter) const;
  std::optional<specs::Inspection> inspection(
      const std::string& id_or_prefix) const;  // throws as plan() does
  bool has(const std::string& inspection_id) const;
  std::vector<std::string> inspection_ids(
      const std::string& campaign) const;  // in the order they ran; "": singles

  // Reads everything: SQLite's own integrity check, every id, hash and checksum. One line a
  // problem; empty is sound.
  std::vector<std::string> check() const;

 private:
  struct Database;
  explicit Store(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

// `--db`, else $STACKX_DB, else $XDG_DATA_HOME/stackx/stackx.db (XDG default: ~/.local/share).
std::filesystem::path default_path(const std::string& option);

}  // namespace stackx::store
