// The knowledge store: one SQLite file that keeps every result (schema and reasons: FORMAT.md).
//
// Readers are never blocked (WAL); a writer waits for another one; every document is one
// transaction, so a crash at any moment leaves whole documents only. Ingesting a document twice
// changes nothing. What comes out was verified: documents by their id, measurements by a checksum;
// a damaged file gives an Error, never wrong numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "specs/project/plan.hpp"
#include "specs/result/inspection.hpp"
#include "specs/result/published.hpp"
#include "specs/result/yardstick.hpp"

namespace stackx::store {

enum class Mode { read_write, read_only };
enum class Ingest { inserted, already_there };

struct CampaignRow {
  std::string id, project, created;
  std::uint64_t planned = 0, done = 0, failed = 0;
};

// A start of a block of a campaign on a cluster (specs::BlockOf): a campaign of its own.
struct BlockRow {
  std::string campaign, target, attempt, created;
  std::uint64_t block = 0;
  std::uint64_t rounds = 0, planned = 0, done = 0, failed = 0;  // rounds of its plan; inspections
};

// What analysis needs of an inspection.
struct Measurement {
  std::int64_t row = 0;    // where it stands in this store
  std::string inspection;  // the first 16 digits of its id
  std::string campaign, arm;
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
  std::map<std::string, double> amounts;  // by the words of the yardsticks that were asked for, where it has them
  std::optional<double> idle_share;  // taken off its energy, where amounts have that; absent: idle draw is in it
  std::optional<specs::DeviceMemorySource> device_memory_source, nvml_memory_source;  // of these amounts, where they were asked for
  std::optional<specs::Check> check;      // where an amount of it was asked for (Yardstick::is_of_the_check)
  double load_1m = 0;
  std::optional<double> steal;
  std::string pi_path;  // of the PI that measured, where it is not stackx's own (workload.program: its SHA-256)
  std::string mini_batch;  // operations a sample, as the PI said; "": it did not
};

// What became of the documents of a stream.
struct Intake {
  std::uint64_t inserted = 0, already_there = 0, refused = 0;
  std::vector<std::string> reasons;  // of the first thousand that were refused, a line each: where it stood, and why

  void refuse(const std::string& why);
  Intake& operator+=(const Intake& other);
};

// What became of one document.
struct Fate {
  enum class Kind { inserted, already_there, refused };
  Kind kind = Kind::refused;
  std::string why = {};  // it was refused
};

struct PublishedFilter {
  std::optional<specs::Workload> workload = {};  // matched by specs::Workload::matches
  std::optional<std::string> hardware = {};      // whole words, as Filter::hardware
  // Of hardware of which this says so, rows come without ids and unverified, in half the time: for thousands of which none
  // is shown. Empty: all are sealed.
  std::function<bool(const std::string& hardware)> unsealed = {};
  // Where words of its name do not say which hardware is meant: asked once for each name, before any row is read.
  std::function<bool(const std::string& hardware)> on = {};
};

struct SourceRow {
  specs::Source source;
  std::uint64_t results = 0;
  bool seed = false;  // came with stackx
};

// A file of evidence that comes with stackx: what one source has of one workload family.
struct Seed {
  std::string family, source;  // "matmul", "deepbench"
  std::uint64_t bytes = 0;     // says which edition of the file it is

  std::string name() const { return family + "/" + source; }
};

// Whose results: "": those of stackx's own PIs; else those of the program with this SHA-256, or how it begins; none:
// all. What a program that is not stackx's own reports is its word alone, and stands beside ours only where it is asked for.
using WhoseResults = std::optional<std::string>;
inline const WhoseResults own_results = "", all_results = std::nullopt;
bool is_of(const specs::Workload& workload, const WhoseResults& whose);

using Yardsticks = std::vector<specs::Yardstick>;

struct Filter {
  std::optional<specs::Workload> workload = {};  // matched by specs::Workload::matches
  std::optional<std::string> host = {};          // fingerprint
  std::optional<std::string> hardware =
      {};  // whole words of a microarchitecture, CPU or GPU model: "v100"
  std::optional<std::string> campaign = {};  // an id, or how it begins
  WhoseResults whose = own_results;
  Yardsticks yardsticks = {};  // what inspections are compared by, besides their rates
};

// How much an answer reads. Up to `most` inspections all of them; beyond, a seeded sample
// (store/questions/sample.hpp): as many of each stack's as make `most`, but `least` to `each`.
struct Sampling {
  std::uint64_t most = 5000, least = 20, each = 500, seed = 1;
};

struct Excerpt {
  std::vector<Measurement> measurements;  // by campaign, round and position
  std::uint64_t inspections = 0;          // of these; where some are missing within campaigns, fewer
  std::optional<Sampling> sampling;       // none: all were read; `each` as it came to be
  std::uint64_t looked_at = 0;            // rows, for a sample
};

enum class Thoroughness { everything, quick };
using CheckProgress = std::function<void(std::uint64_t documents, std::uint64_t of)>;

class Store {
 public:
  static Store open(const std::filesystem::path& file, Mode mode = Mode::read_write);
  // To read, for who opens it to write next: nothing where that will settle why it can't be read, or say so (no file; its
  // maker was killed before there was a schema; an older schema; damage).
  static std::optional<Store> open_if_readable(const std::filesystem::path& file);
  ~Store();
  Store(Store&&) noexcept;

