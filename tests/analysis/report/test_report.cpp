#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "analysis/report/html.hpp"
#include "analysis/report/page_template.hpp"
#include "analysis/report/report.hpp"
#include "analysis/report/tables.hpp"
#include "analysis/report/text.hpp"
#include "analysis/text/table.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

using Measurements = std::vector<store::Measurement>;

specs::Inspection document(const std::string& kernel, const std::string& batch) {
  specs::Inspection inspection;
  inspection.host.cpu.model = "Testium 9000";
  inspection.host.kernel = kernel;
  inspection.host.governor = "performance";
  inspection.parameters["mini_batch"] = batch;
  inspection.runner = "local";
  return inspection;
}

FindDocument documents(const std::string& batch = "4") {
  return [batch](const store::Measurement&) { return document("6.1", batch); };
}

ReportOptions options() {
  ReportOptions result;
  result.ranking.this_host = here;
  result.hw = "sapphire-rapids";
  result.selection = "--hw sapphire-rapids --workload matmul";
  result.stackx_version = "1.2.3";
  return result;
}

Report made(const Measurements& measurements, const std::vector<specs::Plan>& plans = {}) {
  return report(measurements, matmul, plans, documents(), options());
}

Measurements noisy(std::size_t arms = 3, std::uint64_t rounds = 12) {
  specs::Random random(5);
  return campaign(arms, rounds, [&](std::size_t arm, std::uint64_t) {
    return (100.0 - 20.0 * static_cast<double>(arm)) * std::exp(0.02 * normal(random));
  });
}

const ReportTable& table_of(const std::vector<ReportTable>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &ReportTable::name);
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("report: what a box plot shows is what was measured, outliers included") {
  auto measurements = campaign(1, 11, [](std::size_t, std::uint64_t round) {
    return round == 10 ? 20.0 : 100.0 + static_cast<double>(round);
  });
  const Report of = made(measurements);
  REQUIRE(of.distributions.size() == 1);
  const Distribution& box = of.distributions[0];
  CHECK(box.values.size() == 11);
  CHECK(box.median == Approx(104));
  CHECK(box.q1 == Approx(101.5));  // R: quantile(c(20, 100:109), .25)
  CHECK(box.q3 == Approx(106.5));
  CHECK(box.low == Approx(100));
  CHECK(box.high == Approx(109));
  REQUIRE(box.outliers.size() == 1);
  CHECK(box.outliers[0] == Approx(20));
  const auto json = to_json(of);
  CHECK(json["distributions"][0]["rates"].size() == 11);
  CHECK(json["distributions"][0]["outliers"].size() == 1);
  CHECK(json["distributions"][0]["n"] == 11);
}

TEST_CASE("report: it begins with the headline") {
  const Report of = made(noisy());
  CHECK_THAT(of.question, Catch::Contains("3 stacks") && Catch::Contains("sapphire-rapids"));
  CHECK(of.answer == headline(of.ranking, of.ranking.hw).line);
  CHECK_THAT(of.answer, Catch::Contains("OpenBLAS 0.3.0 is FASTEST") && Catch::Contains("GFLOP/s ["));
  CHECK(markdown(of).starts_with("# OpenBLAS 0.3.0 is FASTEST"));
  CHECK_THAT(markdown(of), Catch::Contains("3 stacks, 12 rounds"));
  CHECK(of.common == std::map<std::string, std::string>{{"cpu", "host"}});
  const Report tied = made(campaign(2, 12, [](std::size_t, std::uint64_t round) {
    return 50.0 + static_cast<double>(round % 3);
  }));
  CHECK_THAT(tied.answer, Catch::Contains("Equally fast, within 1%"));
}

TEST_CASE("report: with all samples and all inspections the spread is that of the ranking") {
  const Report of = made(noisy(1, 15));
  const Recommendation& row = of.ranking.recommendations[0];
  REQUIRE(!of.spread.by_samples.empty());
  CHECK(of.spread.by_samples.front().repetitions == 1);
  CHECK(of.spread.by_samples.back().repetitions == 5);
  CHECK(of.spread.by_samples.back().median == Approx(*row.cv));
  CHECK(of.spread.by_inspections.front().repetitions == 6);  // least_values(0.95)
  CHECK(of.spread.by_inspections.back().repetitions == 15);
  CHECK(of.spread.by_inspections.back().median ==
        Approx((row.ci->high - row.ci->low) / row.median));
  CHECK(of.spread.by_samples.back().stacks == 1);
}

