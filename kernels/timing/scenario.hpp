// MLPerf's four scenarios of inference, after LoadGen's rules (loadgen/, MLPerf inference rules):
//
//   single_stream  a query of one sample as soon as the last is answered; 90th percentile latency
//   multi_stream   the same with 8 samples a query; 99th percentile latency
//   server         queries arrive by a Poisson process, whether or not the last is answered, and
//                  queue; the largest rate whose 99th percentile latency holds a bound; queries/s
//   offline        all samples at once; samples/s
//
// A call of the operation answers a sample, or as many as it has items (images of a batch): then
// offline counts those, and a query of the others is one call (or samples_per_query calls). The
// metrics are those of importers/mlperf_loadgen.
//
// Latency counts from the moment a query was due to the end of its call: queueing is in it. Counted
// from the issue it would hide exactly the queries that had to wait (coordinated omission).
// There is one server and its queue: first come, first served, as with a synchronous system under
// LoadGen.
//
// Queries: at least min_queries and until one is issued at min_duration. A query is answered before
// the next is looked at, so nothing is outstanding at the end. LoadGen's own rule is 600 s and
// early stopping; ours are 0.3 s and early stopping, for an inspection of seconds.
//
// A rate holds if the percentile is within the bound, early stopping proves it (latency.hpp), and
// the server was busy less than the schedule lasts (rate * mean service time <= 1). The last is not
// LoadGen's: a short test can end before the queue of an overloaded server reaches the bound. A
// trial stops once so many queries are late that it cannot hold.
//
// "scenario" of the PI document:
//   {"name", "metric", "value", "unit", "queries", "percentile": 90, "latency_ns": {"50", "90",
//    "95", "97", "99", "99.9"}, "latency_min_ns", "latency_mean_ns", "latency_max_ns",
//    "early_stopping_ns": the percentile's upper bound at 99% confidence, "min_queries",
//    "min_duration_ns", "samples_per_query"; server: "bound_ns", "schedule_seed", "rate": asked
//    for, "trials": [{"rate", "queries", "late", "percentile_ns", "utilisation", "holds"}] in the
//    order tried; offline: no latencies, "samples_per_query" is the batch}
// The value of the server is the rate of the schedule as it fell out, as LoadGen's "scheduled
// samples per second": (queries - 1) / last arrival. Short schedules miss the rate asked for.
// samples_ns: latency of each query (above kMostSamples: every k-th); server: the time per query
// at the rate found; offline: each repetition of the whole batch. work.items / sample is a rate in
// items/s: for offline the metric, for server (1 item) too. flop is left out: a load has none a
// second.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/parameters.hpp"
#include "kernels/phases.hpp"

namespace stackx::kernels {

enum class ScenarioKind { single_stream, multi_stream, server, offline };

struct ScenarioPlan {
  ScenarioKind kind = ScenarioKind::single_stream;
  double fraction = .90;  // the percentile, 0.9 for the 90th
  std::size_t samples_per_query = 1;
  double items_per_call = 1;
  std::size_t min_queries = 64;
  std::int64_t min_duration_ns = 300'000'000;
  std::int64_t bound_ns = 15'000'000;
  double target_rate = 0;  // server: try this rate only; 0: search
  double precision = .02;
  std::uint64_t schedule_seed = 1;
  std::uint64_t repetitions = 20;  // offline
  std::int64_t warm_up_ns = 100'000'000;
  std::int64_t max_ns = 0;  // 0: no limit. Past it no further query, repetition or trial starts.
};

struct Trial {
  double rate = 0;       // asked for
  double scheduled = 0;  // that the schedule has
  std::size_t queries = 0, late = 0;
  std::int64_t percentile_ns = 0;  // of those run
  double utilisation = 0;
  bool holds = false;
};

struct Scenario {
  ScenarioPlan plan;
  double value = 0;                        // ms for the streams, 1/s for the others
  std::vector<std::int64_t> latencies_ns;  // of all queries, sorted; none: offline
  std::vector<std::int64_t> samples_ns;
  std::size_t calls = 1;                   // in a query
  double items = 1;                        // of one of samples_ns
  std::vector<Trial> trials;               // server
  std::optional<Trial> held;               // server: the trial that the latencies are of
  bool stopped_early = false;              // max_ns came before the rules were met
  std::optional<std::string> unsupported;  // no rate holds the bound
};

inline constexpr std::size_t kMostSamples = 10'000;

// The parameters that say which scenario and how; none in `own` may be called the same.
std::vector<Parameter> with_scenario_parameters(std::vector<Parameter> own);
// None for scenario=none. Needs the parameters of with_plan_parameters(), too.
std::optional<ScenarioPlan> scenario_plan_from(const Parameters& parameters);

// `query` answers a query of so many samples and returns when it is done.
Scenario run_scenario(const std::function<void(std::size_t samples)>& query,
                      const ScenarioPlan& plan, const Clock& clock, std::vector<Phase>& phases);

nlohmann::json json_of(const Scenario& scenario);

}  // namespace stackx::kernels
