// MLPerf LoadGen: mlperf_log_summary.txt and mlperf_log_detail.txt, one or a tree of them
// ([.../]results/SYSTEM/BENCHMARK/SCENARIO/performance/run_N/...; systems/SYSTEM.json is read too).
//
//   SingleStream  latency_ms   the stated percentile (p90)
//   MultiStream   streams (samples per query, until v1.1), then latency_ms (p99)
//   Server        queries_per_s, scheduled or completed, whichever is the result there
//   Offline       samples_per_s
//   and tokens_per_s where tokens are counted
// Runs that LoadGen calls INVALID broke a rule (too short, too slow): they are remarked, never kept,
// as are accuracy runs. A file alone does not say which model ran: the workload is then
// "mlperf-loadgen" with the name of the system under test.
#pragma once

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_mlperf_loadgen(std::string_view text);
Imported read_mlperf_loadgen(std::string_view text, const std::string& name, const Origin& origin);
bool matches_mlperf_loadgen_tree(const Tree& tree);
Imported read_mlperf_loadgen_tree(const Tree& tree, const Origin& origin);

}  // namespace stackx::importers