TEST_CASE("report: independent samples and inspections shrink the spread by the root of n") {
  specs::Random random(11);
  Measurements measurements;
  for (std::size_t arm = 0; arm < 20; ++arm)
    for (std::uint64_t round = 0; round < 50; ++round) {
      auto m = measurement(stack(fmt::format("0.3.{}", arm)), round, 100);
      m.samples_ns.clear();
      for (int i = 0; i < 50; ++i)
        m.samples_ns.push_back(std::llround(1e10 * std::exp(0.1 * normal(random))));
      measurements.push_back(m);
    }
  const Report of = made(measurements);
  const auto at = [](const std::vector<SpreadPoint>& points, std::size_t repetitions) {
    const auto found = std::ranges::find(points, repetitions, &SpreadPoint::repetitions);
    REQUIRE(found != points.end());
    CHECK(found->stacks == 20);
    CHECK(found->q1 <= found->median);
    CHECK(found->median <= found->q3);
    return found->median;
  };
  CHECK(at(of.spread.by_samples, 1) == Approx(0.1).epsilon(0.1));
  // The median of n normal values has sqrt(pi / 2 / n) times their deviation.
  CHECK(at(of.spread.by_samples, 50) ==
        Approx(0.1 * std::sqrt(std::acos(-1.0) / 2 / 50)).epsilon(0.15));
  const double ratio = at(of.spread.by_inspections, 10) / at(of.spread.by_inspections, 50);
  CHECK(ratio == Approx(std::sqrt(5.0)).epsilon(0.3));

  // Where a process keeps its rate, more samples in it change nothing.
  for (auto& m : measurements) m.samples_ns.assign(50, m.samples_ns.front());
  const Report constant = made(measurements);
  CHECK(at(constant.spread.by_samples, 1) == Approx(at(constant.spread.by_samples, 50)));
}

TEST_CASE("report: the spread is that of parts drawn one by one") {
  specs::Random random(9);
  auto measurements = noisy(2, 40);
  for (auto& m : measurements) {
    const auto middle = static_cast<double>(m.samples_ns[2]);
    m.samples_ns.clear();
    for (std::uint64_t i = 0; i < 31 + m.round % 3; ++i)  // ties, too
      m.samples_ns.push_back(std::llround(middle * (1 + 0.01 * static_cast<double>(random.below(9)))));
  }
  std::vector<const store::Measurement*> pointers;
  for (const auto& m : measurements) pointers.push_back(&m);
  const Rates rates = collect(pointers, here);
  const auto found = spread(rates, 0.95, 4);
  std::map<std::size_t, std::vector<double>> by_samples, by_inspections;
  for (const StackRates& stack : rates.stacks) {
    specs::Random draws(specs::derive_seed(4, stack.stack.id()));
    for (const std::size_t count : {1, 2, 3, 5, 7, 10, 15, 20, 30, 31}) {
      std::vector<double> spreads;
      for (std::size_t draw = 0; draw < found.draws; ++draw) {
        std::vector<double> all;
        for (const Value& value : stack.values) {
          const std::span<const std::int64_t> samples(value.measurement->samples_ns);
          const auto start = draws.below(samples.size() - count + 1);
          all.push_back(rate_of(samples.subspan(start, count), value.measurement->work, rates.unit));
        }
        spreads.push_back(*cv(all));
      }
      by_samples[count].push_back(median(spreads));
    }
    auto all = analysis::rates(stack);
    for (const std::size_t count : {6, 7, 10, 15, 20, 30, 40}) {
      std::vector<double> widths;
      for (std::size_t draw = 0; draw < found.draws; ++draw) {
        for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + draws.below(all.size() - i)]);
        const std::span<const double> part(all.data(), count);
        const auto interval = median_interval(part, 0.95).value();
        widths.push_back((interval.high - interval.low) / median(part));
      }
      by_inspections[count].push_back(median(widths));
    }
  }
  const auto agree = [](const std::vector<SpreadPoint>& points, const std::map<std::size_t, std::vector<double>>& by_count) {
    REQUIRE(points.size() == by_count.size());
    for (const SpreadPoint& point : points) CHECK(point.median == median(by_count.at(point.repetitions)));
  };
  agree(found.by_samples, by_samples);
  agree(found.by_inspections, by_inspections);
}