  const std::filesystem::path& file() const;
  // Nobody removed or replaced the file since it was opened: what is stored and read is still that of who opens it next.
  bool is_in_place() const;

  // Both verify the id. A second, different document for one (campaign, round, arm) is refused:
  // Error(bad_input).
  Ingest ingest(const specs::Inspection& inspection);
  Ingest ingest(const specs::Plan& plan);

  std::optional<specs::Plan> plan(
      const std::string& id_or_prefix) const;  // throws Error if a prefix is ambiguous
  std::vector<CampaignRow> campaigns() const;  // newest first
  std::vector<BlockRow> blocks(const std::string& cluster) const;  // all starts of it, oldest first
  std::set<std::pair<std::uint64_t, std::string>> done(
      const std::string& campaign) const;  // (round, arm)

  // Documents of JSON Lines (plans, inspections, published results), at the speed of the disk: read
  // ahead, verified beside the writer, many to a transaction. `next` gives the next line, false at
  // the end. A bad document is refused, named by `name` and line, and the rest goes on; a crash
  // loses what was not committed, and the same stream again completes it.
  Intake take_in(const std::function<bool(std::string& line)>& next, const std::string& name,
                 const std::function<void(std::uint64_t lines)>& progress = {});

  // The same of documents that came at once, a thousand at most: what became of each, in their order. Their inspections share
  // one transaction, and the sums are part of it. `place` of each is for messages.
  struct Arrived {
    std::string_view text, place;
  };
  std::vector<Fate> take_in(std::span<const Arrived> documents);

  // What is committed outlives a power failure, too, and not only this process. Each transaction waits for the disk then.
  void sync_every_commit();

  std::vector<Measurement> measurements(const Filter& filter) const;
  Excerpt excerpt(const Filter& filter, const Sampling& sampling) const;  // in bounded time
  std::optional<specs::Inspection> inspection(
      const std::string& id_or_prefix) const;  // reads all keys; throws as plan() does
  specs::Inspection inspection(const Measurement& measurement) const;
  // The ids of the inspections of a campaign (its id, or how it begins; "": those of none), by
  // their first 16 digits.
  std::set<std::string> keys(const std::string& campaign) const;
  // Canonical documents of a campaign, its plan first, then in the order they ran; "": singles.
  void documents(const std::string& campaign,
                 const std::function<void(const std::string& document)>& visit) const;

  Ingest ingest(const specs::Published& published);
  std::vector<specs::Published> published(const PublishedFilter& filter) const;
  std::vector<SourceRow> sources() const;
  // Evidence that comes with stackx, taken in once an edition, all or nothing: the rows that `next`
  // gives, sealed, in portions until an empty one, replace what an older edition had. Gives how many
  // were not there.
  bool has_seed(const Seed& seed) const;
  std::size_t take_in_seed(const Seed& seed, const std::function<std::vector<specs::Published>()>& next);

  // Sums of what was measured are part of every transaction that adds few documents; after many they
  // are marked stale and made here, which take_in does at its end. Questions never see a stale one. `progress`: panels
  // (one workload on one device) done, of all; in a store that an older stackx left, that is everything.
  void finish_summaries(const std::function<void(std::size_t done, std::size_t all)>& progress = {});

  // Reads everything: SQLite's own integrity check, every id, hash, checksum and sum; quick: the
  // file, shared rows, counts and every 64th document. One line a problem; empty is sound.
  // `progress` comes from several threads, in turn.
  std::vector<std::string> check(Thoroughness thoroughness = Thoroughness::everything,
                                 const CheckProgress& progress = {}) const;

  struct Database;

 private:
  void take_in(Intake& intake, const std::function<bool(std::string& line)>& next, const std::string& name,
               const std::function<void(std::uint64_t lines)>& progress);
  explicit Store(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

// `--db`, else $STACKX_DB, else $XDG_DATA_HOME/stackx/stackx.db (XDG default: ~/.local/share).
std::filesystem::path default_path(const std::string& option);

}  // namespace stackx::store
