#include "kernels/timing/latency.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "kernels/timing/arrivals.hpp"

using namespace stackx::kernels;
using nlohmann::json;

namespace {

// What MLPerf's LoadGen made of these latencies: bench/scenarios/run --record, see there.
const json& recorded() {
  static const json document = json::parse(std::ifstream(STACKX_LOADGEN_RECORD));
  return document;
}

std::vector<std::int64_t> sorted(const json& latencies) {
  auto result = latencies.get<std::vector<std::int64_t>>();
  std::ranges::sort(result);
  return result;
}

std::string setting(const json& run, const char* key) {
  return run.at("settings").at(key).get<std::string>();
}

// P(X <= t), X binomial(n, q), by the recursion of Pascal's triangle: no logarithms, no sums.
double at_most(int n, int t, double q) {
  std::vector<double> chance(static_cast<std::size_t>(n) + 1, 0);  // of so many after i trials
  chance[0] = 1;
  for (int i = 0; i < n; ++i)
    for (int k = i + 1; k >= 0; --k) {
      const auto at = static_cast<std::size_t>(k);
      chance[at] = chance[at] * (1 - q) + (k > 0 ? chance[at - 1] * q : 0);
    }
  double sum = 0;
  for (int k = 0; k <= t; ++k) sum += chance[static_cast<std::size_t>(k)];
  return sum;
}

}  // namespace

TEST_CASE("percentiles are LoadGen's, from the same latencies, to the nanosecond", "[scenario]") {
  int compared = 0;
  for (const json& run : recorded().at("runs")) {
    const auto latencies = sorted(run.at("latencies_ns"));
    const bool per_query = run.at("scenario") == "MultiStream";
    for (const auto& [name, fraction] : kPercentiles) {
      char key[80];
      std::snprintf(key, sizeof key, "result_%.2f_percentile_%slatency_ns", fraction * 100,
                    per_query ? "per_query_" : "");
      INFO(run.at("scenario") << " " << key);
      CHECK(percentile_of(latencies, fraction) == run.at("results").at(key));
      ++compared;
    }
  }
  CHECK(compared == 4 * 6);
}

TEST_CASE("a percentile is the element n * p of the sorted latencies", "[scenario]") {
  std::vector<std::int64_t> latencies;
  for (int i = 0; i < 1000; ++i) latencies.push_back(i);
  CHECK(percentile_of(latencies, .50) == 500);  // nearest rank would be 499
  CHECK(percentile_of(latencies, .99) == 990);
  CHECK(percentile_of(latencies, .999) == 999);
  CHECK(percentile_of({7}, .999) == 7);
}

TEST_CASE("early stopping estimates are LoadGen's", "[scenario]") {
  int compared = 0;
  for (const json& run : recorded().at("runs")) {
    const auto latencies = sorted(run.at("latencies_ns"));
    const json& results = run.at("results");
    if (run.at("scenario") == "SingleStream") {
      CHECK(proven_percentile(latencies, .90) == results.at("early_stopping_latency_ss"));
      CHECK(proven_percentile(latencies, .99) == results.at("early_stopping_latency_ms"));
      compared += 2;
    } else if (run.at("scenario") == "MultiStream") {
      CHECK(proven_percentile(latencies, .99) == results.at("early_stopping_latency_ms"));
      ++compared;
    }
  }
  CHECK(compared == 3);
}

TEST_CASE("the queries that a server would still need are LoadGen's", "[scenario]") {
  int compared = 0;
  for (const json& run : recorded().at("runs")) {
    if (run.at("scenario") != "Server") continue;
    const auto bound = std::stoll(setting(run, "server_target_latency_ns"));
    const auto latencies = sorted(run.at("latencies_ns"));
    const auto late = static_cast<std::size_t>(
        std::ranges::count_if(latencies, [&](std::int64_t ns) { return ns > bound; }));
    const std::string said = run.at("results").at("early_stopping_result");
    std::smatch found;
    if (std::regex_search(said, found, std::regex("at least (\\d+) more"))) {
      CHECK(least_queries(late, .99) - latencies.size() == std::stoull(found[1]));
    } else {
      CHECK_THAT(said, Catch::Contains("Run successful"));
      CHECK(most_late(latencies.size(), .99).value() >= late);
    }
    ++compared;
  }
  CHECK(compared == 2);
}

TEST_CASE("what so many queries prove agrees with the binomial distribution", "[scenario]") {
  for (const double fraction : {.5, .9, .97, .99})
    for (const int queries : {1, 10, 63, 64, 458, 459, 662, 1000}) {
      const auto most = most_late(static_cast<std::size_t>(queries), fraction);
      INFO(queries << " queries, " << fraction);
      if (most) CHECK(at_most(queries, static_cast<int>(*most), 1 - fraction) < .01);
      const int next = most ? static_cast<int>(*most) + 1 : 0;
      CHECK(at_most(queries, next, 1 - fraction) >= .01);
    }
  CHECK(least_queries(1, .90) == 64);  // the numbers of MLPerf's rules
  CHECK(least_queries(1, .99) == 662);
  CHECK(least_queries(0, .99) == 459);
  CHECK(proven_percentile({1, 2, 3}, .90) == std::nullopt);
}

TEST_CASE("arrivals are LoadGen's schedule of the same seed", "[scenario]") {
  int compared = 0;
  for (const json& run : recorded().at("runs")) {
    if (run.at("scenario") != "Server") continue;
    const auto theirs = run.at("arrivals_us").get<std::vector<double>>();
    const auto ours = poisson_arrivals(std::stod(setting(run, "server_target_qps")),
                                       std::stoull(setting(run, "schedule_rng_seed")),
                                       theirs.size(), 0);
    REQUIRE(ours.size() == theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i)
      REQUIRE(std::abs(static_cast<double>(ours[i]) - 1e3 * theirs[i]) <= 2);  // they print ns/1e3
    ++compared;
  }
  CHECK(compared == 2);
}

TEST_CASE("arrivals are a Poisson process of that rate", "[scenario]") {
  const auto arrivals = poisson_arrivals(1000, 7, 20'000, 0);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < arrivals.size(); ++i)
    gaps.push_back(static_cast<double>(arrivals[i] - arrivals[i - 1]) / 1e6);
  std::ranges::sort(gaps);
  // Kolmogorov-Smirnov against the exponential distribution; 1.95 / sqrt(n) is the 0.1% point.
  double distance = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double expected = 1 - std::exp(-gaps[i]);
    const auto n = static_cast<double>(gaps.size()), rank = static_cast<double>(i);
    distance = std::max({distance, std::abs(expected - rank / n),
                         std::abs(expected - (rank + 1) / n)});
  }
  CHECK(distance < 1.95 / std::sqrt(static_cast<double>(gaps.size())));
  CHECK(arrivals.front() == 0);
  CHECK(poisson_arrivals(1000, 7, 20'000, 0) == arrivals);
  CHECK(poisson_arrivals(1000, 8, 20'000, 0) != arrivals);
  const auto longer = poisson_arrivals(1000, 7, 10, 500'000'000);
  CHECK(longer.back() >= 500'000'000);
  CHECK(longer[longer.size() - 2] < 500'000'000);
}
