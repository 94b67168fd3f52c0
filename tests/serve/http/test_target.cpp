// Targets of requests, and the addresses that a server listens at.
#include <catch2/catch.hpp>

#include "serve/http/server.hpp"
#include "serve/http/target.hpp"
#include "specs/error.hpp"

using namespace stackx;
using namespace stackx::serve;

TEST_CASE("read_target: a path and parameters, decoded") {
  const auto target = read_target("/v1/hardware/GeForce%20RTX?hw=a+b%2Bc&hw=%C3%A9&empty=&flag");
  REQUIRE(target);
  CHECK(target->is({"v1", "hardware", "GeForce RTX"}));
  CHECK(target->parameters == std::vector<std::pair<std::string, std::string>>{{"hw", "a b+c"}, {"hw", "\u00e9"}, {"empty", ""}, {"flag", ""}});
  CHECK(target->parameter("hw") == "a b+c");
  CHECK_FALSE(target->parameter("none"));
  CHECK(target->path_text() == "/v1/hardware/GeForce%20RTX");
  CHECK(read_target(to_text(*target)) == *target);
}

TEST_CASE("read_target: the root, and a slash at the end, which is none") {
  CHECK(read_target("/")->path.empty());
  CHECK(read_target("/")->path_text() == "/");
  CHECK(*read_target("/v1/advise/") == *read_target("/v1/advise"));
  CHECK(*read_target("/a?") == *read_target("/a?&&"));
}

TEST_CASE("read_target: a plus is a space in parameters alone") {
  CHECK(read_target("/a+b")->path.front() == "a+b");
  CHECK(read_target("/?a+b=c+d")->parameters.front() == std::pair<std::string, std::string>("a b", "c d"));
}

TEST_CASE("read_target: what leads elsewhere or is no text is refused in words") {
  for (const char* text : {"", "v1", "*", "http://h/v1", "//", "//a", "/a//b", "/./a", "/a/..", "/%2e%2e/a", "/%2E", "/a%2fb", "/a/../b", "/a%00", "/%0a", "/%7f", "/%c2%85", "/%e2%80%ae", "/%ff",
                           "/%c0%ae", "/%ed%a0%80", "/%f4%90%80%80", "/%e2%82", "/%", "/%4", "/%zz", "/a b", "/a\tb", "/a#b", "/\xc3\xa9", "/?a=%0d%0ab", "/?%00=b", "/?a=%"}) {
    const auto target = read_target(text);
    INFO(text);
    REQUIRE_FALSE(target);
    CHECK_FALSE(target.error().empty());
  }
  CHECK_FALSE(read_target(std::string_view("/a\0b", 4)));
}

TEST_CASE("read_target: bounded") {
  CHECK(read_target("/" + std::string(32767, 'a')));
  CHECK_FALSE(read_target("/" + std::string(32768, 'a')));
  std::string thousand = "/?";
  for (int i = 0; i < 1000; ++i) thousand += "a=b&";
  CHECK(read_target(thousand)->parameters.size() == 1000);
  CHECK_FALSE(read_target(thousand + "a"));
}

TEST_CASE("read_listen") {
  using Place = std::pair<std::string, std::uint16_t>;
  CHECK(read_listen("127.0.0.1:8421") == Place("127.0.0.1", 8421));
  CHECK(read_listen("[::1]:0") == Place("::1", 0));
  CHECK(read_listen(":80") == Place("127.0.0.1", 80));
  CHECK(read_listen("localhost:65535") == Place("127.0.0.1", 65535));
  for (const char* text : {"", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:80x", "example.org:80", "127.0.0.1: 80", "256.0.0.1:80"})
    CHECK_THROWS_AS(read_listen(text), Error);
}

TEST_CASE("is_loopback") {
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1"}) CHECK(is_loopback(address));
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "localhost", "", "128.0.0.1", "::ffff:10.0.0.1"}) CHECK_FALSE(is_loopback(address));
}