TEST_CASE("report: the same measurements in any order give the same report") {
  auto measurements = noisy();
  measurements.push_back(failure(stack("0.3.1"), 90, specs::Outcome::crashed, "signal 11"));
  const std::string first = to_json(made(measurements)).dump();
  specs::Random random(3);
  random.shuffle(measurements);
  CHECK(to_json(made(measurements)).dump() == first);
}

TEST_CASE("report: sizes are what differs in whole numbers and does not say how to measure") {
  const auto sized = [](std::map<std::string, std::string> params, const std::string& version,
                        std::uint64_t round, double gflops) {
    auto m = measurement(stack(version), round, gflops);
    m.workload = {"matmul", std::move(params)};
    m.inspection += m.workload.text();
    return m;
  };
  const auto cube = [](int side, const char* threads = "1", const char* dtype = "float32") {
    const std::string s = std::to_string(side);
    return std::map<std::string, std::string>{
        {"m", s}, {"n", s}, {"k", s}, {"threads", threads}, {"dtype", dtype}};
  };
  Measurements measurements;
  for (std::uint64_t round = 0; round < 5; ++round)
    for (const int side : {128, 512, 256}) {
      measurements.push_back(sized(cube(side), "a", round, side + static_cast<double>(round)));
      if (side != 256) measurements.push_back(sized(cube(side), "b", round, 0.5 * side));
    }
  // Measured with fewer repetitions, it is still the same operation.
  for (auto& m : measurements)
    m.workload.params["repetitions"] = m.workload.params["m"] == "512" ? "5" : "20";
  measurements.push_back(sized(cube(512, "2"), "a", 0, 9));
  measurements.push_back(sized(cube(512, "1", "float64"), "a", 0, 9));
  auto failed = sized(cube(256), "b", 7, 1);
  failed.samples_ns.clear();
  failed.outcome = specs::Outcome::timed_out;
  measurements.push_back(failed);
  const auto four = [](const store::Measurement&) { return std::optional(4.0); };

  const auto of = sizes(measurements, {"matmul", cube(512)}, "GFLOP/s", here, four);
  REQUIRE(of);
  CHECK(of->axis == "k = m = n");
  CHECK(of->workloads.size() == 3);
  REQUIRE(of->curves.size() == 2);
  const SizeCurve& a = of->curves[0];
  REQUIRE(a.points.size() == 3);
  CHECK(a.points[0].size == 128);
  CHECK(a.points[2].size == 512);
  CHECK(a.points[2].inspections == 5);
  CHECK(a.points[2].rate->median == Approx(514));
  CHECK(a.points[2].rate->q1 == Approx(513));
  CHECK(a.points[2].rate->q3 == Approx(515));
  // 1e12 flop a sample at 514 GFLOP/s, four operations in it.
  CHECK(a.points[2].seconds->median == Approx(1e12 / 514e9 / 4).epsilon(1e-6));
  const SizeCurve& b = of->curves[1];
  REQUIRE(b.points.size() == 3);
  CHECK(b.points[1].failed == 1);
  CHECK(!b.points[1].rate);
  CHECK(of->without_batch == 0);
  const auto nobody = [](const store::Measurement&) { return std::optional<double>(); };
  CHECK(sizes(measurements, {"matmul", cube(512)}, "GFLOP/s", here, nobody)->without_batch == 25);
  CHECK(!sizes(measurements, {"matmul", cube(512, "2")}, "GFLOP/s", here, four));

  for (auto& m : measurements) m.workload.params["k"] = "64";
  auto fixed = cube(512);
  fixed["k"] = "64";
  CHECK(sizes(measurements, {"matmul", fixed}, "GFLOP/s", here, four)->axis == "m = n");
  for (auto& m : measurements) m.workload.params["n"] = m.workload.params["m"] == "128" ? "8" : "2";
  fixed["n"] = "2";
  const auto mean = sizes(measurements, {"matmul", fixed}, "GFLOP/s", here, four);
  CHECK(mean->axis == "geometric mean of m, n");
  CHECK(mean->curves[0].points[0].size == Approx(std::sqrt(256 * 2.0)));
}

