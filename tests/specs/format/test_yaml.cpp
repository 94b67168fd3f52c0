// Checked against yaml-cpp as the reader; the manifests made with it are read by PyYAML in tests/cli/schedulers/test_kubernetes.py.
#include <yaml-cpp/yaml.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "specs/format/yaml.hpp"
#include "specs/random.hpp"

using namespace stackx::specs;

namespace {

// As a reader of YAML's core schema sees it: what is not quoted may be a number, a boolean or nothing.
nlohmann::json read_back(const YAML::Node& node) {
  nlohmann::json json;
  if (node.IsMap()) {
    json = nlohmann::json::object();
    for (const auto& member : node) json[member.first.Scalar()] = read_back(member.second);
  } else if (node.IsSequence()) {
    json = nlohmann::json::array();
    for (const auto& item : node) json.push_back(read_back(item));
  } else if (node.IsScalar()) {
    json = node.Tag() == "!" ? nlohmann::json(node.Scalar()) : nlohmann::json::parse(node.Scalar());
  }
  return json;
}

void check_same(const nlohmann::json& document) {
  const auto text = yaml_of(document);
  INFO(text);
  CHECK(read_back(YAML::Load(text)) == document);
}

}  // namespace

TEST_CASE("yaml: what comes back is what went in", "[yaml]") {
  check_same({{"a", {{"b", {1, 2.5, true, nullptr}}, {"c", nlohmann::json::object()}, {"d", nlohmann::json::array()}}}});
  check_same(nlohmann::json::array({nlohmann::json::array({1, nlohmann::json::array({2})}), {{"a", 1}, {"b", {{"c", 2}}}}, "x"}));
  for (const char* text : {"", "no", "1.10", "null", " lead", "a: b", "- a", "#", "it's \"x\"\\", "\ttab", "a\nb", "a\n", "a\n\n", "\n",
                           " a\n", "a\r\n", "{\"a\": 1}\n", "a\n  b\n", "a\n\nb\n", "---\n", "# a\n", "\xc3\xa4\n", "\xe2\x80\xa8\n",
                           "\xef\xbb\xbf\n", "\xf0\x9f\x98\x80", "\x01\x7f\xc2\x85", "trailing \n", "% a\n", "..."}) {
    check_same({{"key", text}});
    check_same(nlohmann::json::array({text, {{text, text}}}));
  }
  for (const char* key : {"yes", "1", "a b", "a/b", "~", "", "n", "0-1", "-", "a:b", "On"}) check_same({{key, 1}});
}

TEST_CASE("yaml: any text comes back, in whatever it stands", "[yaml]") {
  Random random(7);
  constexpr std::string_view letters = "ab \n\n\n:#-{}[]\"'\\|>&*!%@`~,?\t0.";
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (auto size = random.below(12); size > 0; --size) text += letters[random.below(letters.size())];
    check_same({{"a", nlohmann::json::array({text, {{text, nlohmann::json::array({text})}}})}, {"b", text}});
  }
}

TEST_CASE("yaml: texts are quoted, documents stand in lines of their own", "[yaml]") {
  CHECK(yaml_of({{"version", "1.10"}, {"count", 2}}) == "count: 2\nversion: \"1.10\"\n");
  CHECK(yaml_of({{"a.json", "{\"a\":\n 1}\n"}}) == "a.json: |\n  {\"a\":\n   1}\n");
  CHECK(yaml_of({{"list", {{{"b", 1}, {"c", 2}}, "d"}}}) == "list:\n  - b: 1\n    c: 2\n  - \"d\"\n");
}

TEST_CASE("yaml: comments stand above what they are of", "[yaml]") {
  const nlohmann::json document = {{"a/b", {{{"c", 1}}, 2}}};
  CHECK(yaml_of(document, {{"", "all\nof it"}, {"/a~1b", "A"}, {"/a~1b/0/c", "C"}, {"/a~1b/1", "two"}, {"/nothing", "x"}}) ==
        "# all\n# of it\n# A\na/b:\n  # C\n  - c: 1\n  # two\n  - 2\n");
  CHECK(read_back(YAML::Load(yaml_of(document, {{"/a~1b/0/c", "C: d"}}))) == document);
}
