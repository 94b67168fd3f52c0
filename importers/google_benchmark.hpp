// Google Benchmark, --benchmark_format=json (json_schema_version 1, and files before it had one).
//
// The repetitions of one benchmark are one result in elapsed_ms (real_time): the median of the
// "iteration" rows; where only aggregates were reported, their median and stddev. Rows that count
// bytes or items a second give one in bytes_per_s or items_per_s besides. cpu_time, iterations and
// user counters are details. Rows that failed or were skipped are remarked; BigO and RMS rows are
// fits, not results. The workload is "google-benchmark" with the benchmark's name.
#pragma once

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_google_benchmark(const specs::Node& document);
Imported read_google_benchmark(const specs::Node& document, const Origin& origin);

}  // namespace stackx::importers