TEST_CASE("report: of very many sizes some hundred are shown, of very many rows the first, and the page says so") {
  Measurements measurements;
  for (int size = 1; size <= 3000; ++size) {
    measurements.push_back(measurement(stack("a"), 0, 100));
    measurements.back().workload = {"matmul", {{"m", std::to_string(size)}}};
    measurements.back().inspection += std::to_string(size);
  }
  const std::clock_t begin = std::clock();
  const Report of = report(measurements, {"matmul", {{"m", "512"}}}, {}, documents(), options());
  REQUIRE(of.sizes);
  CHECK(of.sizes->workloads.size() == 500);
  CHECK(of.sizes->workloads.front().params.at("m") == "1");
  CHECK(of.sizes->workloads.back().params.at("m") == "3000");
  CHECK_THAT(markdown(of), Catch::Contains("3000 sizes were measured; the curves over size have 500 of them"));
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 5);  // of the processor

  ReportTable table{"ranking", "Ranking", "Stacks.", {{"row", "#"}}, {}};
  for (std::size_t i = 0; i < most_rows; ++i) table.rows.push_back({{std::to_string(i)}});
  CHECK(for_people(table).caption == "Stacks.");
  table.rows.resize(2000, {{"x"}});
  CHECK(for_people(table).rows.size() == most_rows);
  CHECK(for_people(table).caption == "Stacks. The first 500 of 2000 rows; stackx report --format csv --table ranking has all.");
  CHECK(std::ranges::count(csv(table), '\n') == 2001);
}

TEST_CASE("report: failures are counted by reason, with their stacks") {
  auto measurements = noisy();
  for (std::uint64_t round = 0; round < 3; ++round)
    measurements.push_back(
        failure(stack("bad"), round, specs::Outcome::wrong_result, "error 0.5 > 1e-6"));
  measurements.push_back(failure(stack("0.3.1"), 40, specs::Outcome::crashed, "signal 11"));
  const Report of = made(measurements);
  REQUIRE(of.failures.size() == 2);
  CHECK(of.failures[0].outcome == "wrong_result");
  CHECK(of.failures[0].inspections == 3);
  REQUIRE(of.failures[0].stacks.size() == 1);
  CHECK_THAT(of.failures[0].stacks[0], Catch::Contains("openblas bad"));
  CHECK(of.failures[1].inspections == 1);
}

TEST_CASE("report: machines that agree are one, those that do not stand side by side") {
  auto measurements = noisy(1, 3);
  for (std::uint64_t round = 0; round < 3; ++round)
    for (const char* other : {"d", "e"}) {
      auto m = measurement(stack("0.3.0"), round, 100);
      m.campaign = std::string(64, *other);
      m.inspection = fmt::format("{}-{}", other, round);
      measurements.push_back(m);
    }
  std::vector<const store::Measurement*> pointers;
  for (const auto& m : measurements) pointers.push_back(&m);
  const auto of = machines(pointers, [](const store::Measurement& m) {
    return std::optional(document(m.inspection.starts_with("e-") ? "6.9" : "6.1", "1"));
  });
  REQUIRE(of.size() == 2);
  CHECK(of[0].campaigns.size() == 2);
  CHECK(of[0].inspections == 6);
  CHECK(of[1].inspections == 3);
  CHECK(of[0].facts.size() == of[1].facts.size());
  CHECK(std::ranges::count(of[1].facts, std::pair<std::string, std::string>("Kernel", "6.9")) == 1);
  CHECK(machines(pointers, [](const store::Measurement&) {
          return std::optional<specs::Inspection>();
        }).empty());
}

TEST_CASE("report: commands repeat the campaign with its seed, and nothing sneaks into a shell") {
  auto measurements = noisy(2, 3);
  specs::Plan plan;
  plan.id = measurements[0].campaign;
  plan.project = "mine\nrm -rf /\n";
  plan.seed = plan.campaign.sampler.seed = 42;
  plan.campaign.rounds = 3;
  const Report of = made(measurements, {plan});
  std::string all;
  for (const std::string& command : of.commands) {
    CHECK(command.find('\n') == std::string::npos);
    CHECK((command.starts_with("# ") || command.starts_with("stackx ")));
    all += command + "\n";
  }
  CHECK_THAT(all, Catch::Contains("--seed 42") && Catch::Contains("--rounds 3") &&
                      Catch::Contains("export --campaign cccccccccccc") &&
                      Catch::Contains("stackx report --hw sapphire-rapids"));
}

