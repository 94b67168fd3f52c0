#include "inspector/run/plain_output.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace plain_output_tests {

using namespace stackx::inspector;
using stackx::specs::Outcome;
using Catch::Matchers::Contains;
using Samples = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t wall = 7'000'000;

Samples samples(const std::string& text) {
  const auto report = parse_plain_output(text, "seconds", wall);
  return report ? report->samples_ns : Samples{};
}

std::string refusal(const std::string& text, const std::string& number = "seconds") {
  const auto report = parse_plain_output(text, number, wall);
  if (report) return "(none)";
  CHECK(report.error().outcome == Outcome::bad_output);
  return report.error().reason;
}

}  // namespace

TEST_CASE("one number at the end is the sample, whatever was said before", "[plain_output]") {
  for (const char* text : {"0.25", "0.25\n", " 0.25 \r\n\n", "2.5e-1", "+0.25", "epoch 1\n3.5\n0.25\n", "{\"loss\": 1}\n0.25"})
    CHECK(samples(text) == Samples{250'000'000});
  CHECK(samples("1e-9") == Samples{1});
  CHECK(samples("3") == Samples{3'000'000'000});
  CHECK(parse_plain_output("0.25", "seconds", wall)->work.items == 1);
}

TEST_CASE("where no number is, the wall time is the sample", "[plain_output]") {
  for (const char* text : {"", " \n\t\r\n", "done", "0.25 s", "0.25\ndone", "1,5", "0x10", "1 2", "nano", "{\"loss\": 0.5}",
                           "{'samples_ns': 1}", "[1, 2]", "}", "{", "samples_ns: {1}"})
    CHECK(samples(text) == Samples{wall});
  CHECK(parse_plain_output("", "seconds", 0)->samples_ns == Samples{1});
}

TEST_CASE("a number that is no time, rate or error is bad output", "[plain_output]") {
  CHECK_THAT(refusal("0"), Contains("the program printed \"0\" as its seconds; expected a number above 0"));
  for (const char* text : {"-1", "0.0", "1e-12", "1e12", "nan", "NaN", "inf", "-inf", "1e999", "1e-999", "-0"})
    CHECK_THAT(refusal(text), Contains("\"" + std::string(text) + "\" as its seconds"));
  for (const char* text : {"0", "-3", "nan", "inf", "1e31", "1e999"}) CHECK_THAT(refusal(text, "rate"), Contains("as its rate"));
  for (const char* text : {"-1e-3", "nan", "inf"}) CHECK_THAT(refusal(text, "error"), Contains("as its error"));
}

TEST_CASE("a rate is work of one second, an error a check that judges nothing", "[plain_output]") {
  const auto rate = parse_plain_output("images/s:\n1234.5\n", "rate", wall);
  REQUIRE(rate);
  CHECK(rate->samples_ns == Samples{1'000'000'000});
  CHECK(rate->work.items == 1234.5);
  CHECK_FALSE(rate->check);
  for (const double error : {0.0, 0.125}) {
    const auto report = parse_plain_output(std::to_string(error), "error", wall);
    REQUIRE(report);
    CHECK(report->samples_ns == Samples{wall});
    CHECK(report->check->max_relative_error == error);
    CHECK(report->check->bound == error);
    CHECK(report->check->pass);
  }
  CHECK_THAT(refusal("", "rate"), Contains("the program's rate is missing") && Contains("is none"));
  CHECK_THAT(refusal("0.5\ndone", "error"), Contains("the program's error is missing") && Contains("\"done\""));
}

TEST_CASE("an object of the protocol at the end is read as any PI's", "[plain_output]") {
  const std::string object = R"({"samples_ns": [5, 6], "work": {"flop": 2}, "loaded": {"a": "1"}})";
  for (const std::string& text : {object, object + "\n", "epoch 1\n{\"loss\": 1}\n" + object + "\n\n",
                                  std::string("hello\n{\n  \"work\": {\n    \"flop\": 2\n  },\n  \"loaded\": {\"a\": \"1\"},\n"
                                              "  \"samples_ns\": [5,\n  6]\n}\n")}) {
    for (const char* number : {"seconds", "rate", "error"}) {
      const auto report = parse_plain_output(text, number, wall);
      REQUIRE(report);
      CHECK(report->samples_ns == Samples{5, 6});
      CHECK(report->work.flop == 2);
      CHECK(report->loaded.at("a") == "1");
    }
  }
  const std::string failed = R"({"check": {"reference": "r", "max_relative_error": 1, "bound": 0, "pass": false}})";
  const auto wrong = parse_plain_output(failed, "seconds", wall);
  REQUIRE(wrong);
  CHECK_FALSE(wrong->check->pass);
  CHECK(parse_plain_output("x\n{\"unsupported\": \"no GPU\"}", "seconds", wall).error().outcome == Outcome::unsupported);
  CHECK(parse_plain_output("{\"samples_ns\": [0]}", "seconds", wall).error().outcome == Outcome::invalid_samples);
  CHECK(parse_plain_output("{\"samples_ns\": [1}", "seconds", wall).error().outcome == Outcome::bad_output);
}

}  // namespace plain_output_tests
