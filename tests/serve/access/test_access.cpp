// Who may, and how often.
#include <catch2/catch.hpp>

#include "serve/access/rate.hpp"
#include "serve/access/tokens.hpp"
#include "specs/error.hpp"

using namespace stackx;
using namespace stackx::serve;
using namespace std::chrono_literals;

TEST_CASE("tokens: what a new line says is what its token may") {
  const auto reader = new_token(), writer = new_token(), both = new_token();
  CHECK(reader.starts_with("stackx_"));
  CHECK(reader.size() == 50);
  CHECK(reader != writer);
  const auto tokens = Tokens::parse("# who\n\n" + line_of("reader", "read", reader) + line_of("node-7", "write", writer) + line_of("a.b@c_d", "read+write", both), "tokens");
  CHECK(tokens.entries().size() == 3);
  CHECK(tokens.user_of(reader)->name == "reader");
  CHECK((tokens.user_of(reader)->may_read() && !tokens.user_of(reader)->may_write()));
  CHECK((!tokens.user_of(writer)->may_read() && tokens.user_of(writer)->may_write()));
  CHECK((tokens.user_of(both)->may_read() && tokens.user_of(both)->may_write()));
  for (const auto& wrong : {std::string(), reader.substr(1), reader + " ", reader + std::string(1, '\0'), std::string(600, 'x'), std::string("reader")})
    CHECK_FALSE(tokens.user_of(wrong));
}

TEST_CASE("tokens: a name may have two, and its hash is no token") {
  const auto one = new_token(), other = new_token();
  const auto line = line_of("x", "read", one);
  const auto tokens = Tokens::parse(line + line_of("x", "write", other) + "# " + line, "tokens");
  CHECK(tokens.user_of(one)->may_read());
  CHECK(tokens.user_of(other)->may_write());
  CHECK_FALSE(tokens.user_of(line.substr(7, 64)));
}

TEST_CASE("tokens: a wrong line is named") {
  const std::string hash(64, 'a');
  for (const std::string& line : std::vector<std::string>{"x", "x read", "x read " + hash.substr(1), "x read " + std::string(64, 'A'), "x root " + hash, "x read " + hash + " more",
                           std::string(65, 'x') + " read " + hash, std::string("x\x1b read ") + hash, "x=y read " + hash})
    CHECK_THROWS_WITH(Tokens::parse("# first\n" + line + "\n", "file"), Catch::StartsWith("file:2: expected a name"));
  CHECK(Tokens::parse("", "file").empty());
  CHECK_THROWS_AS(line_of("a b", "read", "t"), Error);
  CHECK_THROWS_AS(line_of("", "read", "t"), Error);
  CHECK_THROWS_AS(line_of("a", "all", "t"), Error);
}

TEST_CASE("token_in: bearer, or the password of any user") {
  CHECK(token_in("Bearer abc") == "abc");
  CHECK(token_in("bEaReR abc") == "abc");
  CHECK(token_in("Basic YW55Ym9keTphYmM=") == "abc");          // anybody:abc
  CHECK(token_in("basic YTpiOmM=") == "b:c");                   // a:b:c
  for (const char* text : {"", "abc", "Bearer", "Bearerabc", "Basic", "Basic ", "Basic =", "Basic ====", "Basic YWJj", "Basic YTpi*", "Basic YTpiY", "Digest abc"})
    CHECK(token_in(text).empty());
}

TEST_CASE("rate: a bucket of tries, filled again at a steady rate") {
  Rate rate(2, 3);
  const auto begin = Rate::Clock::now();
  for (int i = 0; i < 3; ++i) CHECK(rate.take("a", begin));
  CHECK_FALSE(rate.take("a", begin));
  CHECK_FALSE(rate.left("a", begin));
  CHECK(rate.take("b", begin));
  CHECK(rate.left("a", begin + 500ms));
  CHECK(rate.take("a", begin + 500ms));
  CHECK_FALSE(rate.take("a", begin + 600ms));
  int taken = 0;
  while (rate.take("a", begin + 1h)) ++taken;
  CHECK(taken == 3);
  Rate none(0, 1);
  for (int i = 0; i < 100; ++i) CHECK(none.take("a", begin));
}

TEST_CASE("rate: the names that it keeps are bounded, and full buckets are forgotten") {
  Rate rate(1, 2);
  const auto begin = Rate::Clock::now();
  for (int i = 0; i < 70'000; ++i) rate.take(std::to_string(i), begin);
  CHECK(rate.names() <= 65'537);
  CHECK_FALSE(rate.take("one more", begin));  // it shares a bucket with many
  CHECK(rate.take("later", begin + 1h));
  CHECK(rate.names() < 10);
}
