// All stacks of a model as a decision diagram: the search tree with equal subproblems shared.
//
// A node is a subproblem (Search::key), an edge selects one version (or assumes a condition), and a
// path from the root to the leaf is one stack. Counting, shares and the stack of a given rank are
// single passes. Ranks follow the order of the plain search. The diagram of an entangled model can
// outgrow any memory: build() gives up beyond its limit, counted in bytes of keys and nodes, the
// same on every machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "resolver/search.hpp"

namespace stackx::resolver {

// For each component the selected version, or -1.
using Chosen = std::vector<std::int32_t>;
using Visit = std::function<bool(const Chosen&)>;

class Diagram {
 public:
  static std::optional<Diagram> build(const Model& model, std::size_t bytes);

  const BigInt& count() const { return nodes_[root_].count; }
  bool each(const Visit& visit) const;  // false if stopped
  Chosen at(BigInt rank) const;         // rank < count()
  // For each component and version the number of stacks that hold it.
  std::vector<std::vector<BigInt>> shares() const;
  std::size_t nodes() const { return nodes_.size(); }

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId dead = 0, leaf = 1;

  struct Edge {
    std::int32_t component = -1, version = -1;  // -1: a condition assumed or denied
    NodeId child = dead;
  };
  struct Node {
    std::size_t first_edge = 0, edges = 0;
    BigInt count;
  };

  explicit Diagram(const Model& model) : model_(&model) {}
  std::optional<NodeId> expand(Search& search);  // nothing beyond the limit
  bool walk(NodeId node, Chosen& chosen, const Visit& visit) const;

  const Model* model_;
  std::vector<Node> nodes_;  // children before parents
  std::vector<Edge> edges_;
  NodeId root_ = dead;
  // While building:
  std::unordered_map<std::string, NodeId> known_;
  std::size_t bytes_left_ = 0;
};

}  // namespace stackx::resolver
