#include "workspace/asked/shell_words.hpp"

#include <catch2/catch.hpp>

#include "tests/specs/message_of.hpp"

namespace shell_words_tests {

using namespace stackx::workspace;
using stackx::tests::message_of;
using Catch::Matchers::Contains;
using Words = std::vector<std::string>;

namespace {

Words words(std::string_view command) { return shell_words(command, "--pi"); }

std::string refusal(std::string_view command) {
  return message_of([&] { words(command); });
}

}  // namespace

TEST_CASE("words are split as a shell splits them") {
  CHECK(words("a b  c") == Words{"a", "b", "c"});
  CHECK(words("  a\tb\n") == Words{"a", "b"});
  CHECK(words("").empty());
  CHECK(words(" \n").empty());
  CHECK(words("a '' \"\"") == Words{"a", "", ""});
  CHECK(words("a'b c'd\"e f\"") == Words{"ab cde f"});
  CHECK(words("'a\\b\"'") == Words{"a\\b\""});
  CHECK(words(R"("a\"b\\c\$d\`e\f'g")") == Words{R"(a"b\c$d`e\f'g)"});
  CHECK(words(R"(a\ b \'c\" \\)") == Words{"a b", "'c\"", "\\"});
  CHECK(words("a\\\nb \"c\\\nd\"") == Words{"ab", "cd"});
  CHECK(words("\\\n").size() == 1);
}

TEST_CASE("nothing is expanded, and what only a shell could do is refused") {
  CHECK(words("$HOME ~ *.py {a,b} # !x $(id) `id`") ==
        Words{"$HOME", "~", "*.py", "{a,b}", "#", "!x", "$(id)", "`id`"});
  CHECK(words("'a|b' \"c>d\" e\\;f") == Words{"a|b", "c>d", "e;f"});
  for (const char* command : {"a | b", "a > b", "a && b", "a; b", "a < b"})
    CHECK_THAT(refusal(command), Contains("--pi \"" + std::string(command) + "\": ") && Contains("outside of quotes"));
}

TEST_CASE("a quoted word is read back") {
  CHECK(shell_quoted("/opt/a-b_c") == "/opt/a-b_c");
  CHECK(shell_quoted("it's") == R"('it'\''s')");
  for (const std::string word : {"", "a b", "it's", "$(x)", "a|b", "\"q\"", "\\", "a\nb", "\xff"})
    CHECK(words(shell_quoted(word)) == Words{word});
}

TEST_CASE("a quote that nobody closes is an error that says so") {
  CHECK_THAT(refusal("a 'b c"), Contains("--pi \"a 'b c\": a quote (') is not closed"));
  CHECK_THAT(refusal("a \"b c"), Contains("a quote (\") is not closed"));
  CHECK_THAT(refusal("a \"b\\"), Contains("a quote (\") is not closed"));
  CHECK_THAT(refusal("a \"b\\\""), Contains("a quote (\") is not closed"));
  CHECK_THAT(refusal("a b\\"), Contains("ends in a backslash"));
}

}  // namespace shell_words_tests
