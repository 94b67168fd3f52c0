// Every named question against brute force over Store::measurements, on random stores.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "analysis/report/csv.hpp"
#include "analysis/questions/parts.hpp"
#include "analysis/questions/questions.hpp"
#include "analysis/statistics/holm_family.hpp"
#include "specs/error.hpp"
#include "specs/version/version.hpp"
#include "store/store.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

using nlohmann::json;

class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "stackx-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path store() const { return path_ / "random.db"; }

 private:
  std::filesystem::path path_;
};

specs::Host small_host() {
  specs::Host host;
  host.hostname = "bench-1";
  host.cpu.model = "A processor";
  host.cpu.microarchitecture = "zen4";
  host.os = "debian";
  return host;
}

specs::Inspection document(const specs::Stack& stack, const specs::Workload& workload,
                           const std::string& device, const std::string& campaign,
                           std::uint64_t round, double rate) {
  specs::Inspection i;
  i.campaign = campaign;
  i.round = round;
  i.arm = stack.short_id();
  i.stack = stack;
  i.workload = workload;
  i.parameters = workload.params;
  i.host = small_host();
  i.device = device;
  i.runner = "local";
  i.work = {1e12, 0, 0};
  i.exit_code = 0;
  i.stackx_version = "0.1.0";
  i.finished = fmt::format("2025-06-{:02}T12:00:{:02}.000Z", 1 + round % 28, round % 60);
  for (const double factor : {0.97, 1.0, 1.04})
    i.samples_ns.push_back(std::llround(1e12 / rate * factor));
  return i;
}

// A campaign of random stacks over few versions, so that many are a step apart.
void fill(store::Store& store, std::uint64_t seed) {
  specs::Random random(seed);
  const std::vector<std::vector<std::string>> versions{
      {"0.3.9", "0.3.10", "0.3.11"}, {"1.26.4", "2.0", "2.0.1rc1"}, {"1", "2"}};
  const char* names[] = {"openblas", "numpy", "threads"};
  std::set<specs::Stack> stacks;
  while (stacks.size() < 9) {
    specs::Stack stack;
    for (std::size_t c = 0; c < 3; ++c)
      stack.components[names[c]] = versions[c][random.below(versions[c].size())];
    stacks.insert(stack);
  }
  std::vector<double> speeds;
  for (std::size_t i = 0; i < stacks.size(); ++i)
    speeds.push_back(100 * std::exp(0.02 * static_cast<double>(random.below(5))));
  for (const char* device : {"GPU-1", "GPU-2"})
    for (const char* m : {"512", "64"})
      for (const char campaign : {'a', 'b'})
        for (std::uint64_t round = 0; round < 4 + random.below(14); ++round) {
          const double speed = 0.05 * normal(random);
          std::size_t arm = 0;
          for (const specs::Stack& stack : stacks) {
            const double log = std::log(speeds[arm++]) + speed + 0.004 * normal(random);
            if (random.below(8) == 0) continue;
            auto one = document(stack, {"matmul", {{"m", m}}}, device,
                                std::string(60, campaign) + m[0] + std::string(3, device[4]), round,
                                std::exp(log));
            if (random.below(12) == 0) {
              one.outcome = random.below(2) == 0 ? specs::Outcome::crashed : specs::Outcome::timed_out;
              one.samples_ns.clear();
              one.exit_code.reset();
            }
            specs::seal(one);
            store.ingest(one);
            if (arm == 1 && random.below(2) == 0) {
              one.sentinel = true;
              one.arm += "+A";
              specs::seal(one);
              store.ingest(one);
            }
          }
        }
}

// (workload, device, stack) -> its inspections, sentinels left out.
using Key = std::tuple<std::string, std::string, specs::Stack>;
using Grouped = std::map<Key, std::vector<const store::Measurement*>>;

Grouped grouped(const std::vector<store::Measurement>& all) {
  Grouped result;
  for (const store::Measurement& m : all)
    if (!m.sentinel) result[{m.workload.text(), m.device, m.stack}].push_back(&m);
  return result;
}

