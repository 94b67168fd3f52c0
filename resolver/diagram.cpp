#include "resolver/diagram.hpp"

namespace stackx::resolver {

std::optional<Diagram> Diagram::build(const Model& model, std::size_t bytes) {
  Diagram diagram(model);
  diagram.bytes_left_ = bytes;
  diagram.nodes_.resize(2);
  diagram.nodes_[leaf].count = 1;
  Search search(model);
  const auto root = diagram.expand(search);
  if (!root) return {};
  diagram.root_ = *root;
  diagram.known_ = {};
  return diagram;
}

std::optional<Diagram::NodeId> Diagram::expand(Search& search) {
  const auto step = search.next();
  if (step.next == Search::Next::dead) return dead;
  if (step.next == Search::Next::leaf) return leaf;

  std::string key;
  search.key(key);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;

  std::vector<Edge> edges;
  const auto mark = search.mark();
  bool within = true;
  const auto follow = [&](bool possible, Edge edge) {
    if (possible) {
      const auto child = expand(search);
      within = child.has_value();
      if (within && *child != dead) {
        edge.child = *child;
        edges.push_back(edge);
      }
    }
    search.undo(mark);
    return within;
  };
  if (step.next == Search::Next::slot) {
    search.candidates(step.index, [&](std::uint32_t component, std::uint32_t version) {
      return follow(search.select(component, version), {static_cast<std::int32_t>(component),
                                                        static_cast<std::int32_t>(version), dead});
    });
  } else if (follow(search.assume(step.index, true), {})) {
    follow(search.assume(step.index, false), {});
  }
  if (!within) return {};

  // About what the containers take beside the content.
  constexpr std::size_t overhead = 64;
  const std::size_t size = key.size() + edges.size() * sizeof(Edge) + sizeof(Node) + overhead;
  if (size > bytes_left_) return {};
  bytes_left_ -= size;

  NodeId id = dead;
  if (!edges.empty()) {
    id = static_cast<NodeId>(nodes_.size());
    Node node{edges_.size(), edges.size(), 0};
    for (const auto& edge : edges) node.count += nodes_[edge.child].count;
    nodes_.push_back(std::move(node));
    edges_.insert(edges_.end(), edges.begin(), edges.end());
  }
  known_.emplace(std::move(key), id);
  return id;
}

bool Diagram::each(const Visit& visit) const {
  Chosen chosen(model_->components.size(), -1);
  return walk(root_, chosen, visit);
}

bool Diagram::walk(NodeId id, Chosen& chosen, const Visit& visit) const {
  if (id == dead) return true;
  if (id == leaf) return visit(chosen);
  const Node& node = nodes_[id];
  for (std::size_t e = node.first_edge; e < node.first_edge + node.edges; ++e) {
    const Edge& edge = edges_[e];
    if (edge.component >= 0) chosen[static_cast<std::size_t>(edge.component)] = edge.version;
    if (!walk(edge.child, chosen, visit)) return false;
    if (edge.component >= 0) chosen[static_cast<std::size_t>(edge.component)] = -1;
  }
  return true;
}

Chosen Diagram::at(BigInt rank) const {
  Chosen chosen(model_->components.size(), -1);
  NodeId id = root_;
  while (id != leaf) {
    const Edge* edge = &edges_[nodes_[id].first_edge];
    for (; rank >= nodes_[edge->child].count; ++edge) rank -= nodes_[edge->child].count;
    if (edge->component >= 0) chosen[static_cast<std::size_t>(edge->component)] = edge->version;
    id = edge->child;
  }
  return chosen;
}

std::vector<std::vector<BigInt>> Diagram::shares() const {
  std::vector<std::vector<BigInt>> shares;
  for (const auto& component : model_->components) shares.emplace_back(component.versions.size());
  std::vector<BigInt> paths(nodes_.size());  // from the root to each node
  paths[root_] = 1;
  for (std::size_t id = nodes_.size(); id-- > 2;) {
    const Node& node = nodes_[id];
    for (std::size_t e = node.first_edge; e < node.first_edge + node.edges; ++e) {
      const Edge& edge = edges_[e];
      paths[edge.child] += paths[id];
      if (edge.component >= 0)
        shares[static_cast<std::size_t>(edge.component)][static_cast<std::size_t>(edge.version)] +=
            paths[id] * nodes_[edge.child].count;
    }
  }
  return shares;
}

}  // namespace stackx::resolver
