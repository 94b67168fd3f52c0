#include "advisor/answer/package_answer.hpp"

#include <catch2/catch.hpp>

#include "advisor/candidate/newest_candidate.hpp"
#include "tests/advisor/answer/made_up_published.hpp"
#include "tests/advisor/torch_world.hpp"

namespace stackx::advisor {
namespace package_answer_tests {

const std::string a100 = "NVIDIA A100-SXM4-80GB", a10 = "NVIDIA A10", v100 = "Tesla V100-SXM2-16GB";

// torch 2.3.0 and 2.2.1 at three shapes, the older one faster by `ratio`.
std::vector<specs::Published> older_is_faster(double ratio, const std::string& hardware) {
  std::vector<specs::Published> results;
  for (int image : {160, 192, 224}) {
    results.push_back(tests::made_up_published({{"torch", "2.3.0"}}, 100, image, "resnet50", hardware));
    results.push_back(tests::made_up_published({{"torch", "2.2.1"}}, 100 * ratio, image, "resnet50", hardware));
  }
  return results;
}

// Asked for infer_timm on an A100, where torch 2.3.0 is the newest that runs.
Advice answer(const std::vector<specs::Published>& here, const std::vector<specs::Published>& elsewhere,
              RecommendationType type = RecommendationType::performance) {
  tests::Known packages;
  tests::torch_world(packages);
  const auto knowledge = packages.knowledge();
  AdviceOptions options;
  options.type = type;
  HardwareAdvice known;
  known.accelerators = std::make_unique<specs::Accelerators>(specs::load_accelerators(STACKX_SOURCE_DIR "/specs/data"));
  known.accelerator = known.accelerators->identify(a100);
  known.selection.asked = {"infer_timm", {}};
  known.selection.hw = "a100";
  known.wish = tests::wish_for_torch("8.0");
  known.candidate = newest_candidate(knowledge, *known.wish);
  known.by_driver = driver_rows(knowledge, *known.wish, *known.candidate);
  known.published = analysis::rank_published(here, known.selection.asked, *known.accelerators);
  known.family = elsewhere;
  Advice advice;
  answer_packages({known, knowledge, options}, advice);
  return advice;
}

TEST_CASE("package answer: the newest, without evidence") {
  const auto advice = answer({}, {});
  CHECK(advice.found);
  CHECK(advice.candidate->version == "2.3.0");
  CHECK(advice.grade == Grade::newest);
  CHECK(advice.line == "Run torch 2.3.0 (CUDA 13.0, cuDNN 9.20.0) on Python 3.11, driver >=580.");
  CHECK(advice.why == "the newest stack valid on A100; no result shows an older one to be faster.");
  CHECK(advice.by_driver.size() == 3);
}

TEST_CASE("package answer: displaced where one source has an older version faster on the hardware") {
  const auto advice = answer(older_is_faster(1.2, a100), {});
  CHECK(advice.candidate->version == "2.2.1");
  CHECK(advice.grade == Grade::published);
  REQUIRE(advice.expected.size() == 1);
  CHECK(advice.expected[0].value == Approx(120));
  CHECK(advice.why.find("torch 2.3.0 (CUDA 13.0, cuDNN 9.20.0) was slower than torch 2.2.1") == 0);
  CHECK(answer(older_is_faster(1.02, a100), {}).candidate->version == "2.3.0");
  CHECK(answer(older_is_faster(1.2, a100), {}, RecommendationType::latest).candidate->version == "2.3.0");
}

TEST_CASE("package answer: what stackx measured of the very version was measured elsewhere, not published by others") {
  auto own = tests::made_up_published({{"torch", "2.3.0"}}, 100, 224, "resnet50", a100);
  own.source.url = "stackx://bench/measured/made-up.jsonl";
  own.runs = 6;
  own.values = {98, 99, 100, 100, 101, 102};
  const auto advice = answer({own}, {});
  CHECK(advice.grade == Grade::measured_elsewhere);
  CHECK(advice.expect == "Expect 100 samples/s resnet50 [98.0, 102]: MEASURED ELSEWHERE with stackx, n=6.");
  CHECK(answer({tests::made_up_published({{"torch", "2.3.0"}}, 100, 224, "resnet50", a100)}, {}).grade == Grade::published);
}

TEST_CASE("package answer: displaced by another model of the architecture, whose number is not expected here") {
  const auto advice = answer({}, older_is_faster(1.2, a10));
  CHECK(advice.candidate->version == "2.2.1");
  CHECK(advice.grade == Grade::newest);
  CHECK(advice.expected.empty());
  CHECK(advice.why.find("on NVIDIA A10, of the same architecture, ") == 0);
  CHECK(answer({}, older_is_faster(1.2, v100)).candidate->version == "2.3.0");  // another architecture
  // The hardware's own numbers go before those of another model.
  CHECK(answer(older_is_faster(1.0, a100), older_is_faster(1.2, a10)).candidate->version == "2.3.0");
}

}  // namespace package_answer_tests
}  // namespace stackx::advisor
