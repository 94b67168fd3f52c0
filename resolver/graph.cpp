#include "resolver/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "resolver/explain/wording.hpp"
#include "resolver/sat/founded.hpp"

namespace stackx::resolver {
namespace {

using Vertex = boost::graph_traits<VersionGraph>::vertex_descriptor;
using Vertices = std::vector<Vertex>;

class Drawing {
 public:
  Drawing(const Problem& problem, const std::vector<std::vector<std::string>>& reasons,
          VersionGraph& graph)
      : problem_(problem), reasons_(reasons), graph_(graph) {}

  void run() {
    project_ = boost::add_vertex({VersionVertex::Kind::project, "project", 0, {}, {}}, graph_);
    const auto alike = signatures();
    for (std::size_t c = 0; c < problem_.components.size(); ++c) add_runs(c, alike[c]);
    for (const auto& slot : problem_.slots) add_name(slot);
    for (const auto& clause : problem_.clauses) add_clause(clause);
  }

 private:
  // For each version what it says and how others treat it; for excluded ones only that they are.
  std::vector<std::vector<std::vector<bool>>> signatures() const {
    std::vector<std::vector<std::vector<bool>>> result;
    for (const auto& component : problem_.components)
      result.emplace_back(component.versions.size());
    const auto tell = [&](std::size_t c, const VersionSet& versions) {
      for (std::size_t v = 0; v < versions.size(); ++v)
        if (reasons_[c][v].empty()) result[c][v].push_back(versions[v]);
    };
    for (const auto& slot : problem_.slots)
      for (const auto& holder : slot.holders) tell(holder.component, holder.versions);
    std::set<std::pair<std::size_t, std::vector<VersionSet>>> told;  // few ranges, many clauses
    const auto tell_need = [&](const Need& need) {
      if (!told.emplace(need.slot, need.satisfied).second) return;
      const auto& holders = problem_.slots[need.slot].holders;
      for (std::size_t h = 0; h < holders.size(); ++h)
        tell(holders[h].component, need.satisfied[h]);
    };
    for (const auto& clause : problem_.clauses) {
      if (clause.owner != CompiledClause::nobody) tell(clause.owner, clause.owners);
      for (const auto& need : clause.if_) tell_need(need);
      for (const auto& need : clause.needs) tell_need(need);
    }
    return result;
  }

  void add_runs(std::size_t c, const std::vector<std::vector<bool>>& alike) {
    auto& runs = runs_.emplace_back();
    const auto& component = problem_.components[c];
    for (std::size_t v = 0; v < alike.size(); ++v) {
      if (v == 0 || alike[v] != alike[v - 1] || reasons_[c][v] != reasons_[c][v - 1])
        runs.push_back(boost::add_vertex(
            {VersionVertex::Kind::versions, {}, c, VersionSet(alike.size()), reasons_[c][v]},
            graph_));
      graph_[runs.back()].versions.set(v);
    }
    for (const auto run : runs)
      graph_[run].label = versions_in_words(component, graph_[run].versions);
  }

  // A name that is not simply a component's own is a vertex, with those who provide it.
  void add_name(const Slot& slot) {
    auto& vertex = names_.emplace_back();
    const bool own = slot.holders.size() == 1 &&
                     problem_.components[slot.holders.front().component].name == slot.name;
    if (own || slot.holders.empty()) return;
    vertex = boost::add_vertex({VersionVertex::Kind::virtual_name, slot.name, 0, {}, {}}, graph_);
    for (const auto& holder : slot.holders)
      for (const auto& [from, whole] : ends(holder.component, holder.versions))
        boost::add_edge(from, *vertex, {VersionEdge::Kind::provides, "", whole, false}, graph_);
  }

  Vertices left(std::size_t component) const {
    Vertices result;
    for (const auto run : runs_[component])
      if (graph_[run].excluded.empty()) result.push_back(run);
    return result.empty() ? runs_[component] : result;
  }

  // Where an edge starts that these versions share: each run, or once if all runs do.
  std::vector<std::pair<Vertex, bool>> ends(std::size_t component,
                                            const VersionSet& versions) const {
    const auto all = left(component);
    std::vector<std::pair<Vertex, bool>> result;
    for (const auto run : all)
      if (graph_[run].versions.intersects(versions)) result.emplace_back(run, false);
    if (result.size() > 1 && result.size() == all.size()) return {{all.front(), true}};
    return result;
  }

  void add_clause(const CompiledClause& clause) {
    for (std::size_t n = 0; n < clause.needs.size(); ++n) {
      const auto& need = clause.needs[n];
      std::vector<std::pair<Vertex, bool>> from{{project_, false}};
      if (clause.owner != CompiledClause::nobody) from = ends(clause.owner, clause.owners);
      const auto [to, to_component] = target(need);
      if (to == project_) continue;
      for (const auto& [vertex, whole] : from)
        boost::add_edge(vertex, to, {kind(clause), label(clause), whole, to_component}, graph_);
    }
  }

