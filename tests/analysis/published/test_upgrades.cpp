#include "analysis/published/upgrades.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "specs/format/json.hpp"
#include "specs/result/evidence.hpp"

namespace upgrades_tests {

using namespace stackx;
using namespace stackx::analysis;
namespace fs = std::filesystem;

namespace {

const fs::path data = STACKX_SOURCE_DIR "/specs/data";

std::vector<specs::Upgrade> upgrades_of(const std::vector<specs::Published>& results) {
  static const auto accelerators = specs::load_accelerators(data);
  static const auto processors = specs::load_processors(data);
  return upgrades(results, accelerators, processors);
}

using Components = std::map<std::string, std::string>;

// Made-up numbers; nobody measured them.
specs::Published made_up(const Components& stack, double rate, const std::string& model = "a",
                         const std::string& hardware = "NVIDIA GeForce RTX 3090") {
  specs::Published p;
  p.source = {"https://example.org/made-up", "made up", "", "2026-01-01", "2026-11-20", "", "evidence:made-up"};
  p.hardware = hardware;
  p.workload = {"infer_timm", {{"model", model}}};
  p.stack.components = stack;
  p.metric = "samples_per_s";
  p.value = rate;
  return p;
}

std::vector<specs::Published> shipped() {
  std::vector<specs::Published> all;
  for (const auto& entry : fs::recursive_directory_iterator(data / "evidence"))
    if (entry.is_regular_file())
      for (auto& row : specs::load_evidence(entry.path()).rows) all.push_back(std::move(row));
  return all;
}

const specs::Upgrade& find(const std::vector<specs::Upgrade>& all, const std::string& component,
                           const std::string& architecture) {
  const auto found = std::ranges::find_if(all, [&](const auto& upgrade) {
    return upgrade.component == component && upgrade.architecture == architecture;
  });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("an upgrade is a step to the next version, everything else equal", "[upgrades]") {
  const auto all = upgrades_of({made_up({{"torch", "1.9"}, {"cuda", "11.3"}}, 100),
                                made_up({{"torch", "1.10"}, {"cuda", "11.3"}}, 110),  // after 1.9
                                made_up({{"torch", "2.0"}, {"cuda", "12.1"}}, 99),
                                made_up({{"torch", "1.10"}}, 100, "b"), made_up({{"torch", "2.0"}}, 101, "b"),
                                made_up({{"torch", "1.9"}}, 50, "c")});
  REQUIRE(all.size() == 1);
  CHECK(all[0].component == "torch");
  CHECK(all[0].architecture == "ampere");
  CHECK(all[0].steps.n == 3);  // x1.1, x0.9, x1.01
  CHECK(all[0].steps.median == Approx(1.01));
  CHECK(all[0].steps.slower == Approx(1 / 3.0).margin(1e-4));
  CHECK(all[0].steps.faster == Approx(1 / 3.0).margin(1e-4));
  CHECK(all[0].steps.p5 == Approx(0.911));
  REQUIRE(all[0].newest);
  CHECK(all[0].newest->n == 1);
  CHECK(all[0].newest->within == 0);
  CHECK(all[0].newest->median_loss == Approx(110 / 99.0 - 1).margin(1e-4));
  CHECK(all[0].hardware == std::vector<std::string>{"NVIDIA GeForce RTX 3090"});
  CHECK(all[0].sources == std::vector<std::string>{"made up"});
}

TEST_CASE("what differs in more than the version and what comes with it is no upgrade", "[upgrades]") {
  auto older = made_up({{"torch", "1.9"}, {"transformers", "4.1"}}, 100);
  auto newer = made_up({{"torch", "2.0"}, {"transformers", "4.1"}}, 50);
  CHECK(upgrades_of({older, newer}).size() == 1);
  auto other = newer;
  other.stack.components["transformers"] = "4.2";
  CHECK(upgrades_of({older, other}).empty());
  other = newer;
  other.devices = 8;
  CHECK(upgrades_of({older, other}).empty());
  other = newer;
  other.hardware = "NVIDIA GeForce RTX 4090";
  CHECK(upgrades_of({older, other}).empty());
  other = newer;
  other.source.tool = "evidence:somebody-else";
  CHECK(upgrades_of({older, other}).empty());
  older.source.tool = newer.source.tool = "evidence:github-issues";
  CHECK(upgrades_of({older, newer}).empty());
}

TEST_CASE("times are turned into rates, and several results of a version count as their median", "[upgrades]") {
  std::vector<specs::Published> results;
  for (const double ms : {10.0, 11.0, 90.0}) results.push_back(made_up({{"nccl", "2.23"}}, ms));
  results.push_back(made_up({{"nccl", "2.29.2"}}, 5.5));
  for (auto& result : results) result.metric = "elapsed_ms";
  const auto all = upgrades_of(results);
  REQUIRE(all.size() == 1);
  CHECK(all[0].component == "nccl");
  CHECK(all[0].steps.median == Approx(2));
  CHECK_FALSE(all[0].newest);
}

TEST_CASE("the topmost component is asked about; products of matrices use no cuDNN", "[upgrades]") {
  CHECK(upgrades_of({made_up({{"vllm", "0.1"}, {"torch", "2.0"}}, 1), made_up({{"vllm", "0.2"}, {"torch", "2.1"}}, 1)})
            .front().component == "vllm");
  auto one = made_up({{"cuda", "9.0"}, {"cudnn", "7"}}, 1), two = made_up({{"cuda", "10.0"}, {"cudnn", "8"}}, 1);
  CHECK(upgrades_of({one, two}).front().component == "cudnn");
  one.workload.pi = two.workload.pi = "matmul";
  CHECK(upgrades_of({one, two}).front().component == "cuda");
}

TEST_CASE("versions that are none are ordered by their sources' dates, or not at all", "[upgrades]") {
  auto one = made_up({{"mxnet", "git-0a03417"}}, 100), two = made_up({{"mxnet", "1.2.0"}}, 200);
  CHECK(upgrades_of({one, two}).empty());
  one.source.date = "2017-02-17";
  two.source.date = "2018-05-15";
  CHECK(upgrades_of({two, one}).front().steps.median == Approx(2));
}

TEST_CASE("rounds of MLPerf: one submitter's next round with another stack", "[upgrades]") {
  const auto submitted = [](const char* round, const char* submitter, const char* cuda, double rate,
                            const char* hardware = "NVIDIA A100-SXM-80GB") {
    auto p = made_up({{"cuda", cuda}}, rate, "resnet50", hardware);
    p.details = {{"round", round}, {"submitter", submitter}, {"system", "s"}};
    return p;
  };
  const auto all = upgrades_of({submitted("v1.0", "A", "11.1", 100),
                                submitted("v1.1", "A", "11.4", 110, "NVIDIA A100-SXM4-80GB"),  // the same model
                                submitted("v2.0", "A", "11.4", 120),  // the stack of the round before
                                submitted("v1.1", "B", "11.4", 50)});
  REQUIRE(all.size() == 1);
  CHECK(all[0].component == "mlperf-round");
  CHECK(all[0].steps.n == 1);
  CHECK(all[0].steps.median == Approx(1.1));
}

TEST_CASE("specs/data/upgrades.json is what the evidence says", "[upgrades]") {
  const auto all = upgrades_of(shipped());
  std::ifstream in(data / "upgrades.json");
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  INFO("made anew by: stackx query upgrades --json > specs/data/upgrades.json, on a new store");
  CHECK(specs::upgrades_text(all) == kept);
  CHECK(specs::upgrades_text(specs::load_upgrades(data)) == kept);
  // As who compiled the tables counted, independently, from the whole of timm's.
  const auto& torch = find(all, "torch", "cascade-lake");
  CHECK(torch.steps.n == 1312);
  CHECK(torch.steps.median == Approx(1.042).margin(0.0005));
  CHECK(find(all, "torch", "ada").steps.n == 1369);
  CHECK(find(all, "nccl", "blackwell").newest->n == 252);
}

TEST_CASE("how often the newest was right is said by component and architecture", "[upgrades]") {
  const auto all = specs::load_upgrades(data);
  const auto torch = odds_of_newest(all, "torch", "ampere"), anywhere = odds_of_newest(all, "torch", "");
  CHECK(torch.n > 2500);
  CHECK(torch.within > 0.9);
  CHECK(torch.within <= 1);
  CHECK_FALSE(torch.sources.empty());
  CHECK(anywhere.n > torch.n);
  CHECK(odds_of_newest(all, "torch", "volta").n == 0);
  CHECK(odds_of_newest(all, "numpy", "").n == 0);
  CHECK(odds_of_newest(all, "vllm", "hopper").within < 0.7);
}

TEST_CASE("the answer begins with how often a newer version was slower", "[upgrades]") {
  const auto all = specs::load_upgrades(data);
  const auto text = table(upgrades_answer(all, "", "", 0), false, 118);
  CHECK(text.starts_with("A newer version was slower by more than 3% in "));
  CHECK(table(upgrades_answer({}, "torch", " on v100", 0), false, 118)
            .starts_with("Nobody published what a newer torch on v100 changes, everything else equal."));
}

}  // namespace upgrades_tests
