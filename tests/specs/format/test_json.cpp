#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "specs/format/json.hpp"
#include "specs/format/json_reader.hpp"
#include "specs/random.hpp"
#include "tests/specs/message_of.hpp"

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

Node parse(const std::string& text) { return Node::parse_text(text, "doc.json"); }
std::string refusal(const std::string& text) {
  return message_of([&] { parse(text); });
}

Json random_value(Random& random, int depth) {
  switch (random.below(depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return random.below(2) == 0;
    case 2:
      return static_cast<std::int64_t>(random.next());
    case 3:
      return random.next();
    case 4:
      return random.unit() * std::pow(10, static_cast<double>(random.below(600)) - 300);
    case 5: {
      std::string text;
      const char* pieces[] = {"a", "~", "/", "\"", "\\", "\n", "é", "€", "😀", "", "0"};
      for (std::uint64_t i = random.below(5); i > 0; --i) text += pieces[random.below(11)];
      return text;
    }
    case 6: {
      Json array = Json::array();
      for (std::uint64_t i = random.below(4); i > 0; --i)
        array.push_back(random_value(random, depth - 1));
      return array;
    }
    default: {
      Json object = Json::object();
      for (std::uint64_t i = random.below(4); i > 0; --i)
        object[random_value(random, 0).dump()] = random_value(random, depth - 1);
      return object;
    }
  }
}

// Every pointer that a Node gives leads, in nlohmann's own resolution, to the value it shows.
void check_pointers(const Node& node, const Json& root) {
  CHECK(root.at(Json::json_pointer(node.pointer())) == node.json());
  if (node.json().is_array())
    for (const auto& item : node.items()) check_pointers(item, root);
  if (node.json().is_object())
    for (const auto& [key, member] : node.members()) check_pointers(member, root);
}

}  // namespace

TEST_CASE("what is read is what nlohmann reads") {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Json value = random_value(random, 4);
    const Node node = parse(value.dump(static_cast<int>(random.below(3)) - 1));
    REQUIRE(node.json() == value);
    REQUIRE(canonical(node.json()) == value.dump());
    check_pointers(node, value);
  }
}

TEST_CASE("members come as listed, numbers as written") {
  const Node node =
      parse(R"({"b": {"z": 1, "10": 2, "9": 3}, "a": [7.0, 1.10, 1e2, 12, -3, true]})");
  std::vector<std::string> keys;
  for (const auto& [key, value] : node.at("b").members()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"z", "10", "9"});
  CHECK(node.members().front().first == "b");
  std::vector<std::string> scalars;
  for (const auto& item : node.at("a").items()) scalars.push_back(item.scalar());
  CHECK(scalars == std::vector<std::string>{"7.0", "1.10", "1e2", "12", "-3", "true"});
}

