#include "kernels/timing/scenario.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "kernels/operation.hpp"
#include "kernels/timing/arrivals.hpp"
#include "kernels/timing/latency.hpp"
#include "kernels/timing/rate_search.hpp"

using namespace stackx::kernels;

namespace {

constexpr std::int64_t kMs = 1'000'000;

// A clock that only calls and waiting move; the i-th call takes service(i) ns.
struct Simulation {
  std::int64_t time = 1000, calls = 0, waits = 0;
  std::function<std::int64_t(std::int64_t)> service;
  std::vector<Phase> phases;

  Clock clock() {
    return {[this] { return time; }, [this] { return time; },
            [this](std::int64_t until) {
              time = std::max(time, until);
              ++waits;
            }};
  }
  Scenario run(const ScenarioPlan& plan) {
    const auto query = [this](std::size_t samples) {
      for (std::size_t i = 0; i < samples; ++i) time += service(calls++);
    };
    return run_scenario(query, plan, clock(), phases);
  }
};

Simulation constant(std::int64_t ns) {
  Simulation simulation;
  simulation.service = [ns](std::int64_t) { return ns; };
  return simulation;
}

Simulation exponential(double mean_ns) {
  Simulation simulation;
  simulation.service = [mean_ns, generator = std::mt19937_64(3)](std::int64_t) mutable {
    return static_cast<std::int64_t>(std::exponential_distribution<>(1 / mean_ns)(generator)) + 1;
  };
  return simulation;
}

ScenarioPlan server(double rate = 0) {
  ScenarioPlan plan;
  plan.kind = ScenarioKind::server;
  plan.fraction = .99;
  plan.min_queries = 662;
  plan.target_rate = rate;
  plan.bound_ns = 15 * kMs;
  plan.min_duration_ns = 0;
  plan.warm_up_ns = 100 * kMs;
  return plan;
}

// Brute force: what an open queue with one server does, wrong in one way if asked to be.
enum class Oracle { right, from_issue, closed_loop };

std::vector<std::int64_t> queue(const std::vector<std::int64_t>& arrivals, std::int64_t service,
                                Oracle oracle = Oracle::right) {
  std::vector<std::int64_t> latencies;
  std::int64_t idle_from = 0;
  for (const std::int64_t arrival : arrivals) {
    const std::int64_t start = std::max(arrival, idle_from);
    idle_from = start + service;
    latencies.push_back(idle_from - (oracle == Oracle::right ? arrival : start));
  }
  if (oracle == Oracle::closed_loop) std::ranges::fill(latencies, service);
  std::ranges::sort(latencies);
  return latencies;
}

double mean(const std::vector<std::int64_t>& values) {
  double sum = 0;
  for (const auto value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("single stream: one query after the other, the 90th percentile", "[scenario]") {
  Simulation simulation;
  simulation.service = [](std::int64_t i) { return i % 10 == 9 ? 8 * kMs : 2 * kMs; };
  ScenarioPlan plan;
  plan.min_queries = 100;
  plan.min_duration_ns = 0;
  const auto result = simulation.run(plan);
  REQUIRE(result.latencies_ns.size() == 100);
  CHECK(result.samples_ns.size() == 100);
  CHECK(result.value == 8);  // sorted[90]: the first of the ten slow ones
  CHECK(mean(result.samples_ns) == 2.6 * kMs);
  CHECK(simulation.waits == 0);
  CHECK_FALSE(result.stopped_early);
  const auto json = json_of(result);
  CHECK(json.at("name") == "single_stream");
  CHECK(json.at("metric") == "latency_ms");
  CHECK(json.at("percentile") == 90);
  CHECK(json.at("latency_ns").at("50") == 2 * kMs);
  CHECK(json.at("latency_ns").at("99.9") == 8 * kMs);
  CHECK(json.at("queries") == 100);
}

TEST_CASE("streams run until the queries and the duration are there", "[scenario]") {
  ScenarioPlan plan;
  plan.min_queries = 64;
  plan.min_duration_ns = 500 * kMs;
  // The last query is issued at 500 ms, as LoadGen counts: it is the 501st.
  CHECK(constant(1 * kMs).run(plan).latencies_ns.size() == 501);
  CHECK(constant(100 * kMs).run(plan).latencies_ns.size() == 64);
  plan.max_ns = 1000 * kMs;
  const auto cut = constant(100 * kMs).run(plan);
  CHECK(cut.stopped_early);
  CHECK(cut.latencies_ns.size() == 10 - 3);  // three warmed up
}

TEST_CASE("multi stream: a query is its samples together", "[scenario]") {
  ScenarioPlan plan;
  plan.kind = ScenarioKind::multi_stream;
  plan.samples_per_query = 8;
  plan.fraction = .99;
  plan.min_queries = 700;
  plan.min_duration_ns = 0;
  auto simulation = constant(1 * kMs);
  const auto result = simulation.run(plan);
  CHECK(result.latencies_ns == std::vector<std::int64_t>(700, 8 * kMs));
  CHECK(result.calls == 8);
  CHECK(result.value == 8);
}

TEST_CASE("offline: all samples at once, as many as last the duration", "[scenario]") {
  ScenarioPlan plan;
  plan.kind = ScenarioKind::offline;
  plan.min_queries = 0;
  plan.min_duration_ns = 100 * kMs;
  plan.repetitions = 5;
  const auto result = constant(2 * kMs).run(plan);
  CHECK(result.calls == 55);  // 1.1 times, LoadGen's slack
  CHECK(result.samples_ns == std::vector<std::int64_t>(5, 110 * kMs));
  CHECK(result.value == 500);
  CHECK(json_of(result).at("metric") == "samples_per_s");
  CHECK_FALSE(json_of(result).contains("latency_ns"));
  plan.min_queries = 200;
  CHECK(constant(2 * kMs).run(plan).calls == 200);
  plan.max_ns = 1;
  CHECK(constant(2 * kMs).run(plan).samples_ns.size() == 3);
}

TEST_CASE("server latencies are those of the queue, to the nanosecond", "[scenario]") {
  for (const double rate : {50., 200., 400., 480., 600.}) {
    const auto plan = server(rate);
    const auto result = constant(2 * kMs).run(plan);
    const auto arrivals = poisson_arrivals(rate, plan.schedule_seed, 662, 0);
    CHECK(result.latencies_ns == queue(arrivals, 2 * kMs));
    if (rate < 200) continue;  // hardly a queue there
    // An implementation with either of these errors would fail the line above.
    CHECK(percentile_of(result.latencies_ns, .99) >
          1.2 * percentile_of(queue(arrivals, 2 * kMs, Oracle::from_issue), .99));
    CHECK(result.latencies_ns != queue(arrivals, 2 * kMs, Oracle::closed_loop));
  }
}

TEST_CASE("a stall delays every query that was due meanwhile", "[scenario]") {
  // Coordinated omission: one call of 1 s among 1 ms ones. A closed loop sees one late query.
  Simulation simulation;
  simulation.service = [](std::int64_t i) { return i == 1000 ? 1000 * kMs : 1 * kMs; };
  auto plan = server(100);
  plan.min_queries = 2000;
  const auto late = std::ranges::count_if(simulation.run(plan).latencies_ns,
                                          [](std::int64_t ns) { return ns > 100 * kMs; });
  CHECK(late > 60);
  CHECK(late < 140);
}

TEST_CASE("mean waiting times are those of queueing theory", "[scenario]") {
  // Pollaczek-Khinchine: M/D/1 waits rho s / 2(1 - rho), M/M/1 rho s / (1 - rho).
  for (const double load : {.3, .7}) {
    auto plan = server(load * 500);
    plan.min_queries = 200'000;
    const double fixed = mean(constant(2 * kMs).run(plan).latencies_ns) / (2 * kMs) - 1;
    CHECK(fixed == Approx(load / (2 * (1 - load))).epsilon(.05));
    const auto random = exponential(2 * kMs).run(plan).latencies_ns;
    CHECK(mean(random) / (2 * kMs) - 1 == Approx(load / (1 - load)).epsilon(.05));
    // and the time in an M/M/1 system is exponential: its 99th percentile is ln 100 times the mean
    CHECK(static_cast<double>(percentile_of(random, .99)) / (2 * kMs) ==
          Approx(std::log(100) / (1 - load)).epsilon(.06));
  }
}

TEST_CASE("the search finds the largest rate that holds the bound", "[scenario]") {
  for (const std::int64_t bound : {5 * kMs, 15 * kMs, 40 * kMs}) {
    auto plan = server();
    plan.bound_ns = bound;
    plan.min_queries = 2000;
    plan.precision = .005;
    const auto result = constant(2 * kMs).run(plan);
    // Brute force on the same schedule: rates in steps of 0.5/s.
    double largest = 0;
    for (double rate = 1; rate <= 500; rate += .5) {
      const auto latencies = queue(poisson_arrivals(rate, 1, 2000, 0), 2 * kMs);
      const auto late = std::ranges::count_if(latencies, [&](auto ns) { return ns > bound; });
      if (static_cast<std::size_t>(late) <= *most_late(2000, .99)) largest = rate;
    }
    REQUIRE(result.held);
    INFO("bound " << bound);
    CHECK(result.held->rate <= largest + .51);
    CHECK(result.held->rate >= largest / 1.006);
    CHECK(result.held->holds);
    CHECK(percentile_of(result.latencies_ns, .99) <= bound);
    const double last = static_cast<double>(poisson_arrivals(result.held->rate, 1, 2000, 0).back());
    CHECK(result.value == Approx(1999e9 / last));
    REQUIRE(result.samples_ns.size() == 1);
    CHECK(static_cast<double>(result.samples_ns[0]) == Approx(1e9 / result.value).epsilon(1e-6));
    for (const Trial& trial : result.trials)
      CHECK(trial.holds == (trial.rate <= result.held->rate));
  }
}

TEST_CASE("no rate above the capacity holds, however loose the bound", "[scenario]") {
  auto plan = server();
  plan.bound_ns = 3600'000 * kMs;  // a queue of 662 never gets there
  const auto result = constant(2 * kMs).run(plan);
  REQUIRE(result.held);
  CHECK(result.held->rate <= 500);
  CHECK(result.held->rate >= 480);
}

TEST_CASE("every trial that holds has the queries that prove it", "[scenario]") {
  auto plan = server();
  plan.min_queries = 459;  // with none late
  const auto result = constant(2 * kMs).run(plan);
  REQUIRE(result.held);
  CHECK(result.held->queries >= 459);
  CHECK(result.held->late == 0);
  plan.min_queries = 1;  // is too few: they would prove nothing
  const auto few = constant(2 * kMs).run(plan);
  REQUIRE(few.held);
  CHECK(few.held->queries == 459);
}

TEST_CASE("a trial that cannot hold any more ends", "[scenario]") {
  auto plan = server();
  plan.min_queries = 100'000;
  plan.bound_ns = 10 * kMs;
  const auto result = constant(2 * kMs).run(plan);
  for (const Trial& trial : result.trials) {
    CHECK((trial.holds ? trial.queries == 100'000 : trial.queries < 100'000));
    CHECK(trial.late <= *most_late(100'000, .99) + 1);
  }
}

TEST_CASE("a bound below the service time has no rate, and says so", "[scenario]") {
  auto plan = server();
  plan.bound_ns = 1 * kMs;
  const auto result = constant(2 * kMs).run(plan);
  REQUIRE(result.unsupported);
  CHECK_THAT(*result.unsupported, Catch::Contains("no rate holds the latency bound of 1 ms"));
  CHECK_THAT(*result.unsupported, Catch::Contains("a call alone takes 2 ms"));
  CHECK(result.samples_ns.empty());
  CHECK(result.trials.size() == 1);
  plan.bound_ns = 2 * kMs;  // nobody may wait: not even at the lowest rate tried
  const auto none = constant(2 * kMs).run(plan);
  REQUIRE(none.unsupported);
  CHECK(none.trials.size() == 5);
}

TEST_CASE("the time limit ends the search with what held", "[scenario]") {
  auto plan = server();
  plan.max_ns = 5000 * kMs;
  const auto result = constant(2 * kMs).run(plan);
  CHECK(result.stopped_early);
  REQUIRE(result.held);
  CHECK(result.held->rate >= 250);
  plan.max_ns = 200 * kMs;
  const auto none = constant(2 * kMs).run(plan);
  REQUIRE(none.unsupported);
  CHECK_THAT(*none.unsupported, Catch::Contains("max_seconds"));
}

TEST_CASE("fast queries do not fill the document, but the percentiles", "[scenario]") {
  ScenarioPlan plan;
  plan.min_queries = 95'000;
  const auto result = constant(10'000).run(plan);
  CHECK(result.latencies_ns.size() == 95'000);
  CHECK(result.samples_ns.size() == 9'500);
}

TEST_CASE("a search brackets, bisects and ends", "[scenario]") {
  for (const double largest : {.01, 3., 49.9, 50., 77., 99., 250., 1e4}) {
    RateSearch search(100, .01);
    int trials = 0;
    while (!search.done() && trials++ < 100) search.add(search.rate() <= largest);
    CHECK(trials < 25);
    if (largest < 100 / 32.) {
      CHECK(search.best() == 0);
    } else {
      CHECK(search.best() <= largest);
      CHECK(search.best() > largest / 1.0101);
    }
  }
}

TEST_CASE("scenario parameters: defaults, rules, wrong usage", "[scenario]") {
  const auto plan = [](std::vector<std::string> words) {
    return scenario_plan_from(
        Parameters(with_scenario_parameters(with_plan_parameters({})), words));
  };
  CHECK_FALSE(plan({}));
  CHECK(plan({"scenario=single_stream"})->min_queries == 64);
  CHECK(plan({"scenario=single_stream"})->fraction == .90);
  CHECK(plan({"scenario=single_stream", "samples_per_query=4"})->samples_per_query == 1);
  CHECK(plan({"scenario=multi_stream"})->samples_per_query == 8);
  CHECK(plan({"scenario=multi_stream"})->min_queries == 662);
  CHECK(plan({"scenario=server"})->fraction == .99);
  CHECK(plan({"scenario=server", "percentile=97"})->min_queries == least_queries(1, .97));
  CHECK(plan({"scenario=server", "latency_bound_ms=2.5"})->bound_ns == 2'500'000);
  CHECK(plan({"scenario=offline"})->min_queries == 0);
  CHECK_THROWS_AS(plan({"scenario=sever"}), UsageError);
  CHECK_THROWS_AS(plan({"percentile=100"}), UsageError);
  CHECK_THROWS_AS(plan({"samples_per_query=0"}), UsageError);
  CHECK_THROWS_AS(plan({"rate_precision=0"}), UsageError);
}

namespace {

// An operation on the simulation's clock.
struct Timed : Operation {
  Simulation& simulation;
  bool pass = true;
  explicit Timed(Simulation& s) : simulation(s) {}
  std::optional<Unsupported> load() override { return std::nullopt; }
  Need need() const override { return {}; }
  std::optional<Unsupported> prepare() override { return std::nullopt; }
  void call() override { simulation.time += simulation.service(simulation.calls++); }
  Check check() override { return {"itself", 0, 0, pass, ""}; }
  OperationWork work() const override { return {1e6, 10, 4}; }  // four images a call
  void describe(nlohmann::json& document) const override { document["component"] = "timed"; }
};

nlohmann::json document(std::vector<std::string> words, bool pass = true) {
  auto simulation = constant(2 * kMs);
  Timed operation(simulation);
  operation.pass = pass;
  const Pi pi{"timed", "", with_scenario_parameters(with_plan_parameters({})), nullptr};
  const Parameters parameters(pi.parameters, words);
  return run_operation(pi, parameters, operation, simulation.clock());
}

}  // namespace

TEST_CASE("the document of a scenario: samples, work, result", "[scenario]") {
  auto json = document({"scenario=offline", "repetitions=3"});
  CHECK(json.at("samples_ns").size() == 3);
  const double items = json.at("work").at("items"), ns = json.at("samples_ns")[0];
  CHECK(items / ns * 1e9 == Approx(2000));  // images
  CHECK(json.at("scenario").at("value") == Approx(2000));
  CHECK(json.at("work").at("flop") == 0);

  json = document({"scenario=multi_stream"});
  CHECK(json.at("work").at("items") == 32);
  CHECK(json.at("samples_ns").size() == 662);
  CHECK(json.at("scenario").at("value") == 16);

  json = document({"scenario=server", "latency_bound_ms=10", "schedule_seed=5"});
  CHECK(json.at("scenario").at("metric") == "queries_per_s");
  CHECK(json.at("scenario").at("holds") == true);
  CHECK(json.at("scenario").at("bound_ns") == 10 * kMs);
  CHECK(json.at("scenario").at("trials").size() >= 3);
  CHECK(json.at("parameters").at("schedule_seed") == 5);
  std::vector<std::string> phases;
  for (const auto& phase : json.at("phases")) phases.push_back(phase.at("name"));
  CHECK(phases == std::vector<std::string>{"load", "check", "warm_up", "measure"});

  json = document({"scenario=server", "latency_bound_ms=1"});
  CHECK(json.contains("unsupported"));
  CHECK_FALSE(json.contains("samples_ns"));

  json = document({"scenario=none"});
  CHECK_FALSE(json.contains("scenario"));
  CHECK(json.at("work").at("flop") > 0);
}

TEST_CASE("a wrong result has no scenario", "[scenario]") {
  const auto json = document({"scenario=single_stream"}, false);
  CHECK_FALSE(json.contains("scenario"));
  CHECK(json.at("samples_ns").empty());
  CHECK(json.at("check").at("pass") == false);
}
