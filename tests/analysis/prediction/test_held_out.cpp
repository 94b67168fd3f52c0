#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/prediction/held_out.hpp"
#include "analysis/prediction/roofline.hpp"
#include "tests/analysis/measurements.hpp"
#include "tests/analysis/rate_evidence.hpp"

using namespace stackx;
using namespace stackx::analysis;
using namespace stackx::test;

namespace {

double roof(const specs::Workload& workload, const specs::Accelerator& gpu) {
  const Operation operation = *operation_of(workload);
  return operation.flop / 1e9 /
         expected_seconds(operation, {gpu.peaks.at("float32") * 1000, *gpu.bandwidth_gb_s});
}

void check_whole(const HeldOut& trials, const RateModel& model) {
  std::size_t rows = 0;
  double covered = 0;
  for (const HeldOutGroup& group : trials.groups) {
    CHECK(group.coverage >= 0);
    CHECK(group.coverage <= 1);
    CHECK(group.model_beside.n == group.peak_ratio.n);
    CHECK(group.model_beside.n == group.nearest.n);
    CHECK(group.model_beside.n <= group.model.n);
    rows += group.model.n;
    covered += group.coverage * static_cast<double>(group.model.n);
  }
  CHECK(rows == trials.all.model.n);
  CHECK(rows <= model.size());
  CHECK(trials.rows == model.size());
  CHECK(covered / static_cast<double>(rows) == Approx(trials.all.coverage));
}

}  // namespace

TEST_CASE("errors: median, mean, and the ninth decile", "[held-out]") {
  const Errors errors = errors_of({0.5, 0.1, 0.3, 0.2, 0.4});
  CHECK(errors.n == 5);
  CHECK(errors.median == Approx(0.3));
  CHECK(errors.mean == Approx(0.3));
  CHECK(errors.p90 == Approx(0.46));
  CHECK(errors_of({}).n == 0);
  CHECK(errors_of({0.7}).p90 == Approx(0.7));
  CHECK(factor(std::log(1.25)) == Approx(1.25));
}

TEST_CASE("of intervals on held-out GPUs that differ by chance, about 80% hold", "[held-out]") {
  std::size_t rows = 0;
  double covered = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    MadeUp made_up(10, 30, seed);
    std::map<const specs::Accelerator*, double> of_gpu;
    for (const auto& gpu : made_up.accelerators) of_gpu[gpu.get()] = 0.1 * normal(made_up.random);
    made_up.measure([&](const auto& workload, const auto& gpu) {
      return roof(workload, gpu) * std::exp(of_gpu[&gpu] + 0.1 * normal(made_up.random));
    });
    const RateModel model("matmul", made_up.observations);
    const HeldOut trials = held_out(model, LeaveOut::hardware);
    check_whole(trials, model);
    rows += trials.all.model.n;
    covered += trials.all.coverage * static_cast<double>(trials.all.model.n);
  }
  REQUIRE(rows == 3600);
  CHECK(covered / static_cast<double>(rows) > 0.72);  // 120 GPUs: a standard error of 2 to 3%
  CHECK(covered / static_cast<double>(rows) < 0.88);
}

TEST_CASE("a quantile that knows the group would hold too often: the trial does not",
          "[held-out]") {
  // Nine GPUs as the roofline says, a tenth at half of it: the others cannot foresee that.
  MadeUp made_up(10, 30, 20);
  made_up.measure([&](const auto& workload, const auto& gpu) {
    const double noise = std::exp(0.02 * normal(made_up.random));
    return roof(workload, gpu) * noise * (gpu.name == "made-up-0" ? 0.5 : 1);
  });
  const RateModel model("matmul", made_up.observations);
  const HeldOut trials = held_out(model, LeaveOut::hardware);
  for (const HeldOutGroup& group : trials.groups)
    if (group.name == "made-up-0") CHECK(group.coverage < 0.2);
  CHECK(trials.all.coverage < 0.9);
}

