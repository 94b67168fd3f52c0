#include "specs/result/metric.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "specs/random.hpp"

using namespace stackx::specs;

namespace {

Rate rate(const char* metric, double value, const Workload& workload) {
  const auto result = rate_of(*find_metric(metric), value, workload);
  REQUIRE(result);
  return *result;
}

// The definition, counted: every output of a convolution is one dot product.
double counted_conv2d(int w, int h, int c, int n, int k, int fw, int fh, int pad, int stride) {
  double flop = 0;
  for (int x = -pad; x + fw <= w + pad; x += stride)
    for (int y = -pad; y + fh <= h + pad; y += stride) flop += 2.0 * n * k * c * fw * fh;
  return flop;
}

}  // namespace

TEST_CASE("metrics are found by name, each with unit, description and direction") {
  std::set<std::string> names;
  for (const Metric& metric : metrics()) {
    CHECK(find_metric(metric.name) == &metric);
    CHECK_FALSE(metric.unit.empty());
    CHECK_FALSE(metric.description.empty());
    CHECK((metric.to_rate > 0) == !metric.rate_unit.empty());
    CHECK_FALSE((metric.smaller_is_better && metric.to_rate > 0));  // a rate is better when larger
    names.insert(std::string(metric.name));
  }
  CHECK(names.size() == metrics().size());
  for (const char* name : {"elapsed_ms", "images_per_s", "samples_per_s", "tokens_per_s",
                           "sequences_per_s", "minutes_to_train", "rate_tflops", "streams"})
    CHECK(names.contains(name));
  CHECK(find_metric("") == nullptr);
  CHECK(find_metric("elapsed_m") == nullptr);
  CHECK(find_metric("zzz") == nullptr);
}

TEST_CASE("a time of a matmul is a rate") {
  const Workload workload{"matmul", {{"m", "1760"}, {"n", "128"}, {"k", "1760"}}};
  // DeepBench, V100, fp32: 0.073 ms are 10.86 TFLOP/s.
  const Rate result = rate("elapsed_ms", 0.073, workload);
  CHECK(result.unit == "GFLOP/s");
  CHECK(result.value == Approx(10863.0).epsilon(1e-3));
  CHECK(rate("rate_tflops", 9.501, workload).value == Approx(9501));
  CHECK(rate("rate_tflops", 9.501, workload).unit == "GFLOP/s");
  CHECK(rate("images_per_s", 325, {"train_resnet50", {}}).value == 325);
  CHECK(rate("images_per_s", 325, {"train_resnet50", {}}).unit == "items/s");
  CHECK(rate("bytes_per_s", 5e9, {"stream", {}}).value == Approx(5));
}

TEST_CASE("operations are counted from the parameters") {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    const auto pick = [&](int most) { return 1 + int(random.next() % most); };
    const int m = pick(500), n = pick(500), k = pick(500), batch = pick(9);
    Workload matmul{"matmul", {{"m", std::to_string(m)}, {"n", std::to_string(n)},
                               {"k", std::to_string(k)}}};
    CHECK(flop_of(matmul) == 2.0 * m * n * k);
    matmul.params["batch"] = std::to_string(batch);
    CHECK(flop_of(matmul) == 2.0 * m * n * k * batch);
    matmul.params["dtype"] = "complex64";
    CHECK(flop_of(matmul) == 8.0 * m * n * k * batch);
    const int fw = pick(5), fh = pick(5), w = fw + pick(40), h = fh + pick(40), c = pick(64),
              pad = pick(3) - 1, stride = pick(3);
    const auto text = [](int value) { return std::to_string(value); };
    const Workload conv{"conv2d", {{"w", text(w)}, {"h", text(h)}, {"c", text(c)}, {"n", text(n)},
                                   {"k", text(k)}, {"filter_w", text(fw)}, {"filter_h", text(fh)},
                                   {"pad_w", text(pad)}, {"pad_h", text(pad)},
                                   {"stride_w", text(stride)}, {"stride_h", text(stride)}}};
    CHECK(*flop_of(conv) == counted_conv2d(w, h, c, n, k, fw, fh, pad, stride));
  }
}

TEST_CASE("what does not say its operations has no rate") {
  const Metric& elapsed = *find_metric("elapsed_ms");
  const Workload square{"matmul", {{"m", "8"}, {"n", "8"}, {"k", "8"}}};
  CHECK(rate_of(elapsed, 1, square));
  for (const char* odd : {"", "x", "8x", "-8", "nan", "inf", "0"}) {
    Workload workload = square;
    workload.params["m"] = odd;
    CAPTURE(odd);
    CHECK_FALSE(rate_of(elapsed, 1, workload));
  }
  CHECK_FALSE(rate_of(elapsed, 1, {"matmul", {{"m", "8"}, {"n", "8"}}}));
  CHECK_FALSE(rate_of(elapsed, 1, {"rnn", square.params}));
  CHECK_FALSE(rate_of(elapsed, 0, square));
  CHECK_FALSE(rate_of(*find_metric("minutes_to_train"), 20, square));
  CHECK_FALSE(flop_of({"conv2d", {{"w", "3"}, {"stride_w", "0"}}}));
}

TEST_CASE("every metric is positive and finite") {
  const Metric& streams = *find_metric("streams");
  CHECK(value_error(streams, 12) == "");
  for (const double value : {0.0, -1.0, std::nan(""), HUGE_VAL})
    CHECK(value_error(streams, value) != "");
}

TEST_CASE("no machine is so small or so large") {
  for (const Metric& metric : metrics()) {
    CAPTURE(metric.name);
    CHECK(metric.to_base > 0);
    for (const double good : {2e-12, 1.0, 0.5e30}) CHECK(value_error(metric, good / metric.to_base) == "");
    for (const double bad : {0.5e-12, 2e30, 1e-320, 1e308})
      CHECK_THAT(value_error(metric, bad / metric.to_base), Catch::Contains("expected"));
  }
  const Metric& elapsed = *find_metric("elapsed_ms");
  CHECK_THAT(value_error(elapsed, 1e-308), Catch::Contains("between 1e-09 and 1e+33 ms (elapsed_ms)"));
  const auto matmul = [](const std::string& m) { return Workload{"matmul", {{"m", m}, {"n", "8"}, {"k", "8"}}}; };
  CHECK(rate_error(elapsed, 1, matmul("4096")) == "");
  CHECK(rate_error(elapsed, 1, {"stream", {}}) == "");
  CHECK_THAT(rate_error(elapsed, 1, matmul("1e100")), Catch::Contains("GFLOP/s: no machine is like that"));
  CHECK_THAT(rate_error(elapsed, 1e-9, matmul("1e305")), Catch::Contains("inf GFLOP/s"));
}