  // Where an edge to what meets the need ends; the project, which nothing leads to, if nobody can.
  std::pair<Vertex, bool> target(const Need& need) const {
    if (names_[need.slot]) return {*names_[need.slot], false};
    const auto& holders = problem_.slots[need.slot].holders;
    if (holders.empty() || runs_[holders.front().component].empty()) return {project_, false};
    Vertices meeting;
    const auto all = left(holders.front().component);
    for (const auto run : all)
      if (graph_[run].versions.intersects(need.satisfied.front())) meeting.push_back(run);
    if (meeting.size() == 1) return {meeting.front(), false};
    return {meeting.empty() ? all.back() : meeting.back(), true};
  }

  static VersionEdge::Kind kind(const CompiledClause& clause) {
    switch (clause.clause.kind) {
      case Clause::Kind::condition:
        return VersionEdge::Kind::condition;
      case Clause::Kind::conflict:
        return VersionEdge::Kind::conflict;
      case Clause::Kind::pin:
        return VersionEdge::Kind::pin;
      default:
        return VersionEdge::Kind::requirement;
    }
  }

  // ">=1.16", "compute_capability >=7.0", "if python <3.8: typing *".
  std::string label(const CompiledClause& clause) const {
    const auto& text = clause.clause.text;
    const auto& name = problem_.slots[clause.needs.front().slot].name;
    if (clause.clause.kind == Clause::Kind::condition || text.size() <= name.size()) return text;
    const auto range = text.substr(name.size() + 1);
    return range == "*" ? "" : range;
  }

  const Problem& problem_;
  const std::vector<std::vector<std::string>>& reasons_;
  VersionGraph& graph_;
  Vertex project_ = 0;
  std::vector<Vertices> runs_;                // by component
  std::vector<std::optional<Vertex>> names_;  // by slot
};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

// Quoted, in lines of some length.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 40;
  std::string result = quoted(text);
  std::size_t start = 0;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (result[i] == ' ' && i - start > width) {
      result.replace(i, 1, "\\n");
      start = i;
    }
  return result;
}

std::string vertex_line(std::size_t id, const VersionVertex& vertex) {
  switch (vertex.kind) {
    case VersionVertex::Kind::project:
      return fmt::format("n{} [label={}, shape=doubleoctagon]", id, quoted(vertex.label));
    case VersionVertex::Kind::virtual_name:
      return fmt::format("n{} [label={}, shape=ellipse]", id, quoted(vertex.label));
    default:
      break;
  }
  if (vertex.excluded.empty()) return fmt::format("n{} [label={}]", id, quoted(vertex.label));
  return fmt::format("n{} [label={}, tooltip={}, fillcolor=grey92, color=grey70, fontcolor=grey45]",
                     id, wrapped(vertex.label + " is out: " + vertex.excluded),
                     quoted(vertex.excluded));
}

const char* style(VersionEdge::Kind kind) {
  switch (kind) {
    case VersionEdge::Kind::condition:
      return "style=dashed";
    case VersionEdge::Kind::conflict:
      return "color=red, fontcolor=red, arrowhead=tee";
    case VersionEdge::Kind::pin:
      return "color=blue, fontcolor=blue";
    case VersionEdge::Kind::provides:
      return "style=dotted, arrowhead=empty";
    default:
      return "style=solid";
  }
}

std::string edge_line(const VersionGraph& graph,
                      boost::graph_traits<VersionGraph>::edge_descriptor e) {
  const auto from = boost::source(e, graph), to = boost::target(e, graph);
  const auto& edge = graph[e];
  auto line = fmt::format("n{} -> n{} [{}", from, to, style(edge.kind));
  if (!graph[from].excluded.empty()) line += ", color=grey75, fontcolor=grey60";
  if (!edge.label.empty()) line += ", label=" + wrapped(edge.label);
  if (edge.from_component) line += fmt::format(", ltail=cluster_{}", graph[from].component);
  if (edge.to_component) line += fmt::format(", lhead=cluster_{}", graph[to].component);
  return line + "]";
}

}  // namespace

VersionGraph version_graph(const Problem& problem,
                           const std::vector<std::vector<std::string>>& reasons) {
  VersionGraph graph;
  Drawing(problem, reasons, graph).run();
  return graph;
}

std::string dot(const Problem& problem, const VersionGraph& graph) {
  std::string text =
      "digraph versions {\n"
      "  rankdir=LR; compound=true; ranksep=1.2; fontname=\"sans-serif\";\n"
      "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\", "
      "fontsize=11];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9];\n";
  std::vector<std::string> inside(problem.components.size());
  for (const auto v : boost::make_iterator_range(boost::vertices(graph))) {
    const auto line = vertex_line(v, graph[v]);
    if (graph[v].kind == VersionVertex::Kind::versions)
      inside[graph[v].component] += "    " + line + ";\n";
    else
      text += "  " + line + ";\n";
  }
  for (std::size_t c = 0; c < inside.size(); ++c)
    text += fmt::format(
        "  subgraph cluster_{} {{\n    label={}; style=rounded; bgcolor=\"#f4f7fb\";\n{}  }}\n", c,
        quoted(problem.components[c].name), inside[c]);
  for (const auto v : boost::make_iterator_range(boost::vertices(graph)))
    for (const auto e : boost::make_iterator_range(boost::out_edges(v, graph)))
      text += "  " + edge_line(graph, e) + ";\n";
  return text + "}\n";
}

}  // namespace stackx::resolver
