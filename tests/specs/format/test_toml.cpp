#include <catch2/catch.hpp>

#include "specs/format/toml.hpp"
#include "tests/specs/message_of.hpp"

namespace toml_tests {

using namespace stackx::specs;
using namespace stackx::tests;
using Catch::Matchers::Contains;

namespace {

std::string refusal(const std::string& text) {
  return message_of([&] { TomlNode::parse_text(text, "a.toml"); });
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("toml: values, their order and their places") {
  const auto root =
      TomlNode::parse_text("z = 'x'\n[b]\nlist = ['p', {q = true}]\na.b = 1\n", "a.toml");
  CHECK(root.at("z").text() == "x");
  CHECK(root.at("z").place() == "a.toml:1:5");
  CHECK(root.members()[1].first == "b");
  const auto& list = root.at("b").at("list");
  CHECK(list.items().at(0).text() == "p");
  CHECK(list.items().at(1).at("q").boolean());
  CHECK(list.items().at(1).place() == "a.toml:3:14");
  CHECK(root.find("nothing") == nullptr);
  CHECK(message_of([&] { root.at("b").at("c"); }) ==
        "a.toml:2:1: the key \"c\" is missing; add it");
  CHECK(message_of([&] { list.text(); }) == "a.toml:3:8: expected a string, found an array");
  CHECK(message_of([&] { root.at("b").at("a").at("b").text(); }) ==
        "a.toml:4:7: expected a string, found a number");
  CHECK(root.at("b").at("a").at("b").integer() == 1);
  CHECK(message_of([&] { root.at("z").integer(); }) == "a.toml:1:5: expected a whole number, found a string");
}

TEST_CASE("toml: more values than memory has room for are refused while they are counted") {
  CHECK_THAT(refusal("a = [" + repeated("{},", 600'000) + "]"), Contains("more than 1000000 values"));
  CHECK_THAT(refusal(repeated("[a.b.c]\n", 400'000)), Contains("more than 1000000 values"));
  std::string text = "a = ['''" + repeated(",=[{.", 300'000) + "''']\n# " + repeated("=", 1'100'000);
  CHECK(TomlNode::parse_text(text, "a.toml").at("a").items().size() == 1);
}

TEST_CASE("toml: letters of the world") {
  const auto root =
      TomlNode::parse_text("a = \"\"\"\\\n  \u00e9t\u00e9 \\\n \u4e16\"\"\"\n# \u00e9\n", "a.toml");
  CHECK(root.at("a").text() == "\u00e9t\u00e9 \u4e16");
  CHECK_THAT(refusal("\u00e9 = 1"), Contains("a.toml:1:1: not TOML"));
  CHECK_THAT(refusal("a = 1\u00e9"), Contains("not TOML"));
}

TEST_CASE("toml: syntax errors say where") {
  CHECK_THAT(refusal("a = 1\nb = [1,\n"), Contains("a.toml:2:") && Contains("not TOML"));
  CHECK_THAT(refusal("a = 1\na = 2\n"), Contains("a.toml:2:") && Contains("redefine"));
  CHECK_THAT(refusal("a = '\xff'"), Contains("utf-8"));
  CHECK_THAT(message_of([] { TomlNode::parse_file("no/such.toml"); }), Contains("no such file"));
}

TEST_CASE("toml: deep nesting is an error, however it is written") {
  CHECK_THAT(refusal("a=" + repeated("[", 10'000) + repeated("]", 10'000)), Contains("depth"));
  CHECK_THAT(refusal("a=" + repeated("{a=", 10'000)), Contains("depth"));
  CHECK_THAT(refusal(repeated("a.", 1'000'000) + "a=1"),
             Contains("a.toml:1:130: a key of more than"));
  CHECK_THAT(refusal("x=1\n[" + repeated("a.", 10'000) + "a]"), Contains("a.toml:2:131: a key"));
  CHECK_THAT(refusal("a={" + repeated("a . ", 100) + "a=1}"), Contains("a key of more than"));
  // Dots that nest nothing.
  CHECK(refusal("a = \"" + repeated(".", 200) + "\"\nb = '''\n" + repeated(".", 200) + "'''\n# " +
                repeated(".", 200) + "\nc = [" + repeated("0.5,", 200) + "]\nd = \"\\\"" +
                repeated(".", 200) + "\"") == "(no error)");
  CHECK(refusal("a = [\"\"\"said \"no\"\"\"\"\", \"" + repeated(".", 200) + "\"]") == "(no error)");
}

}  // namespace toml_tests
