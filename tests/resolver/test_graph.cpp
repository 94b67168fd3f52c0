// The version graph: which versions share a vertex, which edges there are, and how it is written.
#include <catch2/catch.hpp>

#include "resolver/explain/excluded.hpp"
#include "resolver/graph.hpp"
#include "tests/resolver/given.hpp"
#include "tests/resolver/random_problem.hpp"

namespace stackx::test {
namespace {

using Words = std::vector<std::string>;
using resolver::VersionEdge;
using resolver::VersionGraph;
using resolver::VersionVertex;

struct Drawn {
  explicit Drawn(const Given& given)
      : problem(resolver::compile(given.project, given.catalog)),
        graph(resolver::version_graph(problem, resolver::excluded(problem))) {}

  std::string name(std::size_t vertex) const {
    const auto& one = graph[vertex];
    return one.kind == VersionVertex::Kind::versions
               ? problem.components[one.component].name + " " + one.label
               : one.label;
  }
  Words vertices() const {
    Words words;
    for (const auto v : boost::make_iterator_range(boost::vertices(graph)))
      words.push_back(name(v) + (graph[v].excluded.empty() ? "" : " (" + graph[v].excluded + ")"));
    return words;
  }
  Words edges(VersionEdge::Kind kind) const {
    Words words;
    for (const auto from : boost::make_iterator_range(boost::vertices(graph)))
      for (const auto e : boost::make_iterator_range(boost::out_edges(from, graph))) {
        if (graph[e].kind != kind) continue;
        const auto end = [&](std::size_t v, bool whole) {
          return whole ? problem.components[graph[v].component].name : name(v);
        };
        words.push_back(end(from, graph[e].from_component) + " -> " +
                        end(boost::target(e, graph), graph[e].to_component) +
                        (graph[e].label.empty() ? "" : ": " + graph[e].label));
      }
    return words;
  }

  resolver::Problem problem;
  VersionGraph graph;
};

}  // namespace

TEST_CASE("Versions that say the same and are treated alike are one vertex") {
  const Drawn drawn(Given(R"(
    "a": {"versions": {"1": {"requires": {"b": "<4"}}, "2": {"requires": {"b": "<4"}},
                       "3": {"requires": {"b": ">=4"}}, "4": {"requires": {"c": "*"}}}},
    "b": {"versions": {"1": {}, "2": {}, "3": {}, "4": {}, "5": {}}},
    "c": {"versions": {"1": {}, "2": {}}})",
                          R"("requires": {"a": "*"}, "pins": {"c": "<2"})"));
  CHECK(drawn.vertices() == Words{"project", "a 1, 2", "a 3", "a 4", "b 1, 2, 3", "b 4, 5", "c 1",
                                  "c 2 (the project pins c to <2)"});
  CHECK(drawn.edges(VersionEdge::Kind::requirement) ==
        Words{"project -> a", "a 1, 2 -> b 1, 2, 3: <4", "a 3 -> b 4, 5: >=4", "a 4 -> c 1"});
  CHECK(drawn.edges(VersionEdge::Kind::pin) == Words{"project -> c 1: <2"});
}

TEST_CASE(
    "What all versions say is said once; conditions, conflicts and providers have their own "
    "edges") {
  const Drawn drawn(Given(R"(
    "a": {"versions": {"1": {"requires": {"blas": "*"}},
                       "2": {"requires": {"blas": "*"}, "conflicts": {"mkl": "<3"},
                             "requires_if": [{"if": {"mkl": "*"}, "then": {"omp": ">1"}}]}}},
    "mkl": {"versions": {"2": {"provides": {"blas": "1"}}, "3": {"provides": {"blas": "1"}}}},
    "openblas": {"versions": {"1": {"provides": {"blas": "1"}}}},
    "omp": {"versions": {"1": {}, "2": {}, "3": {}}})",
                          R"("requires": {"a": "*"})"));
  CHECK(drawn.edges(VersionEdge::Kind::requirement) == Words{"project -> a", "a -> blas"});
  CHECK(drawn.edges(VersionEdge::Kind::condition) == Words{"a 2 -> omp 2, 3: if mkl *: omp >1"});
  CHECK(drawn.edges(VersionEdge::Kind::conflict) == Words{"a 2 -> mkl 2: <3"});
  CHECK(drawn.edges(VersionEdge::Kind::provides) == Words{"mkl -> blas", "openblas 1 -> blas"});
  CHECK(drawn.vertices().at(5) == "omp 1 (nothing that is left needs it)");
}

TEST_CASE("Excluded versions carry their reason") {
  const Drawn drawn(Given(R"(
    "flask": {"versions": {"0.12": {"requires": {"jinja": "<3"}}, "2": {"requires": {"jinja": ">=3"}}}},
    "jinja": {"versions": {"2": {"requires": {"python": "<3.10"}}, "3": {"requires": {"python": "*"}}}},
    "python": {"versions": {"3.9": {}, "3.11": {}}})",
                          R"("requires": {"flask": "*", "python": ">=3.10"})"));
  CHECK(drawn.vertices() ==
        Words{"project",
              "flask 0.12 (flask 0.12 needs jinja <3, and jinja 2 is out: jinja 2 needs python "
              "<3.10, and python 3.9 is out: the project needs python >=3.10)",
              "flask 2",
              "jinja 2 (jinja 2 needs python <3.10, and python 3.9 is out: the project needs "
              "python >=3.10)",
              "jinja 3", "python 3.9 (the project needs python >=3.10)", "python 3.11"});
}

TEST_CASE("The text is what dot reads: quotes escaped, edges cut at clusters") {
  const Drawn drawn(Given(R"(
    "a": {"versioning": "opaque", "versions": {"x\"y": {"requires": {"c": "*"}}}}, "c": {"versions": {"1": {}, "2": {"requires": {"d": "*"}}}},
    "d": {"versions": {"1": {}}})",
                          R"("requires": {"a": "*"}, "pins": {"d": "==1"})"));
  const auto text = resolver::dot(drawn.problem, drawn.graph);
  CHECK_THAT(text, Catch::StartsWith("digraph versions {\n") && Catch::EndsWith("}\n"));
  CHECK_THAT(text, Catch::Contains("label=\"x\\\"y\""));
  CHECK_THAT(text, Catch::Contains("lhead=cluster_1"));
  CHECK_THAT(text, Catch::Contains("color=blue"));
}

TEST_CASE("Every version of random problems is in one vertex, and drawing is deterministic") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto random = random_problem(seed);
    const auto problem = resolver::compile(random.project, random.catalog);
    const auto reasons = resolver::excluded(problem);
    const auto graph = resolver::version_graph(problem, reasons);
    std::vector<std::size_t> seen(problem.components.size());
    for (const auto v : boost::make_iterator_range(boost::vertices(graph))) {
      if (graph[v].kind != VersionVertex::Kind::versions) continue;
      seen[graph[v].component] += graph[v].versions.count();
      for (auto i = graph[v].versions.find_first(); i != resolver::VersionSet::npos;
           i = graph[v].versions.find_next(i))
        REQUIRE(reasons[graph[v].component][i] == graph[v].excluded);
    }
    for (std::size_t c = 0; c < seen.size(); ++c)
      REQUIRE(seen[c] == problem.components[c].versions.size());
    REQUIRE(resolver::dot(problem, graph) ==
            resolver::dot(problem, resolver::version_graph(problem, reasons)));
  }
}

}  // namespace stackx::test
