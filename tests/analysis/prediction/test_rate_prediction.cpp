#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/prediction/rate_prediction.hpp"
#include "tests/analysis/rate_evidence.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

specs::Workload square(int size, const char* dtype) {
  return {"matmul",
          {{"m", std::to_string(size)},
           {"n", std::to_string(size)},
           {"k", std::to_string(size)},
           {"dtype", dtype}}};
}

}  // namespace

TEST_CASE("a prediction names its interval, its errors and the results it rests on",
          "[rate-prediction]") {
  Predictor predictor("matmul", all_matmul().observations.all);
  const specs::Accelerators& gpus = *all_matmul().accelerators;
  for (const char* name : {"v100", "p40", "a100", "h100", "t4"})
    for (const char* type : {"float32", "float16"})
      for (const int size : {256, 1024, 4096}) {
        const auto* gpu = gpus.identify(name);
        REQUIRE(gpu != nullptr);
        const auto workload = square(size, type);
        if (!specs::peak_of(*gpu, workload)) continue;
        const auto prediction = predictor.predict(workload, *gpu, {{{"cuda", "11.8.0"}}});
        INFO(name << " " << workload.text() << " "
                  << (prediction ? prediction->text() : prediction.error()));
        REQUIRE(prediction);
        CHECK(prediction->low > 0);
        CHECK(prediction->low < prediction->rate);
        CHECK(prediction->rate <= prediction->high);
        CHECK(prediction->high <=
              std::max(prediction->rate, specs::peak_of(*gpu, workload)->rate));
        CHECK(prediction->elapsed_ms * prediction->rate == Approx(2.0 * size * size * size / 1e6));
        CHECK(prediction->attainable <= specs::peak_of(*gpu, workload)->rate);
        CHECK(prediction->results == predictor.model().size());
        CHECK(prediction->models >= 10);
        CHECK(prediction->error.n > 1000);
        CHECK(prediction->error.median < prediction->peak_ratio.median);
        CHECK(prediction->error.median < prediction->nearest.median);
        REQUIRE_FALSE(prediction->basis.empty());
        double share = 0;
        for (const auto& basis : prediction->basis) {
          share += basis.share;
          CHECK(basis.observation.evidence.size() == 64);
          const auto& source = basis.observation.source;
          CHECK((source.starts_with("https://") || source.starts_with("stackx://bench/measured/")));
        }
        CHECK(share <= 1 + 1e-9);
        CHECK((share >= 0.95 || prediction->basis.size() == 20));
        CHECK(to_json(*prediction).at("basis").size() == prediction->basis.size());
      }
}

TEST_CASE("farther evidence, wider interval", "[rate-prediction]") {
  Predictor predictor("matmul", all_matmul().observations.all);
  const specs::Accelerators& gpus = *all_matmul().accelerators;
  const auto width = [&](const char* name) {
    const auto prediction =
        predictor.predict(square(4096, "float16"), *gpus.identify(name), {{{"cuda", "10.1.243"}}});
    REQUIRE(prediction);
    return prediction->rate / prediction->low;
  };
  CHECK(width("v100") < width("a100"));  // measured itself; another architecture was
  CHECK(width("h200") < width("h100"));  // measured itself; its sibling was
  CHECK(width("h100") < width("a100"));  // its sibling was measured; another architecture was
}

TEST_CASE("the rate of a shape next to a published one is next to what was published",
          "[rate-prediction]") {
  Predictor predictor("matmul", all_matmul().observations.all);
  const auto* v100 = all_matmul().accelerators->identify("v100");
  // DeepBench, V100, CUDA 10.1: 112.3 TFLOP/s at m=4096, n=7000, k=4096.
  const auto prediction = predictor.predict(square(4096, "float16"), *v100,
                                            {{{"cuda", "10.1.243"}, {"cudnn", "7.6.2.24"}}});
  REQUIRE(prediction);
  CHECK(prediction->novelty == LeaveOut::shape);
  CHECK(prediction->rate == Approx(112000).epsilon(0.1));
  CHECK(prediction->basis.front().observation.accelerator == v100);
  CHECK(prediction->text().find("left-out shapes") != std::string::npos);
}

TEST_CASE("no prediction without a shape, a peak, evidence, or where a naive rule is as good",
          "[rate-prediction]") {
  const specs::Accelerators& gpus = *deepbench().accelerators;
  const auto* v100 = gpus.identify("v100");
  Predictor matmul("matmul", deepbench().observations.all);
  const auto why = [](const auto& prediction) {
    REQUIRE_FALSE(prediction);
    return prediction.error();
  };
  CHECK(why(matmul.predict(specs::parse_workload("matmul:dtype=float32"), *v100, {}))
            .find("does not say all of its shape") != std::string::npos);
  CHECK(why(matmul.predict(square(64, "int8"), *gpus.identify("p100"), {}))
            .find("no source states the peak rate") != std::string::npos);
  Predictor nothing("matmul", {});
  CHECK(why(nothing.predict(square(64, "float32"), *v100, {})).find("no results") !=
        std::string::npos);
  CHECK(nothing.held_out(LeaveOut::hardware).all.model.n == 0);

  Predictor rnn("rnn", deepbench().observations.all);
  const auto prediction =
      rnn.predict(specs::parse_workload(
                      "rnn:cell=lstm,hidden=1024,batch=32,timesteps=25,pass=fwd,dtype=float32"),
                  *gpus.identify("p40"), {{{"cuda", "8.0.61"}}});
  const std::string refusal = rnn.held_out(LeaveOut::hardware).refusal();
  CHECK(prediction.has_value() == refusal.empty());
  if (!prediction) CHECK(prediction.error() == "the model is " + refusal);
}

TEST_CASE("rates are written with three digits", "[rate-prediction]") {
  CHECK(rate_text(98123) == "98.1 TFLOP/s");
  CHECK(rate_text(744000) == "744 TFLOP/s");
  CHECK(rate_text(1020) == "1.02 TFLOP/s");
  CHECK(rate_text(512.3) == "512 GFLOP/s");
  CHECK(rate_text(4096e3) == "4096 TFLOP/s");
}