std::vector<double> good(const std::vector<const store::Measurement*>& all) {
  std::vector<double> rates;
  for (const auto* m : all)
    if (m->outcome == specs::Outcome::ok) rates.push_back(rate_of(*m, "GFLOP/s"));
  return rates;
}

std::vector<double> logs(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

bool older(const std::string& a, const std::string& b) {
  return *specs::Version::parse(a, specs::Versioning::pep440) <
         *specs::Version::parse(b, specs::Versioning::pep440);
}

// In which component they differ, and in nothing else.
std::optional<std::string> only_difference(const specs::Stack& a, const specs::Stack& b) {
  std::optional<std::string> component;
  for (const auto& [name, version] : a.components) {
    if (b.components.at(name) == version) continue;
    if (component) return std::nullopt;
    component = name;
  }
  return component;
}

using Step = std::pair<Key, Key>;

std::set<Step> brute_steps(const Grouped& groups) {
  std::set<Step> steps;
  for (const auto& [a, of_a] : groups)
    for (const auto& [b, of_b] : groups) {
      if (std::get<0>(a) != std::get<0>(b) || std::get<1>(a) != std::get<1>(b)) continue;
      const auto component = only_difference(std::get<2>(a), std::get<2>(b));
      if (!component) continue;
      const auto version = [&](const Key& key) { return std::get<2>(key).components.at(*component); };
      if (!older(version(a), version(b))) continue;
      const bool between = std::ranges::any_of(groups, [&](const auto& other) {
        const Key& c = other.first;
        return std::get<0>(c) == std::get<0>(a) && std::get<1>(c) == std::get<1>(a) &&
               only_difference(std::get<2>(a), std::get<2>(c)) == component &&
               older(version(a), version(c)) && older(version(c), version(b));
      });
      if (!between) steps.emplace(a, b);
    }
  return steps;
}

Key key_of(const store::Questions& questions, std::int64_t series) {
  const auto s = questions.one_series(series);
  return {questions.workload(s->workload).text(), questions.device(s->device).name,
          questions.stack(s->stack).stack};
}

json row_of(const json& rows, const std::string& workload, const std::string& device,
            const std::string& older_id, const std::string& newer_id) {
  for (const json& row : rows)
    if (row["workload"] == workload && row["device"] == device && row["older_stack"] == older_id &&
        row["newer_stack"] == newer_id)
      return row;
  return nullptr;
}

json answer(Answer (*ask)(const store::Questions&, const QuestionOptions&),
            const store::Questions& questions, QuestionOptions options = {}) {
  options.limit = 0;
  return to_json(ask(questions, options))["rows"];
}

constexpr std::uint64_t seeds[] = {1, 2, 3};

}  // namespace

TEST_CASE("holm_family: the decisions and levels of holm()") {
  specs::Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> p;
    const std::size_t distinct = 1 + random.below(6);
    std::vector<double> values;
    for (std::size_t i = 0; i < distinct; ++i) values.push_back(std::pow(random.unit(), 4));
    for (std::uint64_t n = 1 + random.below(30); n > 0; --n) p.push_back(values[random.below(distinct)]);
    HolmFamily family(0.05);
    std::vector<std::size_t> places;
    for (const double one : p) places.push_back(family.add(one));
    family.decide();
    const Holm expected = holm(p, 0.05);
    for (std::size_t i = 0; i < p.size(); ++i) {
      REQUIRE(family.rejected(p[i]) == expected.rejected[i]);
      REQUIRE(family.level(p[i], places[i]) == expected.level[i]);
    }
  }
}

