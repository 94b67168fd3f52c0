// MLPerf training results: minutes to the quality target, from the submitters' logs.
//
//   [SUBMITTER/]results/SYSTEM/BENCHMARK/result_N.txt     one run each
//   [SUBMITTER/]systems/SYSTEM.json, results/SYSTEM/entry.json   what ran it (mlperf_system.hpp)
//
// A run takes from its first run_start to its last run_stop; one whose run_stop says anything but
// success, or that has none, failed. The score of a benchmark on a system is MLPerf's: the mean of
// the runs without the fastest and the slowest, where one failed run counts as the slowest; with
// more failures there is none (a remark). `values` are the successful runs, `value` the score.
// A single log file is one run ("single").
// Checked against MLPerf's published scores of v0.6: DGX-1 ResNet 115.22, GNMT 20.55 minutes.
#pragma once

#include "importers/importer.hpp"

namespace stackx::importers {

bool matches_mlperf_training(std::string_view text);
Imported read_mlperf_training(std::string_view text, const std::string& name, const Origin& origin);
bool matches_mlperf_training_tree(const Tree& tree);
Imported read_mlperf_training_tree(const Tree& tree, const Origin& origin);

}  // namespace stackx::importers
