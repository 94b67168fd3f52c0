// Two sides side by side: is A faster than B, by more than a band that matters?
//
// A side is a set of stacks (of one stack, often). Which of A's stack is held against which of B's
// is the caller's choice: one of A and one of B make a couple. Two designs, for the two ways in
// which measurements come:
//
// paired       Both of a couple ran in the same rounds of the same campaigns on the same devices,
//              so what the machine did, it did to both. The unit is the round: per couple the
//              verdict of analysis/statistics/comparison.hpp over the rounds shared, all couples being one
//              family. Overall, a round's value is the median over the couples that ran in it
//              (couples of a round are not independent), and the verdict is over these. Where
//              several nodes measured, the ratio stands for each besides, and how far nodes are
//              apart in it: a ratio that depends on the node is no property of the stacks alone.
// independent  The sides share no round: other campaigns, hosts, stores. Per couple the difference
//              of the median log rates, with a bootstrap interval that draws both sides for
//              themselves. Overall, from least_values() couples on (6 at 95%), the unit is the
//              couple: sign test and interval over their log ratios, so that one lucky couple
//              decides nothing. With fewer, the intervals at the level divided by their number
//              decide (Bonferroni), and there is a verdict where they agree. Whatever differed
//              between the two occasions is part of the difference: drift, other load, another
//              system. The caller has to say so.
//
// Ratios are A's rate over B's, or what else they were collected by.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/rates.hpp"
#include "analysis/statistics/bootstrap.hpp"
#include "analysis/statistics/comparison.hpp"
#include "analysis/statistics/one_way.hpp"

namespace stackx::analysis {

struct Couple {
  const StackRates *a = nullptr, *b = nullptr;
};

struct SideSummary {                 // of one stack, all its inspections
  double median = 0;                 // 0 without any that ranks
  std::optional<Interval> interval;  // of the median, by order statistics
  std::optional<double> cv;
  std::size_t inspections = 0;
  std::map<std::string, std::size_t> failures;  // outcome -> how often
  std::size_t rounds = 0, hosts = 0;  // hosts: nodes, as placement.hpp tells them apart
};
SideSummary summarise(const StackRates& stack, double confidence);

struct CoupleResult {
  specs::Stack a, b;
  SideSummary of_a, of_b;
  Comparison comparison;              // `pairs` is 0 in the independent design
  std::vector<double> logs;           // paired: a value a round
  std::optional<Interval> bootstrap;  // of the ratio; independent: at `confidence`, uncorrected
};

struct NodeRatio {
  std::string node;
  double ratio = 1;
  std::optional<Interval> interval;  // of the ratio, by order statistics, uncorrected
  std::size_t rounds = 0;
};

struct SideBySide {
  bool paired = true;
  bool own_verdicts = true;           // of each couple: not where the couple is the unit
  std::vector<CoupleResult> couples;  // those that can be compared, by ratio, A's best first
  std::size_t left_out = 0;           // couples without a common round, or a side without a rate
  Comparison overall;                 // pairs: rounds, or couples
  std::vector<double> logs;           // what the overall verdict is over
  std::optional<Interval> bootstrap;  // hierarchical for one paired couple
  std::size_t rounds = 0, hosts = 0;  // paired: shared
  std::vector<NodeRatio> nodes;       // paired, from two on: A's worst first
  std::optional<OneWay> by_node;      // of the logs, where rounds are repeated
};

struct SideBySideOptions {
  double delta = 0.01, confidence = 0.95;
  std::uint64_t seed = 1;
  Finals finals = {};  // paired: of campaigns that raced
  specs::Yardstick yardstick = {};  // that the sides were collected by
};

SideBySide compare_paired(const std::vector<Couple>& couples, const SideBySideOptions& options);
SideBySide compare_independent(const std::vector<Couple>& couples,
                               const SideBySideOptions& options);

// Of sides that share no round, what their intervals say: "faster", "less memory", "equal"; "" of what is UNRESOLVED. It is no verdict:
// what else changed between the two times is part of it.
std::string looks(Verdict verdict, const specs::Yardstick& yardstick);

}  // namespace stackx::analysis
