#include "importers/literal.hpp"

#include "tests/importers/fixture.hpp"

using namespace stackx::importers;
using stackx::specs::Json;

TEST_CASE("JSON is read as JSON") {
  CHECK(parse_literal(R"({"a": [1, 2.5, -3e2, true, null], "b": "x\nA"})") ==
        Json::parse(R"({"a": [1, 2.5, -300.0, true, null], "b": "x\nA"})"));
}

TEST_CASE("Python's spelling of the same") {
  CHECK(parse_literal("{'a': None, u'b': (1, True, False,), 'c': 'it\\'s', 3: 'x',}") ==
        Json::parse(R"({"a": null, "b": [1, true, false], "c": "it's", "3": "x"})"));
  CHECK(parse_literal("[nan, inf, -inf, NaN, Infinity, -Infinity, 1e999]") ==
        Json::array({nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr}));
  CHECK(parse_literal("12345678901234567890") == Json(12345678901234567890.0));
}

TEST_CASE("what is no value is none") {
  for (const char* text : {"", "{", "[1", "{'a' 1}", "{'a': }", "'open", "1 2", "{a: 1}", "[1,,2]",
                           "nonsense", "{[1]: 2}", "-", "+1"})
    CHECK_FALSE(parse_literal(text));
  CHECK_FALSE(parse_literal(std::string(100'000, '[')));
  CHECK(parse_literal(std::string(60, '[') + std::string(60, ']')));
}

TEST_CASE("bare NaN and infinities are null, outside of texts alone") {
  const auto node = parse_json(R"({"a": NaN, "b": [-Infinity, Infinity], "NaN": "Infinity \" NaN"})", "f");
  CHECK(node.json() == Json::parse(R"({"a": null, "b": [null, null], "NaN": "Infinity \" NaN"})"));
  CHECK(has(refusal([] { parse_json(R"({"a": NaN)", "f.json"); }), "f.json"));
  CHECK(has(refusal([] { parse_json(R"({"a": 1, "a": 2})", "f.json"); }), "a"));
}
