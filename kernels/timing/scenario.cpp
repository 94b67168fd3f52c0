#include "kernels/timing/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "kernels/pi.hpp"
#include "kernels/timing/arrivals.hpp"
#include "kernels/timing/latency.hpp"
#include "kernels/timing/measure.hpp"
#include "kernels/timing/rate_search.hpp"

namespace stackx::kernels {
namespace {

using Query = std::function<void(std::size_t samples)>;

constexpr double kSecond = 1e9, kMillisecond = 1e6;
constexpr std::size_t kFewestCalls = 3;  // that the time of one is guessed from
constexpr std::size_t kMostQueries = 10'000'000;

const std::vector<std::string> kNames{"single_stream", "multi_stream", "server", "offline"};

// Everything a scenario does but the statistics. What a timed loop writes to is reserved before.
class Run {
 public:
  Run(const Query& query, const ScenarioPlan& plan, const Clock& clock)
      : query_(query), clock_(clock), begin_(clock.steady_ns()) {
    result_.plan = plan;
  }

  // Also what one call takes.
  void warm_up() {
    std::size_t calls = 0;
    std::int64_t half = begin_, now = begin_;
    for (std::size_t all = 0; all < kFewestCalls || now - begin_ < plan().warm_up_ns; ++all) {
      query_(1);
      now = clock_.steady_ns();
      if (all == 0 || now - begin_ < plan().warm_up_ns / 2)
        half = now;
      else
        ++calls;
    }
    call_ns_ = std::max(1.0, static_cast<double>(now - half) / static_cast<double>(calls));
  }

  void measure() {
    switch (plan().kind) {
      case ScenarioKind::single_stream:
      case ScenarioKind::multi_stream:
        return streams();
      case ScenarioKind::server:
        return server();
      case ScenarioKind::offline:
        return offline();
    }
  }

  Scenario take() { return std::move(result_); }

 private:
  const ScenarioPlan& plan() const { return result_.plan; }
  bool late(std::int64_t now) const { return plan().max_ns > 0 && now - begin_ >= plan().max_ns; }

  // Room for twice the queries that the warm-up promises, as in LoadGen.
  void streams() {
    const double expected = static_cast<double>(plan().min_duration_ns) /
                            (call_ns_ * static_cast<double>(plan().samples_per_query));
    const std::size_t most =
        plan().min_queries + std::min(kMostQueries, static_cast<std::size_t>(2 * expected));
    auto& latencies = result_.latencies_ns;
    latencies.reserve(most);
    const std::int64_t start = clock_.steady_ns();
    std::int64_t issued = start;
    while (latencies.size() < most) {
      query_(plan().samples_per_query);
      const std::int64_t done = clock_.steady_ns();
      latencies.push_back(done - issued);
      if (latencies.size() >= plan().min_queries && issued - start >= plan().min_duration_ns) break;
      if (late(done)) {
        result_.stopped_early = true;
        break;
      }
      issued = done;
    }
    result_.calls = plan().samples_per_query;
    result_.items = static_cast<double>(result_.calls) * plan().items_per_call;
    result_.samples_ns = latencies;
    std::ranges::sort(latencies);
    result_.value =
        static_cast<double>(percentile_of(latencies, plan().fraction)) / kMillisecond;
  }

  void offline() {
    const double needed = 1.1 * static_cast<double>(plan().min_duration_ns) / call_ns_;
    result_.calls = std::clamp<std::size_t>(static_cast<std::size_t>(needed),
                                            std::max<std::size_t>(1, plan().min_queries),
                                            std::max(kMostQueries, plan().min_queries));
    auto& samples = result_.samples_ns;
    samples.reserve(plan().repetitions);
    while (samples.size() < plan().repetitions) {
      const std::int64_t start = clock_.steady_ns();
      query_(result_.calls);
      const std::int64_t done = clock_.steady_ns();
      samples.push_back(std::max<std::int64_t>(1, done - start));
      result_.stopped_early = late(done) && samples.size() >= kMinRepetitions;
      if (result_.stopped_early) break;
    }
    result_.stopped_early = samples.size() < plan().repetitions;
    auto sorted = samples;
    std::ranges::sort(sorted);
    const std::size_t n = sorted.size();
    const double median = std::midpoint(static_cast<double>(sorted[(n - 1) / 2]),
                                        static_cast<double>(sorted[n / 2]));
    result_.items = static_cast<double>(result_.calls) * plan().items_per_call;
    result_.value = result_.items * kSecond / median;
  }

