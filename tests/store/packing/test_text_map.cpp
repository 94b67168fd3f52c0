// The JSON parser is the oracle: whatever it says of a text, we say too.
#include <catch2/catch.hpp>
#include <random>

#include "specs/format/json.hpp"
#include "store/packing/text_map.hpp"

using namespace stackx;
using TextMap = std::map<std::string, std::string>;

namespace {

void check(const std::string& text) {
  INFO(text);
  std::optional<TextMap> wanted, got;
  try {
    wanted = specs::Json::parse(text).get<TextMap>();
  } catch (const specs::Json::exception&) {
  }
  try {
    got = store::read_text_map(text);
  } catch (const specs::Json::exception&) {
  }
  CHECK(wanted == got);
}

}  // namespace

TEST_CASE("text map: what canonical JSON writes") {
  CHECK(store::read_text_map(R"({"dtype":"float32","m":"1024"})") == TextMap{{"dtype", "float32"}, {"m", "1024"}});
  for (const TextMap& map : {TextMap{}, TextMap{{"", ""}}, TextMap{{"a\"b", "c\\d"}, {"e", "f\n"}}, TextMap{{"ä", "ü"}, {"x", "{},:"}}})
    CHECK(store::read_text_map(specs::Json(map).dump()) == map);
}

TEST_CASE("text map: what else is one, and what is none") {
  for (const char* text : {"", "{", "}", "{}", "{}x", "[]", "null", "\"a\"", R"({"a"})", R"({"a":})", R"({"a":"b")", R"({"a":"b",})", R"({"a":"b"}})",
                           R"({"a":1})", R"({"a":null})", R"({"a":"b","a":"c"})", R"({"b":"1","a":"2"})", R"( {"a" : "b"} )", R"({"a":"\u0041"})",
                           R"({"a":"b"},"c":"d")", R"({,"a":"b"})", R"({"a":"b" "c":"d"})", R"({"a""b"})", "{\"a\":\"\t\"}", "{\"a\":\"\x80\"}"})
    check(text);
}

TEST_CASE("text map: whatever a row holds") {
  std::mt19937_64 random(20261126);
  const std::string_view letters = "{}\"\":,ab\\ \n\x80";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    if (random() % 2) {  // a map with a byte changed
      TextMap map;
      for (auto n = random() % 4; n > 0; --n) map[std::string(random() % 3, 'k') + "a"] = std::string(1, letters[random() % (letters.size() - 1)]);
      text = specs::Json(map).dump();
      if (random() % 2) text[random() % text.size()] = letters[random() % letters.size()];
    } else {
      text = "{\"";
      for (auto n = random() % 12; n > 0; --n) text += letters[random() % letters.size()];
    }
    check(text);
  }
}
