#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "specs/format/printable.hpp"

using namespace stackx::specs;

namespace {

std::string escaped(unsigned code) { return fmt::format("\\u{:04x}", code); }
std::string utf8(unsigned code) { return nlohmann::json::parse('"' + escaped(code) + '"').get<std::string>(); }

}  // namespace

TEST_CASE("printable: what drives a terminal or turns text is shown as its number", "[printable]") {
  CHECK(printable("a\x1b[31mb") == "a\\u001b[31mb");
  CHECK(printable("\x7f\x07\b") == "\\u007f\\u0007\\u0008");
  CHECK(printable(std::string("\0", 1)) == "\\u0000");
  for (const unsigned code : {0x80, 0x9b, 0x9f, 0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069}) {
    CHECK(printable("a" + utf8(code) + "b") == "a" + escaped(code) + "b");
    CHECK_FALSE(is_printable(utf8(code)));
  }
}

TEST_CASE("printable: all other text is as it was", "[printable]") {
  for (const std::string text : {"", "plain ~ text", "Größe 5 µs ─├ 日本語", "\xf0\x9f\x98\x80", "\xc2\xa0"}) {
    CHECK(printable(text) == text);
    CHECK(is_printable(text));
  }
}

TEST_CASE("printable: what is not UTF-8 is replaced byte by byte", "[printable]") {
  const std::string replaced = "\xef\xbf\xbd";
  CHECK(printable("a\xff"
                  "b") == "a" + replaced + "b");
  CHECK(printable("\xc2") == replaced);
  CHECK(printable("\x9b") == replaced);                                 // C1 of an eight-bit terminal
  CHECK(printable("\xc1\x9b") == replaced + replaced);                  // overlong
  CHECK(printable("\xed\xa0\x80") == replaced + replaced + replaced);   // half of a pair
  CHECK(printable("\xe2\x80") == replaced + replaced);                  // cut short
  CHECK(printable("\xf4\x90\x80\x80") == replaced + replaced + replaced + replaced);  // beyond Unicode
}

TEST_CASE("printable: ends of lines are kept where they are ours", "[printable]") {
  CHECK(printable("a\nb\tc\r\nd") == "a b c  d");
  CHECK(printable("a\nb\r\nc\rd\te", Keep::lines) == "a\nb\r\nc d e");
  CHECK(printable("\x1b[1ma\x1b[0m\n", Keep::lines) == "\\u001b[1ma\\u001b[0m\n");
  CHECK(printable("\x1b[1ma\x1b[0m\n", Keep::colours) == "\x1b[1ma\x1b[0m\n");
  CHECK(printable("\x1b[8m\x1b[2J\x1b]0;title\x07", Keep::colours) == "\\u001b[8m\\u001b[2J\\u001b]0;title\\u0007");
}

TEST_CASE("printable: JSON stays the same JSON", "[printable]") {
  const nlohmann::json document = {{"a\x1b" + utf8(0x202e), "b\\" + utf8(0x7f) + utf8(0x9b) + "\n\"" + "\xf0\x9f\x98\x80"}};
  const std::string shown = printable(document.dump() + "\n", Keep::lines);
  CHECK(is_printable(shown, Keep::lines));
  CHECK(nlohmann::json::parse(shown) == document);
}
