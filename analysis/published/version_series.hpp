// Published results that differ in one component's version: what upgrades are counted in (upgrades.hpp) and advice is
// judged by (bench/advice).
//
// A series holds the results of one source that agree in hardware, devices, workload, metric and stack, but for one
// component's version and what comes with it: the component is the topmost that the stack names (vllm, torch, ...,
// nccl, cuda), and what lies beneath it (CUDA and its libraries, the driver) may change along. MLPerf's series are one
// submitter's: one accelerator, number, benchmark and scenario; its versions are rounds. Several results of one version
// count as their median. Versions are ordered by PEP 440, else by their sources' dates; where neither tells, there is
// no series. Threads about regressions (evidence:github-issues) are left out: why they were written is that the newer
// was slower.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/published/kinds_of_hardware.hpp"
#include "specs/result/published.hpp"

namespace stackx::analysis {

constexpr const char* mlperf_round = "mlperf-round";  // the component of MLPerf's series: a whole submission

struct RateOfVersion {
  std::string version;
  double rate = 0;               // or its like: more is better
  std::set<std::string> stacks;  // of MLPerf's rounds, what was submitted
};

struct VersionSeries {
  std::string component;
  specs::Workload workload;
  std::string setting;                      // what its results agree in besides the workload, as one text
  std::string tool;                         // "evidence:timm-benchmarks"
  std::vector<RateOfVersion> versions;      // two at least, oldest first
  std::set<std::string> hardware, sources;  // as published; titles. Of MLPerf one model in its spellings
};

std::vector<VersionSeries> version_series(const std::vector<specs::Published>& results, KindsOfHardware& kinds);

// The version that the result counts under in a series of `component`; "" if it names none.
std::string version_in_series(const specs::Published& result, const std::string& component);

// Of MLPerf: the stack may not have changed between two rounds.
bool share_a_stack(const RateOfVersion& a, const RateOfVersion& b);

}  // namespace stackx::analysis