  // One rate, on the schedule of the seed. `whole`: goes on when it cannot hold any more.
  Trial trial(double rate, bool whole, std::vector<std::int64_t>& latencies) {
    const auto arrivals = poisson_arrivals(rate, plan().schedule_seed, plan().min_queries,
                                           plan().min_duration_ns);
    const std::size_t allowed = most_late(arrivals.size(), plan().fraction).value_or(0);
    latencies.clear();
    latencies.reserve(arrivals.size());
    Trial trial{.rate = rate};
    std::int64_t busy = 0;
    bool stopped = false;
    const std::int64_t start = clock_.steady_ns();
    for (const std::int64_t arrival : arrivals) {
      const std::int64_t due = start + arrival;
      std::int64_t issued = clock_.steady_ns();
      if (issued < due) {
        clock_.wait_until(due);
        issued = clock_.steady_ns();
      }
      query_(1);
      const std::int64_t done = clock_.steady_ns();
      busy += done - issued;
      latencies.push_back(done - due);
      trial.late += done - due > plan().bound_ns;
      if ((trial.late > allowed && !whole) || late(done)) {
        stopped = latencies.size() < arrivals.size();
        break;
      }
    }
    trial.queries = latencies.size();
    std::ranges::sort(latencies);
    trial.percentile_ns = percentile_of(latencies, plan().fraction);
    trial.utilisation =
        rate * static_cast<double>(busy) / (kSecond * static_cast<double>(trial.queries));
    const double last = static_cast<double>(std::max<std::int64_t>(1, arrivals.back()));
    trial.scheduled = static_cast<double>(arrivals.size() - 1) * kSecond / last;
    trial.holds = !stopped && trial.percentile_ns <= plan().bound_ns && trial.late <= allowed &&
                  trial.utilisation <= 1;
    return trial;
  }

  void keep(const Trial& trial, std::vector<std::int64_t>& latencies) {
    result_.held = trial;
    result_.latencies_ns.swap(latencies);
    result_.value = trial.scheduled;
    result_.samples_ns = {std::max<std::int64_t>(1, std::llround(kSecond / trial.scheduled))};
  }

  void server() {
    std::vector<std::int64_t> latencies;
    if (plan().target_rate > 0) {
      result_.trials.push_back(trial(plan().target_rate, true, latencies));
      return keep(result_.trials.back(), latencies);
    }
    result_.plan.min_queries =
        std::max(plan().min_queries, least_queries(0, plan().fraction));  // fewer prove nothing
    RateSearch search(kSecond / call_ns_, plan().precision);
    while (!search.done() && !result_.stopped_early) {
      const Trial next = trial(search.rate(), false, latencies);
      result_.trials.push_back(next);
      if (next.holds) keep(next, latencies);
      search.add(next.holds);
      const bool even_alone = call_ns_ > static_cast<double>(plan().bound_ns);
      if (even_alone && next.late == next.queries) break;
      result_.stopped_early = late(clock_.steady_ns()) && !search.done();
    }
    if (!result_.held) none_holds();
  }

  void none_holds() {
    if (result_.stopped_early) {
      result_.unsupported = "max_seconds came before a rate was found that holds the latency bound";
      return;
    }
    const Trial& last = result_.trials.back();
    result_.unsupported = fmt::format(
        "no rate holds the latency bound of {} ms: at {:.4g} queries/s {} of {} queries took longer"
        " (a call alone takes {:.4g} ms)",
        static_cast<double>(plan().bound_ns) / kMillisecond, last.rate, last.late, last.queries,
        call_ns_ / kMillisecond);
  }

  const Query& query_;
  const Clock& clock_;
  std::int64_t begin_;
  double call_ns_ = 0;
  Scenario result_;
};

// Every k-th, so that a fast operation does not fill the store.
void thin(std::vector<std::int64_t>& samples) {
  const std::size_t step = (samples.size() + kMostSamples - 1) / kMostSamples;
  if (step < 2) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); i += step) samples[kept++] = samples[i];
  samples.resize(kept);
}

const char* metric_of(ScenarioKind kind) {
  return kind == ScenarioKind::server    ? "queries_per_s"
         : kind == ScenarioKind::offline ? "samples_per_s"
                                         : "latency_ms";
}

const char* unit_of(ScenarioKind kind) {
  return kind == ScenarioKind::server    ? "queries/s"
         : kind == ScenarioKind::offline ? "samples/s"
                                         : "ms";
}

void put_latencies(nlohmann::json& json, const std::vector<std::int64_t>& sorted,
                   double fraction) {
  if (sorted.empty()) return;
  for (const auto& [name, percentile] : kPercentiles)
    json["latency_ns"][std::string(name)] = percentile_of(sorted, percentile);
  json["latency_min_ns"] = sorted.front();
  json["latency_max_ns"] = sorted.back();
  json["latency_mean_ns"] = std::accumulate(sorted.begin(), sorted.end(), std::int64_t{0}) /
                            static_cast<std::int64_t>(sorted.size());
  if (const auto proven = proven_percentile(sorted, fraction)) json["early_stopping_ns"] = *proven;
}

