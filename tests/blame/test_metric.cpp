// What is compared of an inspection.
#include <catch2/catch.hpp>
#include <cmath>

#include "blame/metric.hpp"

using namespace stackx;
using namespace stackx::blame;

namespace {

specs::Inspection inspection() {
  specs::Inspection one;
  one.workload.pi = "matmul";
  one.samples_ns = {2'000'000, 1'000'000, 4'000'000};
  one.work.flop = 4e6;
  one.usage.max_rss_bytes = 1 << 20;
  one.phases = {{"load", 0, 500'000'000}, {"run", 0, 2'000'000'000}};
  one.check = specs::Check{"float64", 1e-7, 1e-5, true};
  return one;
}

}  // namespace

TEST_CASE("each metric of an inspection, and larger is better") {
  const auto one = inspection();
  CHECK(*amount_of(one, Yardstick()) == Approx(2));  // GFLOP/s
  CHECK(*amount_of(one, *Yardstick::from("time")) == Approx(2));  // ms
  CHECK(*amount_of(one, *Yardstick::from("memory")) == Approx(1.048576));  // MB
  CHECK(*amount_of(one, *Yardstick::from("import")) == Approx(500));
  CHECK(*amount_of(one, *Yardstick::from("error")) == Approx(1e-7));
  CHECK(*value_of(one, Yardstick()) == Approx(std::log(2)));
  CHECK(*value_of(one, *Yardstick::from("time")) == Approx(-std::log(2)));
  CHECK(ratio_of(std::log(0.5), Yardstick()) == Approx(0.5));
  CHECK(ratio_of(std::log(0.5), *Yardstick::from("time")) == Approx(2));
  CHECK(amount_in_words(2, one, Yardstick()) == "2 GFLOP/s");
  CHECK(amount_in_words(2, one, *Yardstick::from("time")) == "2 ms");
  CHECK(amount_in_words(1, one, *Yardstick::from("error")) == "no result");
  CHECK(amount_in_words(195.5, one, *Yardstick::from("memory")) == "195.5 MB");
  CHECK(amount_in_words(1200, one, *Yardstick::from("import")) == "1.2 s");
}

TEST_CASE("what an inspection does not have") {
  auto one = inspection();
  one.phases.clear();
  CHECK_FALSE(value_of(one, *Yardstick::from("import")));
  one.workload.pi = "import";
  CHECK(*amount_of(one, *Yardstick::from("import")) == Approx(2));
  one.work = {};
  CHECK(*amount_of(one, Yardstick()) == Approx(500));  // samples a second
  one.samples_ns.clear();
  CHECK_FALSE(value_of(one, *Yardstick::from("time")));
}

TEST_CASE("a failure has no rate, but an error") {
  auto one = inspection();
  one.outcome = specs::Outcome::crashed;
  for (const auto metric : {Yardstick(), *Yardstick::from("time"), *Yardstick::from("memory"), *Yardstick::from("import")}) CHECK_FALSE(value_of(one, metric));
  one.check.reset();
  CHECK(*amount_of(one, *Yardstick::from("error")) == 1);
  one.outcome = specs::Outcome::ok;
  CHECK(*amount_of(one, *Yardstick::from("error")) < 1e-16);
  one.outcome = specs::Outcome::wrong_result;
  one.check = specs::Check{"float64", 0.25, 1e-5, false};
  CHECK(*amount_of(one, *Yardstick::from("error")) == 0.25);
}