TEST_CASE("syntax errors name line and column") {
  CHECK_THAT(refusal("{\n  \"a\": 1,\n  b\n}"), StartsWith("doc.json:3:3: not JSON: "));
  CHECK_THAT(refusal("[1,]"), StartsWith("doc.json:1:4: not JSON: "));
  CHECK_THAT(refusal("{} x"), StartsWith("doc.json:1:4: not JSON: "));
  CHECK(refusal(" \n") == "doc.json: the file is empty; expected a JSON document");
  CHECK_THAT(refusal("[1e999]"), StartsWith("doc.json") && Contains("1e999"));
  CHECK_THAT(refusal("// comment\n{}"), Contains("not JSON"));
  CHECK(refusal("\"" + std::string(100'000, 'x')).size() < 1000);
}

TEST_CASE("bytes that are not UTF-8 are an error that can be printed") {
  for (const char* bad :
       {"{\"a\": \"\xff\"}", "[\"\xc3\x28\"]", "[\"\\ud800\"]", "\xfe\xff", "[\"\xed\xa0\x80\"]"}) {
    const std::string message = refusal(bad);
    CHECK_THAT(message, StartsWith("doc.json:1:"));
    CHECK(to_utf8(message) == message);
  }
}

TEST_CASE("a key that stands twice is an error") {
  CHECK_THAT(refusal(R"({"a": 1, "a": 1})"), Contains("doc.json: /a: ") && Contains("twice"));
  CHECK_THAT(refusal(R"({"x": [{"k/": {}, "k/": 2}]})"), Contains("doc.json: /x/0/k~1: "));
  CHECK_THAT(refusal(R"({"a": 1, "b": 2, "\u0061": 1})"), Contains("/a: "));
  CHECK_NOTHROW(parse(R"({"a": {"a": 1}, "b": {"a": 1}})"));
}

TEST_CASE("deep nesting is an error, not a crash") {
  CHECK_NOTHROW(parse(std::string(128, '[') + std::string(128, ']')));
  for (const std::size_t depth : {129, 10'000, 1'000'000}) {
    CHECK_THAT(refusal(std::string(depth, '[')), Contains("nested more than 128 levels"));
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) objects += "{\"a\":";
    CHECK_THAT(refusal(objects), Contains("nested more than 128 levels"));
  }
}

TEST_CASE("a document that holds too much is refused while it is read") {
  const auto repeated = [](const std::string& text, std::size_t times) {
    std::string all = "[";
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all + "0]";
  };
  CHECK(parse(repeated("1,", most_values - 3)).json().size() == most_values - 2);
  const std::string key(longest_key, 'k');
  for (const char* element : {"1,", "{},", "[],", "1.50,", "{\"b\":1,\"a\":\"x\"},"})
    CHECK_THAT(refusal(repeated(element, most_values)), StartsWith("doc.json: more than 2000000 values, at /"));
  CHECK_NOTHROW(parse("{\"" + key + "\": 1}"));
  CHECK_THAT(refusal("{\"" + key + "k\": 1}"), Contains("a key of more than 16384 bytes"));
  // What is kept beside the values does not grow with the length of their pointers.
  const Node node = parse("{\"" + key + "\":" + repeated("1.50,", 300'000) + "}");
  CHECK(node.at(key).json().size() == 300'001);
  CHECK_THAT(refusal(std::string(most_bytes + 1, ' ')), Contains("larger than 256 MiB"));
}

TEST_CASE("numbers are kept as written wherever they stand") {
  CHECK(parse("1.50").scalar() == "1.50");
  CHECK(parse("0.5").scalar() == "0.5");
  CHECK(parse("[[[1.10],[0.1,1E2]],2.50]").items()[0].items()[1].items()[1].scalar() == "1E2");
  const Node node = parse(R"({"z": {"b": 1.0, "a": [1.10, {"c": 3.30, "b": [1.230]}]}, "a": 4.40})");
  CHECK(node.at("z").at("a").items()[0].scalar() == "1.10");
  CHECK(node.at("z").at("a").items()[1].at("c").scalar() == "3.30");
  CHECK(node.at("z").at("a").items()[1].at("b").items()[0].scalar() == "1.230");
  CHECK(node.at("a").scalar() == "4.40");
  CHECK(node.at("z").at("b").scalar() == "1.0");
  CHECK(node.at("z").at("a").items()[1].members().front().first == "c");
}

TEST_CASE("readers say what they expected and where") {
  const Node node =
      parse(R"({"text": "x", "number": 1.5, "list": [1], "none": null, "big": 18446744073709551615,
                              "negative": -1, "empty": ""})");
  const auto said = [&](auto read) { return message_of([&] { read(node); }); };
  CHECK(said([](auto& n) { n.at("txet"); }) == "doc.json: the key \"txet\" is missing; add it");
  CHECK(said([](auto& n) { n.at("none"); }) == "doc.json: the key \"none\" is missing; add it");
  CHECK(said([](auto& n) { n.at("text").integer(); }) ==
        "doc.json: /text: expected a whole number, found a string");
  CHECK(said([](auto& n) { n.at("number").integer(); }) ==
        "doc.json: /number: expected a whole number, found a number");
  CHECK(said([](auto& n) { n.at("list").texts(); }) ==
        "doc.json: /list/0: expected a string, found a number");
  CHECK(said([](auto& n) { n.at("list").at("x"); }) ==
        "doc.json: /list: expected an object, found an array");
  CHECK(said([](auto& n) { n.items(); }) == "doc.json: expected an array, found an object");
  CHECK_THAT(said([](auto& n) { n.at("big").integer(); }), Contains("/big: too large"));
  CHECK_THAT(said([](auto& n) { n.at("negative").unsigned_integer(); }), Contains("not negative"));
  CHECK_THAT(said([](auto& n) { n.at("empty").nonempty(); }), Contains("not empty"));
  CHECK_THAT(said([](auto& n) { n.at("list").scalar(); }), Contains("found an array"));
  CHECK(node.at("big").unsigned_integer() == std::numeric_limits<std::uint64_t>::max());
  CHECK(node.at("negative").integer() == -1);
  CHECK(node.at("number").number() == 1.5);
  CHECK_FALSE(node.find("none"));
}

TEST_CASE("an unknown key names the nearest known one") {
  const Node node = parse(R"({"requirs": {}})");
  CHECK(message_of([&] {
          node.only({"attributes", "requires", "provides"});
        }) == "doc.json: unknown key \"requirs\"; did you mean \"requires\"?");
  CHECK(message_of([&] { node.only({"kind"}); }) ==
        "doc.json: unknown key \"requirs\"");
  CHECK_NOTHROW(node.only({"requirs"}));
}

TEST_CASE("the schema of a document is checked") {
  CHECK_NOTHROW(parse(R"({"$schema": "stackx/plan/1"})").schema("stackx/plan/1"));
  CHECK(message_of([&] { parse(R"({"$schema": "stackx/plan/2"})").schema("stackx/plan/1"); }) ==
        "doc.json: /$schema: expected \"stackx/plan/1\", found \"stackx/plan/2\"");
  CHECK_THAT(message_of([&] { parse("{}").schema("stackx/plan/1"); }),
             Contains("\"$schema\" is missing"));
}

TEST_CASE("files that cannot be read") {
  const auto directory = std::filesystem::temp_directory_path();
  const auto missing = directory / ("stackx-missing-" + std::to_string(getpid()) + ".json");
  CHECK(message_of([&] { Node::parse_file(missing); }) ==
        missing.string() + ": no such file; check the path");
  CHECK_THAT(message_of([&] { Node::parse_file(directory); }), Contains("is a directory"));
  std::ofstream(missing) << "[1, 2]";
  CHECK(Node::parse_file(missing).items().size() == 2);
  std::filesystem::remove(missing);
}

TEST_CASE("canonical JSON has no number that JSON lacks") {
  CHECK(canonical(Json{{"b", 1.5}, {"a", "é"}}) == R"({"a":"é","b":1.5})");
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    CHECK_THAT(message_of([&] {
                 canonical(Json{{"work", {{"flop", bad}}}});
               }),
               StartsWith("/work/flop: not a finite number"));
  CHECK_THAT(message_of([&] { canonical(Json("\xff")); }), Contains("not UTF-8"));
  CHECK(to_utf8("a\xff"
                "b") == "a\uFFFDb");
  CHECK(to_utf8(std::string("\0é", 3)) == std::string("\0é", 3));
}