void put_server(nlohmann::json& json, const Scenario& scenario) {
  json["bound_ns"] = scenario.plan.bound_ns;
  json["schedule_seed"] = scenario.plan.schedule_seed;
  if (scenario.held) {
    json["rate"] = scenario.held->rate;
    json["holds"] = scenario.held->holds;
  }
  auto& trials = json["trials"] = nlohmann::json::array();
  for (const Trial& trial : scenario.trials)
    trials.push_back({{"rate", trial.rate},
                      {"queries", trial.queries},
                      {"late", trial.late},
                      {"percentile_ns", trial.percentile_ns},
                      {"utilisation", trial.utilisation},
                      {"holds", trial.holds}});
}

}  // namespace

std::vector<Parameter> with_scenario_parameters(std::vector<Parameter> own) {
  for (const auto& [key, fallback, help] : std::initializer_list<Parameter>{
           {"scenario", "none", "none, single_stream, multi_stream, server, offline (as MLPerf's)"},
           {"latency_bound_ms", "15", "server: what the percentile of the latencies must hold"},
           {"percentile", "0", "of latencies; 0: 90 for single_stream, 99 for the others"},
           {"target_rate", "0", "server: queries/s; 0: search the largest that holds the bound"},
           {"rate_precision", "0.02", "server: when to end the search, relative"},
           {"schedule_seed", "1", "server: of the arrivals, as LoadGen's schedule_rng_seed"},
           {"samples_per_query", "8", "multi_stream; a sample is one call"},
           {"min_queries", "0", "0: what early stopping needs (64 for 90, 662 for 99)"},
           {"min_duration_ms", "300", "of a test, a trial or a batch; LoadGen: 600000"}})
    own.push_back({key, fallback, help});
  return own;
}

std::optional<ScenarioPlan> scenario_plan_from(const Parameters& parameters) {
  std::vector<std::string> names{"none"};
  names.insert(names.end(), kNames.begin(), kNames.end());
  const std::string name = parameters.one_of("scenario", names);
  const Plan common = plan_from(parameters);
  ScenarioPlan plan;
  const auto kind = std::ranges::find(kNames, name) - kNames.begin();
  plan.kind = static_cast<ScenarioKind>(kind);
  const double percentile = parameters.number("percentile", 0);
  if (percentile != 0 && (percentile < 1 || percentile > 99.99))
    throw UsageError(fmt::format("percentile={}: expected 0 or a number from 1 to 99.99",
                                 parameters.text("percentile")));
  plan.fraction = percentile > 0                              ? percentile / 100
                  : plan.kind == ScenarioKind::single_stream ? .90
                                                             : .99;
  const auto most = parameters.whole("samples_per_query", 1, 1'000'000);
  plan.samples_per_query = plan.kind == ScenarioKind::multi_stream ? most : 1;
  plan.min_queries = parameters.whole("min_queries", 0, kMostQueries);
  if (plan.min_queries == 0 && plan.kind != ScenarioKind::offline)
    plan.min_queries = least_queries(1, plan.fraction);
  plan.min_duration_ns = nanoseconds(parameters, "min_duration_ms", kMillisecond);
  plan.bound_ns = nanoseconds(parameters, "latency_bound_ms", kMillisecond);
  plan.target_rate = parameters.number("target_rate", 0);
  plan.precision = parameters.number("rate_precision", 1e-4);
  plan.schedule_seed = parameters.whole("schedule_seed", 0, 0xffff'ffff);
  plan.repetitions = common.repetitions;
  plan.warm_up_ns = common.warm_up_ns;
  plan.max_ns = common.max_ns;
  if (name == "none") return std::nullopt;
  return plan;
}

Scenario run_scenario(const Query& query, const ScenarioPlan& plan, const Clock& clock,
                      std::vector<Phase>& phases) {
  Run run(query, plan, clock);
  record(phases, clock, "warm_up", [&] { run.warm_up(); });
  record(phases, clock, "measure", [&] { run.measure(); });
  Scenario scenario = run.take();
  thin(scenario.samples_ns);
  return scenario;
}

nlohmann::json json_of(const Scenario& scenario) {
  const ScenarioPlan& plan = scenario.plan;
  nlohmann::json json = {{"name", kNames[static_cast<std::size_t>(plan.kind)]},
                         {"metric", metric_of(plan.kind)},
                         {"unit", unit_of(plan.kind)},
                         {"value", scenario.value},
                         {"min_queries", plan.min_queries},
                         {"min_duration_ns", plan.min_duration_ns},
                         {"samples_per_query", scenario.calls}};
  const bool offline = plan.kind == ScenarioKind::offline;
  json["queries"] = offline ? scenario.samples_ns.size() : scenario.latencies_ns.size();
  if (offline) return json;
  json["percentile"] = std::round(plan.fraction * 1e6) / 1e4;
  put_latencies(json, scenario.latencies_ns, plan.fraction);
  if (plan.kind == ScenarioKind::server) put_server(json, scenario);
  return json;
}

}  // namespace stackx::kernels
