// Black-box: what a check says of a result's bits and ulps, of libraries that are steady, unsteady, and off by a known number.
#include <catch2/catch.hpp>

#include "tests/kernels/run_pi.hpp"

using Words = std::vector<std::string>;

namespace {

nlohmann::json check_of(const std::string& library, Words words = {}) {
  words.insert(words.end(), {"m=20", "n=30", "k=40", "repetitions=3"});
  const auto result = run_matmul(fake(library), words);
  INFO(result.err);
  REQUIRE(result.status == 0);
  const auto document = result.json();
  CHECK(document["check"]["pass"] == true);
  CHECK(document["samples_ns"].size() == 3);
  return document["check"];
}

}  // namespace

TEST_CASE("a steady library gives the same bits in every call and every run", "[bits]") {
  const auto one = check_of("right"), again = check_of("right"), other = check_of("right", {"seed=2"});
  CHECK(one["deterministic"] == true);
  CHECK(one["result_digest"].get<std::string>().size() == 64);
  CHECK(one["result_digest"] == again["result_digest"]);
  CHECK(one["inputs"] == "splitmix64, seed 1");
  CHECK(other["inputs"] == "splitmix64, seed 2");
  CHECK(other["result_digest"] != one["result_digest"]);
  CHECK(check_of("right_ilp64")["result_digest"] == one["result_digest"]);  // other integers, the same sums
  CHECK(one["max_ulps"].get<double>() <= 0.5);  // it sums in double
}

TEST_CASE("a library whose calls differ by a bit passes, and is found out", "[bits]") {
  const auto check = check_of("unsteady");
  CHECK(check["deterministic"] == false);
  CHECK(check_of("unsteady", {"batch=3"})["deterministic"] == false);
}

TEST_CASE("an entry that is off by five ulps is told", "[bits]") {
  const auto check = check_of("five_ulps");
  const double ulps = check["max_ulps"];
  CHECK(ulps >= 4.5);
  CHECK(ulps <= 5.5);
  CHECK(check["deterministic"] == true);
  CHECK(check["result_digest"] != check_of("right")["result_digest"]);
}

TEST_CASE("float64 has bits and no ulps; a wrong result has neither bits nor samples", "[bits]") {
  const auto check = check_of("right", {"dtype=float64"});
  CHECK(check.contains("result_digest"));
  CHECK_FALSE(check.contains("max_ulps"));
  const auto wrong = run_matmul(fake("wrong_zeros")).json()["check"];
  CHECK(wrong["pass"] == false);
  CHECK_FALSE(wrong.contains("result_digest"));
  CHECK_FALSE(wrong.contains("deterministic"));
}

TEST_CASE("oneDNN's operations have bits in every layout, the same of either version where the sums are", "[bits]") {
  const auto run = [](const Words& words, const char* library) {
    Words all{words};
    all.insert(all.begin() + 1, {"--library", fake(library), "warmup_ms=0", "min_sample_ms=0.01", "repetitions=3"});
    const auto document = run_pi(all).json();
    INFO(document.dump());
    CHECK(document["check"]["deterministic"] == true);
    CHECK(document["check"].contains("max_ulps"));
    return document["check"]["result_digest"].get<std::string>();
  };
  for (const Words& words :
       {Words{"conv2d", "batch=2", "height=6", "width=6", "in_channels=3", "out_channels=4"}, Words{"attention", "batch=1", "heads=2", "sequence=9", "head_size=4"},
        Words{"lstm", "batch=2", "time_steps=3", "input_size=4", "hidden_size=5"}, Words{"gru", "batch=2", "time_steps=3", "input_size=4", "hidden_size=5"},
        Words{"softmax", "rows=4", "columns=9"}, Words{"layer_norm", "rows=4", "columns=9"}}) {
    CAPTURE(words.front());
    CHECK(run(words, "onednn2") == run(words, "onednn3"));
  }
  const Words conv{"conv2d", "batch=2", "height=6", "width=6", "in_channels=3", "out_channels=4"};
  auto first = conv, last = conv;
  first.push_back("layout=channels_first"), last.push_back("layout=channels_last");
  CHECK(run(first, "onednn3") == run(last, "onednn3"));
}
