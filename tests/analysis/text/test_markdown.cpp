#include <catch2/catch.hpp>

#include "analysis/text/markdown.hpp"

using namespace stackx::analysis;

TEST_CASE("foreign text in Markdown is text", "[markdown]") {
  CHECK(escape_markdown("a_b|c") == "a\\_b\\|c");
  CHECK(escape_markdown("[x](javascript:alert(1))") == "\\[x\\](javascript:alert(1))");
  CHECK(escape_markdown("<img src=x>&amp;") == "&lt;img src=x\\>&amp;amp;");
  CHECK(escape_markdown("a\\[b") == "a\\\\\\[b");
}

TEST_CASE("code in a sentence stays code, all else is text", "[markdown]") {
  CHECK(markdown_sentence("A plain `pip install a_b` brings a_b.") == "A plain `pip install a_b` brings a\\_b.");
  CHECK(markdown_sentence("one ` and [x](y)") == "one \\` and \\[x\\](y)");
  CHECK(markdown_sentence("``[x](y)") == "\\`\\`\\[x\\](y)");
  CHECK(markdown_sentence("").empty());
}

TEST_CASE("links lead where they say, and only to pages of the web", "[markdown]") {
  CHECK(markdown_link("A_title", "https://example.org/a_(b)?c=d&e=1#f") ==
        "[A\\_title](<https://example.org/a_%28b%29?c=d&amp;e=1#f>)");
  CHECK(markdown_link("x](javascript:alert(1)", "https://h/a> <b|c`d\\\"\xc3\xa9") ==
        "[x\\](javascript:alert(1)](<https://h/a%3E%20%3Cb%7Cc%60d%5C%22%C3%A9>)");
  CHECK(markdown_link("", "http://h/") == "[source](<http://h/>)");
  for (const char* other : {"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//h/", ""})
    CHECK(markdown_link("MLPerf", other) == "MLPerf");
}
