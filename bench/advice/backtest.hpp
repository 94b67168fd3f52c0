// Would the advice have been right? Where one source measured several versions on one hardware and workload (a series,
// analysis/published/version_series.hpp), something is hidden, three strategies choose a version, and what was measured
// there says what their choices cost.
//
// A question is a workload of a series at the moment when its second, third, ... version was the newest: versions after
// it do not exist yet. The choice is among the versions measured at that workload up to then. Strategies:
//
//   advice          the newest, unless advisor::rivals_of finds a faster one in what is left of the evidence on the
//                   hardware, or, where that has nothing of the newest, on other models of its architecture: the code
//                   of `stackx advise`
//   newest          the newest
//   best published  the one with the best rate left at that workload and hardware; else the one ahead, in the median,
//                   at other workloads of the series, else at that workload elsewhere, else at the family's elsewhere,
//                   else wherever the component was measured; else the newest
//
// Regret: best rate among those versions / rate of the chosen one - 1. Both are single numbers with their noise, so the
// best is a lucky one, the more the more versions there are.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/published/version_series.hpp"

namespace stackx::bench {

enum class HoldOut {
  time,      // the newest version's results, wherever
  workload,  // the workload's results on that hardware; the workload is asked for
  family,    // a tenth of the family's workloads on that hardware, this one among them; the family is asked for
  hardware,  // all on that hardware
  source     // all of that source
};
inline constexpr std::array hold_outs{HoldOut::time, HoldOut::workload, HoldOut::family, HoldOut::hardware,
                                      HoldOut::source};
const char* name_of(HoldOut what);

enum Strategy : std::size_t { advice, newest, best_published, strategies };
const char* name_of(Strategy strategy);

struct Answered {
  std::string component, series;  // series: all workloads of one family and setting
  std::string text;               // "torch 2.4.0 on RTX 3090: infer_timm:..."
  std::array<std::string, strategies> chosen;
  std::array<double, strategies> regret{};
};

struct Evidence {
  std::vector<specs::Published> results;
  specs::Accelerators accelerators;
  specs::Processors processors;
};
// `data`: a directory as specs/data; `evidence`: as its folder of that name.
Evidence load_evidence_of(const std::filesystem::path& data, const std::filesystem::path& evidence);

// In the order of the series; the same for the same evidence.
std::vector<Answered> backtest(const Evidence& evidence, HoldOut what);

}  // namespace stackx::bench