TEST_CASE("report: CSV holds the numbers in full and quotes what has to be") {
  auto measurements = noisy();
  for (auto& m : measurements) m.stack.components["odd,\"name\""] = m.stack.components["openblas"];
  const Report of = made(measurements);
  const auto all = tables(of);
  const auto rows = lines_of(csv(table_of(all, "values")));
  REQUIRE(rows.size() == 1 + 36);
  CHECK(rows[0] == "id,stack,inspection,campaign,round,rate,samples\r");
  const std::string rate = fmt::format("{}", of.distributions[0].values[0].rate);
  CHECK_THAT(rows[1], Catch::Contains("," + rate + ",5\r"));
  CHECK_THAT(rows[1], Catch::Contains("\"odd,\"\"name\"\" 0.3.0, openblas 0.3.0\""));
  const auto ranking = lines_of(csv(table_of(all, "ranking")));
  CHECK(ranking.size() == 4);
  CHECK_THAT(ranking[0], Catch::Contains("ci_low,ci_high") && !Catch::Contains("CI"));
  CHECK_THAT(ranking[1], Catch::Contains(fmt::format("{}", of.ranking.recommendations[0].median)));
}

TEST_CASE("report: every table of people fits its columns") {
  for (const ReportTable& table : tables(made(noisy()))) {
    INFO(table.name);
    CHECK(!table.caption.empty());
    for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
    CHECK_FALSE(table.rows.empty());
  }
}

TEST_CASE("report: what documents say cannot become part of the page") {
  const std::string evil = "</script><script>alert('x')</script><!--{{answer}}\"&";
  auto measurements = noisy();
  for (auto& m : measurements) m.stack.components["openblas"] += evil;
  measurements.push_back(failure(stack("bad" + evil), 0, specs::Outcome::failed, evil));
  specs::Plan plan;
  plan.id = measurements[0].campaign;
  plan.project = evil;
  const Report of = report(measurements, matmul, {plan},
                           [&](const store::Measurement&) { return document(evil, "1"); },
                           options());
  const std::string page = html(of, "/* </script> of a library */", "none");
  CHECK(page.find("<script>alert") == std::string::npos);
  CHECK(page.find("<!--{{") == std::string::npos);
  // The data, the library, the script: each element ends where it should, three times in all.
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = page.find("</script", at)) != std::string::npos; ++at) ++ends;
  CHECK(ends == 3);
  CHECK_THAT(page, Catch::Contains("&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"));
  const std::size_t start = page.find('>', page.find("id=\"report-data\"")) + 1;
  const auto data = nlohmann::json::parse(page.substr(start, page.find("</script", start) - start));
  CHECK(data == to_json(of));
  CHECK_THAT(data["distributions"][0]["label"].get<std::string>(), Catch::Contains(evil));

  for (const std::string& line : lines_of(markdown(of)))
    if (!line.starts_with("    ")) CHECK(line.find("<script>") == std::string::npos);
}

TEST_CASE("report: Markdown's tables survive bars and line breaks") {
  auto measurements = noisy();
  measurements.push_back(
      failure(stack("bad"), 0, specs::Outcome::failed, "a | b\n| c `d` <e> [f](g)"));
  const std::string text = markdown(made(measurements));
  CHECK_THAT(text, Catch::Contains("a \\| b \\| c \\`d\\` &lt;e\\> \\[f\\](g)"));
  std::size_t columns = 0;
  for (const std::string& line : lines_of(text)) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    if (!line.starts_with("|")) columns = 0;
    if (line.starts_with("|") && columns > 0) CHECK(bars == columns);
    if (line.starts_with("|")) columns = bars;
  }
}

TEST_CASE("report: without the chart library the page says so and keeps all tables") {
  const Report of = made(noisy());
  const std::string page = html(of, "", "Charts are missing: install <it>.");
  CHECK_THAT(page, Catch::Contains("Charts are missing: install &lt;it&gt;."));
  CHECK(page.find("<script>") == std::string::npos);
  CHECK_THAT(page, Catch::Contains("class=\"ranking\"") && Catch::Contains("class=\"rounds\""));
  CHECK_THAT(page, Catch::Contains("class=\"distributions\""));
}