TEST_CASE("questions: regressions are what compare() says of all steps") {
  std::map<std::string, std::size_t> verdicts;
  for (const std::uint64_t seed : seeds) {
    const Scratch scratch;
    {
      store::Store store = store::Store::open(scratch.store());
      fill(store, seed);
    }
    const auto all = store::Store::open(scratch.store(), store::Mode::read_only).measurements({});
    const Grouped groups = grouped(all);
    const store::Questions questions(scratch.store());
    // The family in the store's order, so that equal p-values share out the levels alike.
    std::vector<Step> order;
    std::vector<std::vector<double>> family;
    for (const store::StepSums& step : questions.steps(questions.series({}))) {
      if (questions.component(step.component) == "threads") continue;
      order.emplace_back(key_of(questions, step.older), key_of(questions, step.newer));
      family.push_back(paired_logs(rates_of(groups.at(order.back().second), {}, "GFLOP/s"),
                                   rates_of(groups.at(order.back().first), {}, "GFLOP/s")));
    }
    std::set<Step> expected = brute_steps(groups);
    std::erase_if(expected, [](const Step& step) {
      return only_difference(std::get<2>(step.first), std::get<2>(step.second)) == "threads";
    });
    REQUIRE(std::set<Step>(order.begin(), order.end()) == expected);
    const std::vector<Comparison> comparisons = compare(family, 0.01, 0.95);
    QuestionOptions options;
    options.no_upgrades = {"threads"};
    const json rows = answer(regressions, questions, options);
    REQUIRE(rows.size() == order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto& [a, b] = order[i];
      const json row = row_of(rows, std::get<0>(a), std::get<1>(a), std::get<2>(a).id(),
                              std::get<2>(b).id());
      REQUIRE(row.is_object());
      const Comparison& c = comparisons[i];
      ++verdicts[to_string(c.verdict)];
      REQUIRE(row["verdict"] == to_string(c.verdict));
      REQUIRE(row["rounds"] == c.pairs);
      if (c.pairs > 0) REQUIRE(row["ratio"] == c.ratio);
      REQUIRE(row["ci_low"].is_null() == !c.interval.has_value());
      if (c.interval) REQUIRE(row["ci_low"] == c.interval->low);
      if (c.interval) REQUIRE(row["ci_high"] == c.interval->high);
      if (c.interval) REQUIRE(row["coverage"] == c.interval->coverage);
      if (c.further_rounds) REQUIRE(row["further_rounds"] == *c.further_rounds);
    }
  }
  CHECK(verdicts["SLOWER"] > 0);  // the stores are not all alike
  CHECK(verdicts["FASTER"] > 0);
  CHECK(verdicts["UNRESOLVED"] > 0);
}

TEST_CASE("questions: best and worst-variance are medians and CVs of the measurements") {
  for (const std::uint64_t seed : seeds) {
    const Scratch scratch;
    {
      store::Store store = store::Store::open(scratch.store());
      fill(store, seed);
    }
    const auto all = store::Store::open(scratch.store(), store::Mode::read_only).measurements({});
    const Grouped groups = grouped(all);
    const store::Questions questions(scratch.store());
    QuestionOptions options;
    options.top = 100;
    options.this_host = small_host().fingerprint();
    const json rows = answer(best, questions, options);
    std::size_t able = 0;
    for (const auto& [key, list] : groups) able += !good(list).empty();
    REQUIRE(rows.size() == able);
    std::map<std::pair<std::string, std::string>, double> last;  // per workload and hardware
    for (const json& row : rows) {
      const specs::Stack stack{row["stack"].get<std::map<std::string, std::string>>()};
      const auto& list = groups.at({row["workload"], row["device"], stack});
      const std::vector<double> rates = good(list);
      REQUIRE(row["value"].get<double>() == Approx(median(rates)).epsilon(1e-12));
      REQUIRE(row["inspections"] == rates.size());
      REQUIRE(row["failures"] == list.size() - rates.size());
      const auto interval = median_interval(rates, 0.95);
      REQUIRE(row["ci_low"].is_null() == !interval.has_value());
      if (interval) REQUIRE(row["ci_low"].get<double>() == Approx(interval->low).epsilon(1e-12));
      if (rates.size() > 1) REQUIRE(row["cv"].get<double>() == Approx(*cv(rates)).epsilon(1e-9));
      REQUIRE(row["evidence"] == "measured");
      const auto [found, first] = last.try_emplace({row["workload"], row["hardware"]}, HUGE_VAL);
      REQUIRE(row["value"].get<double>() <= found->second);
      found->second = row["value"];
      REQUIRE((row["rank"] == 1) == first);
    }
    options.least = 3;
    double previous = HUGE_VAL;
    std::size_t expected = 0;
    for (const auto& [key, list] : groups) expected += good(list).size() >= 3;
    const json spread = answer(worst_variance, questions, options);
    REQUIRE(spread.size() == expected);
    for (const json& row : spread) {
      REQUIRE(row["cv"].get<double>() <= previous);
      previous = row["cv"];
    }
    options.this_host = "another";
    REQUIRE(answer(best, questions, options)[0]["evidence"] == "measured-elsewhere");
  }
}

