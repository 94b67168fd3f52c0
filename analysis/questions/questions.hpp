// The named questions of `stackx query`: which rows answer them, and what the rows may claim.
//
// Sums come from the store, maintained; samples are read only for rows that are shown. The store sums up rates: of anything else
// up to 500 inspections of each series that the filters leave are read. A row never
// claims more than its inspections carry: medians have their order-statistic interval, shares their
// Clopper-Pearson interval, differences a verdict with its interval, corrected (Holm) for the family
// that was asked about. Published numbers stand beside measured ones, marked, without an interval.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/questions/answer.hpp"
#include "store/questions/questions.hpp"

namespace stackx::analysis {

struct QuestionOptions {
  store::QuestionFilter filter = {};
  std::size_t limit = 20;  // rows; 0: all
  double confidence = 0.95;
  std::string this_host = {};             // fingerprint: what others measured is measured-elsewhere
  std::size_t top = 0;                    // best: stacks of each group; 0: see best()
  std::size_t least = 6;                  // worst-variance: inspections of a series
  std::set<std::string> no_upgrades = {};  // regressions: components that are settings or hardware
  std::set<std::string> verdicts = {};     // regressions: only these
  std::string campaign = {};               // history: only campaigns that begin so
  specs::Yardstick yardstick = {};         // best, worst-variance, regressions, history: of what, if not of the rate
};

// The stacks with the highest median rate, of each workload on each hardware. Where the filters leave
// one such group, as many as the limit; else the best of each. Published results are groups of their
// own: another source, another way to count.
Answer best(const store::Questions& store, const QuestionOptions& options);

// Series by their coefficient of variation between inspections.
Answer worst_variance(const store::Questions& store, const QuestionOptions& options);

// Verdicts between successive versions of a component. The family is every step that matches the
// filters: what is shown first was not picked before it was tested. delta is 1 %, which the store
// counts by.
Answer regressions(const store::Questions& store, const QuestionOptions& options);

// Per hardware and workload: stacks, inspections, and how many versions of each component.
Answer coverage(const store::Questions& store, const QuestionOptions& options);

// Component versions by their share of failed inspections, against the other versions.
Answer failures(const store::Questions& store, const QuestionOptions& options);

// A stack's rate by campaign: options.filter.stack is required.
Answer history(const store::Questions& store, const QuestionOptions& options);

Answer hardware(const store::Questions& store, const QuestionOptions& options);
Answer sources(const store::Questions& store, const QuestionOptions& options);

}  // namespace stackx::analysis
