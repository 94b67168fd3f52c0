#include <catch2/catch.hpp>

#include "bench/advice/backtest.hpp"
#include "bench/advice/campaigns.hpp"
#include "bench/advice/tables.hpp"
#include "tests/specs/files.hpp"

using namespace stackx;
using namespace stackx::bench;
using Catch::Matchers::Contains;

namespace {

// 20 models on torch 2.1.0 and 2.4.0, made up: the newer is slower by a fifth on the 3090, faster on the V100, of which
// one number is bad.
std::string evidence() {
  std::string text = R"({"$schema": "stackx/evidence/1", "source": [{"url": "https://example.org/a", "title": "made up",
    "date": "2026-01-01", "read": "2026-11-20"}], "notes": ["made up"], "tables": [)";
  for (const bool first : {true, false})
    for (const std::string hardware : {"NVIDIA GeForce RTX 3090", "Tesla V100-SXM2-16GB"}) {
      const bool slow = hardware == "NVIDIA GeForce RTX 3090";
      const double rate = first ? 100 : slow ? 80 : 110;
      text += R"({"source": 0, "hardware": ")" + hardware +
              R"(", "devices": 1, "pi": "infer_timm", "metric": "samples_per_s",
        "stack": {"torch": ")" +
              (first ? "2.1.0" : "2.4.0") +
              R"("}, "columns": ["params.model", "params.image_size", "value"], "rows": [)";
      for (int i = 0; i < 20; ++i)
        text += (i ? ", " : "") + ("[\"model" + std::to_string(i % 2) + "\", ") + std::to_string(100 + i) + ", " +
                std::to_string(!slow && !first && i == 7 ? 60 : rate + i) + "]";
      text += first || slow ? "]}, " : "]}";
    }
  return text + "]}";
}

Evidence made_up(const tests::Files& files) {
  std::filesystem::create_directories(files.path() / "evidence" / "infer_timm");
  files.write("evidence/infer_timm/made-up.json", evidence());
  const auto shipped = std::filesystem::path(STACKX_SOURCE_DIR) / "specs/data";
  return load_evidence_of(shipped, files.path() / "evidence");
}

}  // namespace

TEST_CASE("backtest: shares of a tiny made-up evidence", "[backtest]") {
  const tests::Files files;
  const auto evidence = made_up(files);
  REQUIRE(evidence.results.size() == 80);
  // Right 39 times of 40 is what the other models can teach; the newest: 0 of 20 on the 3090, 19 of 20 on the V100.
  CHECK(lines("workload", backtest(evidence, HoldOut::workload)) ==
        "| workload | advice | 40 | 97.5% | 97.5% | 0.0% | 0.0% | 78% |\n"
        "| workload | newest | 40 | 47.5% | 47.5% | 20.3% | 24.7% | 78% |\n"
        "| workload | best published | 40 | 97.5% | 97.5% | 0.0% | 0.0% | 78% |\n");
  for (const auto what : {HoldOut::time, HoldOut::hardware, HoldOut::source})
    CHECK_THAT(lines("x", backtest(evidence, what)), Contains("| x | advice | 40 | 47.5% |"));
  const auto left = departures("workload", backtest(evidence, HoldOut::workload));
  CHECK_THAT(left, Contains("| workload | torch | 20 | 100% | 0% |"));
  CHECK_THAT(component_lines("family", backtest(evidence, HoldOut::family)),
             Contains("| family | torch | 40 | 2 | 97.5%"));
}

TEST_CASE("backtest: what is chosen after half of a campaign", "[backtest]") {
  const tests::Files files;
  std::string text;
  for (const auto& [version, rate] : std::map<std::string, std::string>{{"0.3.21", "100"}, {"0.3.30", "50"}}) {
    text += R"({"campaign": "one", "workload": "matmul:m=64,n=64,k=64", "stack": {"openblas": ")" + version +
            R"("}, "gflop_s": [)";
    for (int i = 0; i < 16; ++i) text += (i ? "," : "") + rate + "." + std::to_string(i % 7);
    text += "]}\n";
  }
  const auto answers = backtest_campaigns(files.write("campaigns.jsonl", text));
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].tied == 1);
  CHECK(answers[0].choices[0].regret == 0);
  CHECK(answers[0].choices[2].regret == Approx(1).margin(0.01));
  CHECK_THAT(campaign_table(answers),
             Contains("| **within 3% of the best** | | | 2 of 2 | 2 of 2 | 0 of 2 | 2 of 2 |"));
}