TEST_CASE("questions: failures and coverage count the measurements") {
  for (const std::uint64_t seed : seeds) {
    const Scratch scratch;
    {
      store::Store store = store::Store::open(scratch.store());
      fill(store, seed);
    }
    const auto all = store::Store::open(scratch.store(), store::Mode::read_only).measurements({});
    struct Tally {
      std::size_t inspections = 0, failed = 0;
      std::map<std::string, std::size_t> outcomes;
    };
    std::map<std::pair<std::string, std::string>, Tally> versions;
    std::map<std::string, std::pair<std::set<specs::Stack>, std::size_t>> workloads;
    for (const store::Measurement& m : all) {
      if (m.sentinel) continue;
      workloads[m.workload.text()].first.insert(m.stack);
      ++workloads[m.workload.text()].second;
      for (const auto& entry : m.stack.components) {
        Tally& tally = versions[entry];
        ++tally.inspections;
        if (m.outcome == specs::Outcome::ok) continue;
        ++tally.failed;
        ++tally.outcomes[specs::to_string(m.outcome)];
      }
    }
    const store::Questions questions(scratch.store());
    const json rows = answer(failures, questions);
    std::size_t failing = 0;
    for (const auto& [version, tally] : versions) failing += tally.failed > 0;
    REQUIRE(rows.size() == failing);
    for (const json& row : rows) {
      const Tally& tally = versions.at({row["component"], row["version"]});
      REQUIRE(row["failed"] == tally.failed);
      REQUIRE(row["inspections"] == tally.inspections);
      REQUIRE(row["outcomes"] == json(tally.outcomes));
      std::size_t others = 0;
      for (const auto& [version, other] : versions)
        if (version.first == row["component"] && version.second != row["version"])
          others += other.failed;
      REQUIRE(row["others_failed"] == others);
      const Interval share = clopper_pearson(tally.failed, tally.inspections, 0.95);
      REQUIRE(row["share_low"] == share.low);
      REQUIRE(share.low < row["share"].get<double>());
      REQUIRE((share.high > row["share"].get<double>() || row["share"] == 1.0));
    }
    std::map<std::string, std::size_t> stacks, inspections;
    for (const json& row : answer(coverage, questions)) {
      inspections[row["workload"]] += row["inspections"].get<std::size_t>();
      REQUIRE(row["stacks"] == workloads.at(row["workload"]).first.size());
      std::map<std::string, std::set<std::string>> seen;
      for (const specs::Stack& stack : workloads.at(row["workload"]).first)
        for (const auto& [name, version] : stack.components) seen[name].insert(version);
      for (const auto& [name, list] : seen) REQUIRE(row["versions"][name] == list.size());
    }
    for (const auto& [workload, expected] : workloads)
      REQUIRE(inspections[workload] == expected.second);
  }
}