TEST_CASE("report: when every stack failed there is a page, too") {
  Measurements measurements;
  for (std::uint64_t round = 0; round < 3; ++round)
    measurements.push_back(failure(stack("a"), round, specs::Outcome::build_failed, "no network"));
  const Report of = made(measurements);
  CHECK(of.distributions.empty());
  CHECK_THAT(of.answer, Catch::Contains("failed"));
  CHECK_THAT(html(of, "", "no charts"), Catch::Contains("no network"));
  CHECK_THAT(markdown(of), Catch::Contains("no network"));
  CHECK(to_json(of)["distributions"].empty());
}

TEST_CASE("page template: values, sections, and mistakes of whoever wrote it") {
  const std::map<std::string, std::string> values{{"a", "{{b}}"}, {"b", ""}};
  CHECK(fill("<{{a}}{{b}}>", values) == "<{{b}}>");
  CHECK(fill("{{#a}}yes{{/a}}{{#b}}no{{/b}}{{^b}}{{a}}{{/b}}{{^a}}no{{/a}}", values) == "yes{{b}}");
  CHECK_THROWS_AS(fill("{{c}}", values), std::invalid_argument);
  CHECK_THROWS_AS(fill("{{#a}}", values), std::invalid_argument);
  CHECK_THROWS_AS(fill("{{a", values), std::invalid_argument);
}

namespace {

// Rates are items a second of all workers: 100 alone, of `a` 170 of two and 320 of four, of `b` half as much, perfectly scaled.
Measurements of_workers(bool component) {
  Measurements measurements;
  for (std::uint64_t round = 0; round < 4; ++round)
    for (const auto& [workers, rate] : std::map<std::string, double>{{"1", 100}, {"2", 170}, {"4", 320}})
      for (const std::string name : {"a", "b"}) {
        auto one = measurement(stack(name), round, name == "a" ? rate : 50 * std::stod(workers));
        one.workload = {"matmul", {{"m", "64"}}};
        if (component)
          one.stack.components["workers"] = workers;
        else
          one.workload.params["workers"] = workers;
        one.inspection += name + workers;
        measurements.push_back(one);
      }
  return measurements;
}

}  // namespace

TEST_CASE("report: rate against workers, and how much of it each is still worth, whoever says how many there are") {
  for (const bool component : {false, true}) {
    const specs::Workload asked{"matmul", {{"m", "64"}}};
    specs::Workload ranked = asked;
    if (!component) ranked.params["workers"] = "2";
    const Report of = report(of_workers(component), ranked, {}, documents(), options());
    REQUIRE(of.sizes);
    CHECK(of.sizes->axis == "workers");
    REQUIRE(of.sizes->curves.size() == 2);
    const auto& a = of.sizes->curves[0].points;
    REQUIRE(a.size() == 3);
    CHECK(a[0].size == 1);
    CHECK(a[2].rate->median == Approx(320));
    CHECK(*a[0].efficiency == Approx(1));
    CHECK(*a[1].efficiency == Approx(0.85));
    CHECK(*a[2].efficiency == Approx(0.8));
    for (const SizePoint& point : of.sizes->curves[1].points) CHECK(*point.efficiency == Approx(1));
    const auto tables = analysis::tables(of);
    const ReportTable& table = table_of(tables, "sizes");
    CHECK(table.columns.back().key == "efficiency");
    CHECK_THAT(table.title, Catch::Contains("against workers"));
    CHECK_THAT(html(of, "", "no charts"), Catch::Contains("The same training on several workers"));
    CHECK(to_json(of)["sizes"]["curves"][0]["points"][1]["efficiency"] == Approx(0.85));
  }
}

TEST_CASE("report: sizes that are none of workers have no efficiency") {
  Measurements measurements;
  for (const char* side : {"64", "128"}) {
    measurements.push_back(measurement(stack("a"), 0, 100));
    measurements.back().workload = {"matmul", {{"m", side}}};
    measurements.back().inspection += side;
  }
  const Report of = report(measurements, {"matmul", {{"m", "64"}}}, {}, documents(), options());
  CHECK(!of.sizes->curves[0].points[0].efficiency);
  CHECK(to_json(of)["sizes"]["curves"][0]["points"][0]["efficiency"].is_null());
  const auto tables = analysis::tables(of);
  CHECK(table_of(tables, "sizes").columns.back().key == "seconds_q3");
}
