// What `advise --json` printed, read again, and whether fresh rounds bear it out.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/ranking/advice.hpp"
#include "analysis/ranking/ranking.hpp"
#include "specs/error.hpp"
#include "tests/analysis/measurements.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

nlohmann::json advice_document() {
  const double rates[] = {100, 99.9, 80, 60};
  const auto measurements = campaign(4, 12, [&](std::size_t arm, std::uint64_t round) {
    return rates[arm] * (1 + 0.002 * static_cast<double>((arm + round) % 3));
  });
  return to_json(rank(measurements, matmul, {.this_host = here}));
}

Advice read(const nlohmann::json& document) {
  return read_advice(specs::Node::parse_text(document.dump(), "advice.json"));
}

Comparison fresh(Verdict verdict) {
  Comparison result;
  result.verdict = verdict;
  result.pairs = 12;
  return result;
}

}  // namespace

TEST_CASE("advice: what is printed is read") {
  const Advice advice = read(advice_document());
  REQUIRE(advice.stacks.size() == 4);
  CHECK(advice.stacks[0].stack == stack("0.3.0"));
  CHECK(!advice.stacks[0].versus_best);
  CHECK(advice.workload == matmul);
  CHECK(advice.delta == 0.01);
  CHECK(advice.stacks[2].versus_best->verdict == Verdict::slower);
  CHECK(advice.stacks[2].versus_best->ratio == Approx(0.8).epsilon(0.01));
  CHECK(advice.stacks[2].versus_best->pairs == 12);
}

TEST_CASE("advice: the baseline is the first slower one, or the one named") {
  const Advice advice = read(advice_document());
  CHECK(baseline(advice, "").stack == stack("0.3.2"));
  CHECK(baseline(advice, stack("0.3.1").short_id()).stack == stack("0.3.1"));
  CHECK_THROWS_AS(baseline(advice, "nonsense"), Error);
  CHECK_THROWS_AS(baseline(advice, stack("0.3.0").short_id()), Error);  // the advised one itself
  Advice tie = advice;
  tie.stacks.resize(2);
  CHECK(baseline(tie, "").stack == tie.stacks[1].stack);
  tie.stacks.resize(1);
  CHECK_THROWS_AS(baseline(tie, ""), Error);
}

TEST_CASE("advice: a claim holds, is refuted, or stays undecided") {
  const Advice advice = read(advice_document());
  const AdvisedStack& slower = advice.stacks[2];
  CHECK(judge(slower, fresh(Verdict::faster)).claim == Claim::holds);
  CHECK(judge(slower, fresh(Verdict::equivalent)).claim == Claim::refuted);
  CHECK(judge(slower, fresh(Verdict::slower)).claim == Claim::refuted);
  CHECK(judge(slower, fresh(Verdict::unresolved)).claim == Claim::undecided);
  AdvisedStack tie = advice.stacks[1];
  tie.versus_best->verdict = Verdict::unresolved;
  CHECK(judge(tie, fresh(Verdict::equivalent)).claim == Claim::holds);
  CHECK(judge(tie, fresh(Verdict::slower)).claim == Claim::refuted);
}

TEST_CASE("advice: damaged documents are refused by place") {
  const auto message = [](nlohmann::json document) -> std::string {
    try {
      read(document);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  auto document = advice_document();
  document["recommendations"][1]["stack"]["components"]["openblas"] = "6.6.6";
  CHECK(message(document).find("/recommendations/1/stack/id") != std::string::npos);
  document = advice_document();
  document["recommendations"][1]["verdict_vs_best"] = "BETTER";
  CHECK(message(document).find("/recommendations/1/verdict_vs_best: expected FASTER") !=
        std::string::npos);
  document = advice_document();
  document.erase("workload");
  CHECK(message(document).find("workload") != std::string::npos);
  document = advice_document();
  document["recommendations"] = nlohmann::json::array();
  CHECK(message(document).find("no recommendation") != std::string::npos);
}