TEST_CASE("questions: history is of one stack, and its intervals share the confidence") {
  const Scratch scratch;
  const specs::Stack one{{{"openblas", "0.3.9"}}};
  {
    store::Store store = store::Store::open(scratch.store());
    specs::Random random(5);
    const double rates[] = {100, 100, 80};
    for (int campaign = 0; campaign < 3; ++campaign)
      for (std::uint64_t round = 0; round < 15; ++round) {
        auto d = document(one, {"matmul", {{"m", "64"}}}, "GPU-1",
                          std::string(64, static_cast<char>('a' + campaign)), round,
                          rates[campaign] * std::exp(0.001 * normal(random)));
        d.finished = fmt::format("2025-0{}-01T00:00:{:02}.000Z", campaign + 1, round);
        specs::seal(d);
        store.ingest(d);
      }
  }
  const store::Questions questions(scratch.store());
  CHECK_THROWS_AS(history(questions, {}), stackx::Error);
  QuestionOptions options;
  options.filter.stack = one.id();
  const json rows = answer(history, questions, options);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["verdict"] == "UNRESOLVED");  // campaigns share no round
  CHECK(rows[0]["looks"] == "slower");
  CHECK(rows[1]["looks"] == "equal");
  CHECK(rows[2]["verdict"].is_null());
  CHECK(rows[0]["date"].get<std::string>().starts_with("2025-03-01"));
  CHECK(rows[0]["ratio_vs_previous"].get<double>() == Approx(0.8).epsilon(0.005));
  options.campaign = "bb";
  CHECK(answer(history, questions, options).size() == 1);
}

TEST_CASE("questions: history counts, orders and compares what the measurements say, shown or not") {
  for (const std::uint64_t seed : seeds) {
    const Scratch scratch;
    {
      store::Store store = store::Store::open(scratch.store());
      fill(store, seed);
    }
    // (first, workload, device, campaign): the inspections of each stack, in the order of the first that finished.
    using Place = std::tuple<std::string, std::string, std::string, std::string>;
    std::map<specs::Stack, std::map<Place, std::vector<const store::Measurement*>>> expected;
    const auto all = store::Store::open(scratch.store(), store::Mode::read_only).measurements({});
    for (const auto& [key, list] : grouped(all)) {
      std::map<std::string, std::vector<const store::Measurement*>> campaigns;
      for (const auto* m : list) campaigns[m->campaign].push_back(m);
      for (auto& [campaign, some] : campaigns) {
        const auto* first = std::ranges::min(some, {}, &store::Measurement::finished);
        expected[std::get<2>(key)][{first->finished, std::get<0>(key), std::get<1>(key), campaign}] = some;
      }
    }
    const store::Questions questions(scratch.store());
    for (const auto& [stack, places] : expected) {
      QuestionOptions options;
      options.filter.stack = stack.id();
      const json rows = answer(history, questions, options);
      REQUIRE(rows.size() == places.size());
      std::string before = "9";
      std::size_t compared = 0;
      for (const json& row : rows) {
        REQUIRE(row["date"].get<std::string>() <= before);
        before = row["date"];
        const auto found = places.find(Place{before, row["workload"], row["device"], row["campaign"]});
        REQUIRE(found != places.end());
        const auto rates = good(found->second);
        REQUIRE(row["inspections"] == rates.size());
        REQUIRE(row["failures"] == found->second.size() - rates.size());
        REQUIRE(row["last"] == std::ranges::max(found->second, {}, &store::Measurement::finished)->finished);
        REQUIRE(row["median"].is_null() == rates.empty());
        if (rates.empty()) continue;
        REQUIRE(row["median"].get<double>() == Approx(median(rates)).epsilon(1e-12));
        std::vector<double> previous;  // those that began last of what began earlier
        for (const auto& [place, some] : places)
          if (place < found->first && std::get<1>(place) == row["workload"] && std::get<2>(place) == row["device"])
            if (const auto others = good(some); !others.empty()) previous = others;
        REQUIRE(row["ratio_vs_previous"].is_null() == previous.empty());
        compared += !previous.empty();
        if (!previous.empty())
          REQUIRE(row["ratio_vs_previous"].get<double>() == Approx(std::exp(median(logs(rates)) - median(logs(previous)))).epsilon(1e-9));
      }
      CHECK(compared > 0);
      options.limit = 2;
      const json few = to_json(history(questions, options));
      REQUIRE(few["total"] == places.size());
      for (std::size_t i = 0; i < few["rows"].size(); ++i) REQUIRE(few["rows"][i] == rows[i]);
    }
  }
}

