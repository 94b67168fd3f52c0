// What the named questions (`stackx query`) read: the maintained sums of the store, as plain rows.
//
// One object is one snapshot, whatever writers do meanwhile. No question reads inspections, except
// inspections(), which reads those of one series: callers ask for it only for the rows they show.
// Filters are applied here; what the numbers mean (verdicts, intervals) is analysis' business. Sums
// that a killed bulk import left behind are not answered from: see stale().
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/result/published.hpp"
#include "store/store.hpp"

namespace stackx::store {

// Stacks that hold `name` at a version for which `holds` is true.
struct ComponentFilter {
  std::string name;
  std::function<bool(const std::string& version)> holds;
};

struct QuestionFilter {
  std::optional<specs::Workload> workload = {};  // matched by specs::Workload::matches
  std::optional<std::string> hardware = {};      // whole words, as Filter::hardware
  std::vector<ComponentFilter> components = {};  // all must hold
  std::optional<std::int64_t> since = {};        // ms since the epoch: last measured at or after
  std::optional<std::string> stack = {};         // an id, or how it begins
  WhoseResults whose = own_results;              // of series; what was published has no such program
};

enum class RateUnit : std::uint8_t { none, gflops, gigabytes, items };
const char* to_string(RateUnit unit);  // "", "GFLOP/s", "GB/s", "items/s"

// The sums of one series: one stack, one workload, one device. Numbers are rows of this store.
struct SeriesSums {
  std::int64_t row = 0, workload = 0, device = 0, stack = 0;
  std::uint64_t ok = 0, failed = 0;  // without sentinels
  RateUnit unit = RateUnit::none;
  std::optional<double> median, low, high, cv;  // of the inspections' rates; 95 % interval
  std::int64_t first = 0, last = 0;             // ms since the epoch
  std::uint64_t inspections = 0;                // all rows, sentinels too
};

// What a series did in one campaign, sentinels apart.
struct OccasionSums {
  std::string campaign, first;  // its id; the smallest `finished`, as its document writes it
  std::uint64_t ok = 0, inspections = 0;  // those with a rate; all
};

// Two series that differ in one component, at successive versions, and the rounds they share.
struct StepSums {
  std::int64_t older = 0, newer = 0;  // series
  std::int64_t component = 0;
  std::uint64_t rounds = 0, slower = 0, faster = 0;  // by more than 1 %
  double ratio = 0;                                  // median, newer / older; 0 without rounds
};

// What PIs that are not stackx's own measured: apart unless asked for.
struct ForeignResults {
  std::string program, path;  // SHA-256; where it lay
  std::uint64_t inspections = 0;
};

struct HardwareRow {
  std::int64_t row = 0;
  std::string model, microarchitecture;
  std::uint64_t devices = 0;
};
struct DeviceRow {
  std::string name;
  std::int64_t hardware = 0;
};
struct VersionRow {
  std::int64_t row = 0;
  std::string component, version;
};
struct FailureSums {
  std::int64_t series = 0;
  std::string outcome;
  std::uint64_t inspections = 0;
};
struct PublishedRow {
  std::int64_t hardware = 0, workload = 0, stack = 0;
  std::optional<std::uint64_t> devices, runs;
  std::string metric, statistic;
  double value = 0;
  std::optional<double> min, max, stdev;
  std::int64_t source = 0;
};
// Where a published result belongs: what is counted without reading the result.
struct PublishedPlace {
  std::int64_t workload = 0, hardware = 0;
  std::uint64_t devices = 0;  // 0: not stated
  std::string metric;
  auto operator<=>(const PublishedPlace&) const = default;
};
struct StackRow {
  std::string id;  // 64 hex digits
  specs::Stack stack;
};

std::string utc_text(std::int64_t ms);  // since the epoch, as RFC 3339; empty for 0

class Questions {
 public:
  // Reads only. Throws as Store::open does.
  explicit Questions(const std::filesystem::path& file);
  ~Questions();
  Questions(Questions&&) noexcept;

  // Whether a bulk import was killed before it brought the sums up to date:
  // Store::finish_summaries() does that, and nothing here may be asked before.
  bool stale() const;

  std::vector<SeriesSums> series(const QuestionFilter& filter) const;
  // Of series that `series` holds, both of them.
  std::vector<StepSums> steps(const std::vector<SeriesSums>& series) const;
  std::vector<StepSums> steps() const;  // all of stackx's own PIs
  // Of those that match but for `whose`, by program.
  std::vector<ForeignResults> foreign(const QuestionFilter& filter) const;
  std::vector<FailureSums> failures() const;
  std::vector<PublishedRow> published(const QuestionFilter& filter) const;
  // One of each result, those of one workload, hardware and number of devices beside each other.
  std::vector<PublishedPlace> published_places(const QuestionFilter& filter) const;
  std::vector<SourceRow> sources(const QuestionFilter& filter) const;  // those with results

  std::vector<HardwareRow> hardware() const;
  std::vector<VersionRow> versions() const;
  // Every (stack, version) of the store; `version` is VersionRow::row.
  void stack_versions(
      const std::function<void(std::int64_t stack, std::int64_t version)>& visit) const;

  // By their row; what does not exist is Error(environment): the store is damaged.
  const specs::Workload& workload(std::int64_t row) const;
  const DeviceRow& device(std::int64_t row) const;
  const HardwareRow& hardware(std::int64_t row) const;
  const StackRow& stack(std::int64_t row) const;  // verified against its id
  // By its id, or how that begins; throws Error(bad_input) if it is none, or several begin so.
  std::optional<StackRow> stack_named(const std::string& id_or_prefix) const;
  std::string component(std::int64_t row) const;
  specs::Source source(std::int64_t row) const;
  std::optional<SeriesSums> one_series(std::int64_t row) const;

  // The inspections of a series, verified, sentinels too, by campaign, round and position. Without
  // load and steal.
  std::vector<Measurement> inspections(const SeriesSums& series, const Yardsticks& yardsticks = {}) const;
  // In no particular order; and the inspections of one of them, as above, without sentinels.
  std::vector<OccasionSums> occasions(const SeriesSums& series) const;
  std::vector<Measurement> inspections(const SeriesSums& series, const OccasionSums& occasion,
                                       const Yardsticks& yardsticks = {}) const;
  // Of several, with load and steal: all, or a sample.
  Excerpt excerpt(const std::vector<SeriesSums>& series, const Sampling& sampling, const Yardsticks& yardsticks = {}) const;
  // Fingerprint of a host that the device was measured on; "" if it never was.
  std::string host_of(std::int64_t device) const;
  std::vector<CampaignRow> campaigns() const;  // newest first

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stackx::store
