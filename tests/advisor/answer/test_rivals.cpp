#include <catch2/catch.hpp>

#include "advisor/answer/rivals.hpp"
#include "tests/advisor/answer/made_up_published.hpp"

// Names of their own: one unit with other files of the folder.
namespace rivals_tests {

using namespace stackx;
using namespace stackx::advisor;

namespace {

using Stack = std::map<std::string, std::string>;
const Stack old_torch{{"torch", "2.1.0"}}, new_torch{{"torch", "2.4.0"}}, tensorflow{{"tensorflow", "2.12.0"}};

struct MadeUp {
  std::vector<specs::Published> results;

  // `shapes` of one model, the second stack's rate over the first's.
  MadeUp& add(const Stack& first, const Stack& second, std::vector<double> ratios,
              const std::string& model = "resnet50") {
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      const double rate = 100.0 + double(i);
      results.push_back(tests::made_up_published(first, rate, 128 + 32 * int(i), model));
      results.push_back(tests::made_up_published(second, rate * ratios[i], 128 + 32 * int(i), model));
    }
    return *this;
  }
};

const specs::Accelerators& gpus() {
  static const auto loaded = specs::load_accelerators(STACKX_SOURCE_DIR "/specs/data");
  return loaded;
}

// Versions faster than torch `version`.
std::vector<std::string> faster(const std::vector<specs::Published>& results, const std::string& version = "2.4.0",
                                const std::string& workload = "infer_timm") {
  const auto ranking = analysis::rank_published(results, specs::parse_workload(workload), gpus());
  std::vector<std::string> versions;
  for (const auto& rival : rivals_of(ranking, "torch", version, "").faster)
    versions.push_back(rival.row->stack.components.at("torch"));
  return versions;
}

using Versions = std::vector<std::string>;

}  // namespace

TEST_CASE("rivals: the newest is displaced where an interval over shapes says so", "[rivals]") {
  CHECK(faster(MadeUp().add(new_torch, old_torch, {1.05, 1.06, 1.04, 1.05, 1.07, 1.05, 1.05}).results) ==
        Versions{"2.1.0"});
  SECTION("not by less than two collections of one version differ") {
    CHECK(
        faster(MadeUp().add(new_torch, old_torch, {1.015, 1.018, 1.016, 1.015, 1.017, 1.015, 1.018}).results).empty());
  }
  SECTION("not where the shapes disagree") {
    CHECK(faster(MadeUp().add(new_torch, old_torch, {1.3, 1.3, 1.3, 1.3, 0.9, 0.9, 0.9}).results).empty());
  }
  SECTION("not where it is the faster one") {
    CHECK(faster(MadeUp().add(new_torch, old_torch, {0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9}).results).empty());
  }
}

TEST_CASE("rivals: few shapes must differ by a tenth and agree", "[rivals]") {
  CHECK(faster(MadeUp().add(new_torch, old_torch, {1.05}).results).empty());
  CHECK(faster(MadeUp().add(new_torch, old_torch, {1.12}).results) == Versions{"2.1.0"});
  CHECK(faster(MadeUp().add(new_torch, old_torch, {1.12, 1.15, 1.05}).results) == Versions{"2.1.0"});
  CHECK(faster(MadeUp().add(new_torch, old_torch, {1.12, 1.15, 0.99}).results).empty());
}

TEST_CASE("rivals: one model of many is no reason", "[rivals]") {
  MadeUp many;
  for (int i = 0; i < 20; ++i) many.add(new_torch, old_torch, {i == 7 ? 1.4 : 0.98}, "model" + std::to_string(i));
  CHECK(faster(many.results).empty());
  CHECK(faster(many.results, "2.4.0", "infer_timm:model=model7") == Versions{"2.1.0"});
}

TEST_CASE("rivals: nothing is swapped across frameworks, nothing without the candidate's own numbers", "[rivals]") {
  const auto results =
      MadeUp().add(new_torch, tensorflow, {2, 2, 2, 2, 2, 2, 2}).add(new_torch, old_torch, {0.9, 0.9}, "vgg").results;
  CHECK(faster(results) == Versions{});
  CHECK(faster(results, "2.9.0").empty());
  CHECK_FALSE(rivals_of(analysis::rank_published(results, {"infer_timm", {}}, gpus()), "torch", "2.9.0", "").own);
}

TEST_CASE("rivals: numbers of two sources are no pair", "[rivals]") {
  auto results = MadeUp().add(new_torch, old_torch, {1.5, 1.5}).results;
  CHECK(faster(results) == Versions{"2.1.0"});
  for (auto& one : results)
    if (one.stack.components == old_torch) one.source.tool = "evidence:somebody-else";
  CHECK(faster(results).empty());
}

TEST_CASE("rivals: the best first, of CUDA the one that was measured", "[rivals]") {
  const Stack older{{"torch", "2.0.0"}, {"cuda", "11.8"}}, old{{"torch", "2.1.0"}, {"cuda", "12.1"}},
      now{{"torch", "2.4.0"}, {"cuda", "12.4"}};
  const auto results = MadeUp().add(now, old, {1.2, 1.2}).add(now, older, {1.3, 1.3}).results;
  const auto ranking = analysis::rank_published(results, {"infer_timm", {}}, gpus());
  const auto rivals = rivals_of(ranking, "torch", "2.4.0", "12.4");
  REQUIRE(rivals.faster.size() == 2);
  CHECK(rivals.faster[0].row->stack.components.at("cuda") == "11.8");
  CHECK(rivals.faster[0].over.ratio == Approx(1.3));
  CHECK_FALSE(rivals_of(ranking, "torch", "2.4.0", "12.6").own);
}

TEST_CASE("rivals: like hardware is another model of the architecture", "[rivals]") {
  const std::vector<specs::Published> family{tests::made_up_published(new_torch, 1, 224, "a", "NVIDIA H100 80GB HBM3"),
                                             tests::made_up_published(new_torch, 1, 224, "a", "NVIDIA H200"),
                                             tests::made_up_published(new_torch, 1, 224, "a", "NVIDIA GeForce RTX 3090")};
  const auto found = on_like_hardware(family, *gpus().identify("NVIDIA H200"), gpus());
  REQUIRE(found.size() == 1);
  CHECK(found[0].hardware == "NVIDIA H100 80GB HBM3");
  CHECK(kind_of_work(specs::parse_workload("matmul:dtype=float16,m=512")) ==
        specs::parse_workload("matmul:dtype=float16"));
}

}  // namespace rivals_tests
