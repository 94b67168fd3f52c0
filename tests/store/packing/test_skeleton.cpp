#include "store/packing/document.hpp"
#include "store/packing/skeleton.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "specs/format/json.hpp"
#include "tests/store/fixture.hpp"

namespace skeleton_tests {

using namespace stackx;
using namespace stackx::store;
using namespace stackx::test;

namespace {

Skeleton split_of(std::string_view text, Words words = Words::none) {
  Skeleton skeleton;
  split(text, words, skeleton);
  return skeleton;
}

std::string again(const std::string& text) {
  const Skeleton skeleton = split_of(text);
  return join(skeleton.text, skeleton.tokens, skeleton.lists);
}

}  // namespace

TEST_CASE("skeleton: numbers are taken out, text stays") {
  const Skeleton s = split_of(R"({"load_1m":1.5,"samples_ns":[7,8,9,-9],"usage":{"minor_faults":12,"x":-3}})");
  CHECK(s.text == "{\"load_1m\":\x03,\"samples_ns\":[\x08],\"usage\":{\"minor_faults\":\x01,\"x\":\x02}}");
  REQUIRE(s.tokens.size() == 4);
  CHECK(decimal_value(s.tokens[0]) == 1.5);
  CHECK(s.lists[0] == std::vector<std::int64_t>{7, 8, 9, -9});
  CHECK(s.tokens[2].value == 12);
  CHECK(s.tokens[3].value == -3);
}

TEST_CASE("skeleton: only decimals as our writer writes them are canonical") {
  for (const char* text : {"0.5", "1e-07", "9.5367431640625e-07", "1.0", "123456789.125", "1e+300", "0.1"})
    CHECK(split_of(std::string("{\"a\":") + text + "}").canonical);
  for (const char* text : {"0.50", "1.00", "1e-7", "1.5e3", "100e-2", "0.10000000000000001"}) {
    const Skeleton s = split_of(std::string("{\"a\":") + text + "}");
    CHECK((!s.canonical || s.tokens.empty()));  // or kept as text, where no known shape has it
  }
}

TEST_CASE("skeleton: numbers within what a program printed, not within names") {
  const std::string tail(R"("{\"samples_ns\":[5,6,7,8],\"minor\":3,\"rate\":1.50,\"path\":\"/lib/libz.so.1.2.13\"}\n")");
  const Skeleton s = split_of("{\"tail\":" + tail + "}");
  CHECK(s.tokens.size() == 3);
  CHECK(s.text.contains("libz.so.1.2.13"));
  CHECK(s.canonical);  // inside of a string any text is canonical
  CHECK(again("{\"tail\":" + tail + "}") == "{\"tail\":" + tail + "}");
  CHECK(split_of(R"({"version":"0:3,4"})").tokens.empty());
}

TEST_CASE("skeleton: every JSON text comes back, whatever stands in it") {
  specs::Random random(20261121);
  const std::string alphabet = "{}[]\":,0123456789.eE+-\\ntru al\x7f";
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string text;
    for (std::uint64_t i = random.below(120); i > 0; --i)
      text += alphabet[random.below(alphabet.size())];
    CHECK(again(text) == text);
  }
  for (std::uint64_t n = 0; n < 50; ++n) {
    const std::string text = specs::canonical(specs::to_json(inspection(n)));
    CHECK(again(text) == text);
  }
}

TEST_CASE("skeleton: extreme numbers") {
  for (const char* number :
       {"9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809",
        "18446744073709551615", "0", "-0", "00", "1e400", "5e-324", "-0.0", "1.7976931348623157e+308",
        "123456789012345678901234567890", "0.1234567890123456789", "1.", ".5", "1e", "1e+", "-"}) {
    const std::string text = std::string("{\"a\":") + number + "}";
    CHECK(again(text) == text);
  }
}

TEST_CASE("skeleton: a time is a token, if it is written as we can read it") {
  CHECK(split_of(R"({"finished":"2026-11-21T20:40:43Z"})").tokens.size() == 1);
  CHECK(split_of(R"({"finished":"yesterday"})").tokens.empty());
}

TEST_CASE("skeleton: the words of an inspection") {
  const std::string text = specs::canonical(specs::to_json(inspection(3)));
  const Skeleton s = split_of(text, Words::of_inspection);
  REQUIRE(s.words.size() == 5);
  CHECK(s.words[0].word == Word::arm);
  CHECK(s.words[0].text == "\"arm-3\"");
  CHECK(s.words[3].text.starts_with("{\"container\":"));
  CHECK_THROWS(join(s.text, s.tokens, s.lists));  // words have no place in it
}

TEST_CASE("skeleton: the members of an object") {
  const auto members = members_of(R"({"a":{"x":1,"y":[2,3]},"b":"},\"{","c":[]})");
  REQUIRE(members.size() == 3);
  CHECK(members[0].text == R"("a":{"x":1,"y":[2,3]})");
  CHECK(members[1].key == "b");
  CHECK(members[2].text == R"("c":[])");
  CHECK(members_of("{}").empty());
}

}  // namespace skeleton_tests
