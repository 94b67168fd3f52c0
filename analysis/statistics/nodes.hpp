// What the node did to the rates, apart from what the stack did: which node is slow, and is it in every stack.
//
//   log rate = stack + node + block + round + stack x node + noise
//
// A block is what one node ran at one time (a campaign on a device); all stacks run in each of its rounds. Stacks'
// levels come from a median polish over stacks and blocks. What they leave, by the median over the stacks of a round,
// is the round's level; a block's is the median over its rounds, a node's the mean over its blocks, its factor that
// against the median node. Of two nodes neither is typical: the slower is held against the faster.
//
// Units of the intervals are blocks where most nodes have two or more: then what differed from one occasion to the next
// is in them. Else they are rounds, and a node cannot be told from the occasion on which it was measured: `by_blocks`
// says which. Intervals are Student's, with the variance of the units pooled over the nodes, or a node's own where that
// is larger (an erratic node is not to be called slow). A node is odd where its interval excludes the band
// [1/(1+delta), 1+delta], by Holm's procedure over the nodes. The band is that of verdicts: a node off by less moves no
// verdict. A node's level varies at least as much as its difference from the median one does, so that needs no addition.
//
// Assumed: levels of units, medians over stacks and rounds each, are about normal, and the typical node is at the median.
// Measured in tests/analysis/statistics/test_nodes.cpp: of campaigns on 8 equal nodes, noise far beyond the band, under
// 5% name one.
// Rejected: the sign test, which over 8 nodes cannot name any with fewer than 9 blocks each (rounds of a block and
// stacks of a round are not independent); Grubbs' test, by which a node is odd only beside nodes that hardly differ;
// a node's plain median rate, which compares stacks where nodes ran different ones.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ranking/rates.hpp"
#include "analysis/statistics/statistics.hpp"

namespace stackx::analysis {

struct Node {
  std::string name;  // the host's
  std::size_t stacks = 0, blocks = 0, rounds = 0, inspections = 0;
  double factor = 1;                 // of its rates to those of the typical node
  std::optional<Interval> interval;  // corrected; absent where no unit is repeated, or the node is what is compared with
  bool odd = false;
  std::size_t shown_in = 0;  // stacks that are off to the same side by more than their own noise, too
};

// Does the ratio of stacks depend on the node? Of a stack's log ratio to the field of its round, an analysis of
// variance over the nodes, each stack for itself, so that an erratic one does not speak for others.
struct Interaction {
  double spread = 0;                // between nodes, of that log ratio: standard deviation over all stacks, noise taken off
  std::size_t stacks = 0;           // that could show it
  std::vector<specs::Stack> shown;  // that do (Holm)
};

struct Nodes {
  std::vector<Node> nodes;         // slowest first
  std::vector<std::string> apart;  // share no stack with these, not even through others: nothing is said of them
  bool by_blocks = false;
  double delta = 0.01, confidence = 0.95;
  std::optional<double> between;  // standard deviation of log factors, noise taken off; absent where that is not known
  std::optional<double> within;   // of a stack's log rates between the rounds of a block: the median over stacks
  std::optional<Interaction> interaction;  // from two stacks on
};

// Of inspections that belong to campaigns. Nothing below two nodes with a stack in common.
std::optional<Nodes> nodes(const Rates& rates, double delta, double confidence);

// "node n7 is 4.0% slow in every stack [2.9%, 5.1%] (n=48 inspections in 2 blocks): compare within nodes only, and look
// at it", one for each odd node, three at most; "was" and "or that occasion" where intervals are over rounds.
std::vector<std::string> odd_lines(const Nodes& nodes);
// How far nodes are apart, beside how far rounds are; what intervals rest on; what depends on the node.
std::vector<std::string> lines(const Nodes& nodes);

nlohmann::json to_json(const Nodes& nodes);

}  // namespace stackx::analysis