TEST_CASE("questions: published results stand apart, the better direction first") {
  const Scratch scratch;
  {
    store::Store store = store::Store::open(scratch.store());
    const auto publish = [&](const std::string& metric, double value, const std::string& hardware) {
      specs::Published p;
      p.source = {"https://example.org/table", "A table", "r1", "2020-01-01", "2026-01-01", "MIT", "evidence"};
      p.hardware = hardware;
      p.workload = {"train", {{"model", "resnet50"}}};
      p.stack = {{{"cuda", "10.0"}}};
      p.metric = metric;
      p.value = value;
      p.statistic = "best";
      specs::seal(p);
      store.ingest(p);
    };
    publish("images_per_s", 300, "Tesla V100-SXM2-16GB");
    publish("images_per_s", 325, "Tesla V100-SXM2-16GB");
    publish("minutes_to_train", 115, "Tesla V100-SXM2-16GB");
    publish("minutes_to_train", 80, "Tesla V100-SXM2-16GB");
  }
  const store::Questions questions(scratch.store());
  QuestionOptions options;
  options.filter.hardware = "v100";
  const Answer found = best(questions, options);
  const json document = to_json(found);
  REQUIRE(document["rows"].size() == 2);
  for (const json& row : document["rows"]) {
    CHECK(row["evidence"] == "published");
    CHECK(row["source"] == "https://example.org/table");
    CHECK(row["ci_low"].is_null());
    CHECK(row["cv"].is_null());
  }
  std::set<double> values{document["rows"][0]["value"], document["rows"][1]["value"]};
  CHECK(values == std::set<double>{325, 80});
  CHECK(table(found, false, 118).find("published") != std::string::npos);
  CHECK(to_json(sources(questions, options))["rows"][0]["results"] == 4);
  CHECK(to_json(hardware(questions, options))["rows"][0]["published"] == 4);
  options.filter.since = 1'700'000'000'000;
  CHECK(to_json(best(questions, options))["rows"].empty());
}

TEST_CASE("answer: control characters do not reach a terminal, colours only one") {
  Answer one;
  one.question = "test";
  one.columns = {{"name", "name"}, {"value", "value", true}};
  one.rows = {{field(std::string("a\x1b[31m\r\nb\xc2\x9b") + "c\xff"), field(std::size_t{3})}};
  one.stacks = {{{{"evil\x07name", "1\n2"}}}};
  one.colours = {"31"};
  one.total = 2;
  const std::string plain = table(one, false, 118);
  for (const char c : plain) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
  CHECK(plain.find("\xc2\x9b") == std::string::npos);
  CHECK(plain.find("and 1 more") != std::string::npos);
  CHECK(table(one, true, 118).find("\x1b[31m") != std::string::npos);
  CHECK(to_json(one)["rows"][0]["value"] == 3);
  CHECK(csv(one).starts_with("name,value,stack\r\n"));
}

TEST_CASE("csv: no cell is a formula, numbers are numbers, no control character comes out") {
  for (const std::string formula : {"=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "  =cmd|' /C calc'!A0", "-1-1", "+"})
    CHECK(csv_field(formula).starts_with("'"));
  CHECK(csv_field("\r=1") == "' =1");
  CHECK(csv_field("a\nb\t") == "a b ");
  for (const std::string plain : {"-1.5", "-2e-9", "12", "a-b", "", "a=b"}) CHECK(csv_field(plain) == plain);
  CHECK(csv_field("a;=1+1; \"@x;-2;b") == "\"a;'=1+1;' \"\"@x;-2;b\"");
  CHECK(csv_field("=\"a\",b") == "\"'=\"\"a\"\",b\"");
  CHECK(csv_field("a\x1b[2J\xc2\x9b") == "a\\u001b[2J\\u009b");
}
