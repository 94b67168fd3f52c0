// A report: everything that a page about a campaign shows, as plain data.
//
// Built from measurements, the documents behind them and the campaigns' plans; rendered by
// report_html, report_text (Markdown, CSV) and to_json. Nothing in it depends on the clock: the same
// store gives the same report. One workload is ranked (analysis/published/workload_choice.hpp); the other
// sizes of it that were measured are the curves of `sizes`.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/effects/effects.hpp"
#include "analysis/ranking/headline/headline.hpp"
#include "analysis/ranking/ranking.hpp"
#include "analysis/report/machine.hpp"
#include "analysis/report/sizes.hpp"
#include "analysis/report/spread.hpp"
#include "analysis/statistics/conditions.hpp"
#include "analysis/statistics/drift.hpp"
#include "specs/project/plan.hpp"

namespace stackx::analysis {

struct Inspected {  // one inspection that ranks
  double rate = 0;
  std::string id, campaign;
  std::uint64_t round = 0;
  std::size_t samples = 0;
};

// The inspections of one stack, rank order; what a box plot and a violin plot are drawn from.
struct Distribution {
  specs::Stack stack;
  std::string label;  // the components in which the ranked stacks differ
  std::vector<Inspected> values;
  double low = 0, q1 = 0, median = 0, q3 = 0, high = 0;  // Tukey's: low and high within 1.5 boxes
  std::vector<double> outliers;                          // the values beyond low and high
};

struct FailureReason {
  std::string outcome, reason;
  std::size_t inspections = 0;
  std::vector<std::string> stacks;  // labels
};

struct CampaignFacts {
  std::string id;  // "" for single inspections
  std::string project, created;
  std::optional<std::uint64_t> seed;  // the plan's: of the rounds' order
  std::optional<std::uint64_t> sampler_seed;
  std::uint64_t arms = 0, rounds = 0;  // planned; 0 without a plan
  std::size_t inspections = 0, failed = 0;
  std::string first, last;  // when the first and the last inspection ended
};

// What `stackx blame` found with some of these campaigns, a row a suspect.
struct Blamed {
  std::string answer;           // in one sentence
  std::string change;           // "torch 2.3.1 -> 2.4.0"
  std::string role;             // "culprit", "gain", "together", "none", "others"
  std::string metric;           // "rate", "time", ...
  double ratio = 1;             // new over old of the metric
  std::optional<double> low, high;
  std::uint64_t rounds = 0;
};

struct Report {
  std::string question, answer;  // the answer is the headline's line
  Headline headline;
  Ranking ranking;
  std::map<std::string, std::string> common;  // components on which all ranked stacks agree
  std::vector<Distribution> distributions;    // in the order of ranking.recommendations
  Spread spread;
  std::optional<Sizes> sizes;
  std::vector<Drift> drifts;
  Effects effects;
  std::vector<Blamed> blamed;
  Conditions conditions;
  std::vector<FailureReason> failures;
  std::vector<Machine> machines;
  std::vector<CampaignFacts> campaigns;
  std::vector<std::string> commands;  // how to reproduce it
  std::string stackx_version;
};

struct ReportOptions {
  Options ranking;
  std::string hw;         // as the reader asked for it
  std::string selection;  // the options to repeat: "--hw zen3 --workload matmul"
  std::string stackx_version;
  std::vector<std::string> notes = {};  // of the selection, before those of the ranking
  std::uint64_t seed = 1;  // of the sub-samples
};

Report report(const std::vector<store::Measurement>& measurements, const specs::Workload& asked,
              const std::vector<specs::Plan>& plans, const FindDocument& document,
              const ReportOptions& options);

nlohmann::json to_json(const Report& report);

}  // namespace stackx::analysis