TEST_CASE("where a naive rule is as good, the model says so and is not used", "[held-out]") {
  // Every GPU the same rates: the nearest hardware's number is exact, whatever its peak.
  MadeUp same(6, 40, 30);
  same.measure(
      [](const auto& workload, const auto&) { return 100 + std::stod(workload.params.at("m")); });
  const HeldOut nearest = held_out(RateModel("matmul", same.observations), LeaveOut::hardware);
  CHECK(nearest.all.nearest.mean == Approx(0).margin(1e-12));
  CHECK_FALSE(nearest.better());
  CHECK(nearest.refusal().find("no better than a naive rule") != std::string::npos);

  // Every GPU the same share of its peak: the peak ratio is exact.
  MadeUp share(6, 40, 31);
  share.measure([](const auto&, const auto& gpu) { return 700 * gpu.peaks.at("float32"); });
  const HeldOut ratio = held_out(RateModel("matmul", share.observations), LeaveOut::hardware);
  CHECK(ratio.all.peak_ratio.mean == Approx(0).margin(1e-12));
  CHECK_FALSE(ratio.better());

  // A share of the roofline: neither is, and the model may be used.
  MadeUp roofline(12, 60, 32);
  roofline.measure([&](const auto& workload, const auto& gpu) {
    return roof(workload, gpu) * std::exp(0.05 * normal(roofline.random));
  });
  const HeldOut model = held_out(RateModel("matmul", roofline.observations), LeaveOut::hardware);
  INFO(model.refusal());
  CHECK(model.better());
}

TEST_CASE("one GPU alone cannot be left out", "[held-out]") {
  MadeUp made_up(1, 10, 40);
  made_up.measure([](const auto&, const auto&) { return 1000.0; });
  const HeldOut trials = held_out(RateModel("matmul", made_up.observations), LeaveOut::hardware);
  CHECK(trials.all.model.n == 0);
  CHECK(trials.groups.empty());
  CHECK_FALSE(trials.refusal().empty());
}

TEST_CASE("DeepBench: 70 to 90% of the 80% intervals hold on GPUs that were left out",
          "[held-out][deepbench]") {
  for (const char* pi : {"matmul", "conv2d", "rnn"}) {
    const RateModel model(pi, deepbench().observations.all);
    const HeldOut trials = held_out(model, LeaveOut::hardware);
    INFO(pi << ": " << trials.all.coverage << " of " << trials.all.model.n);
    check_whole(trials, model);
    CHECK(trials.groups.size() >= 9);
    CHECK(trials.all.model.n > 2500);
    CHECK(trials.all.coverage >= 0.7);
    CHECK(trials.all.coverage <= 0.9);
    double mean = 0;  // every GPU alike, however many results it has
    for (const HeldOutGroup& group : trials.groups)
      mean += group.coverage / static_cast<double>(trials.groups.size());
    INFO("mean over GPUs: " << mean);
    CHECK(mean >= 0.7);
    CHECK(mean <= 0.9);
  }
}

TEST_CASE("DeepBench: what is used is better than both naive rules, matmul and conv2d are",
          "[held-out][deepbench]") {
  std::set<std::string> used;
  for (const char* pi : {"matmul", "conv2d", "rnn"}) {
    const RateModel model(pi, deepbench().observations.all);
    const HeldOut trials = held_out(model, LeaveOut::hardware);
    const Errors &own = trials.all.model_beside, &ratio = trials.all.peak_ratio,
                 &nearest = trials.all.nearest;
    INFO(pi << ": " << trials.refusal());
    CHECK(own.n > 1500);
    const bool better = own.median < ratio.median && own.mean < ratio.mean &&
                        own.median < nearest.median && own.mean < nearest.mean;
    CHECK(trials.refusal().empty() == better);  // coverage: the test above
    if (trials.refusal().empty()) used.insert(pi);
  }
  CHECK(used.contains("matmul"));
  CHECK(used.contains("conv2d"));
}

TEST_CASE(
    "all matmul evidence: the intervals hold with whole GPUs and whole library versions left out",
    "[held-out]") {
  const RateModel model("matmul", all_matmul().observations.all);
  for (const LeaveOut what : {LeaveOut::hardware, LeaveOut::library, LeaveOut::shape}) {
    const HeldOut trials = held_out(model, what);
    INFO(to_string(what) << ": " << trials.refusal() << " coverage " << trials.all.coverage);
    CHECK(trials.refusal().empty());
    if (what != LeaveOut::shape) check_whole(trials, model);
  }
}
