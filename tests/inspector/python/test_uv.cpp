#include "inspector/python/uv.hpp"

#include <catch2/catch.hpp>

using namespace stackx::inspector;
using Catch::Matchers::Contains;

namespace {

// uv 0.13's words where the index cannot be reached.
const char* const no_route = R"(Using CPython 3.11.7 interpreter at: /usr/bin/python3
error: Request failed after 3 retries in 8.2s
  cause: Failed to fetch: http://127.0.0.1:9/simple/six/
  cause: error sending request for url (http://127.0.0.1:9/simple/six/)
  cause: client error (Connect)
  cause: tcp connect error
  cause: Connection refused (os error 111)
)";

}  // namespace

TEST_CASE("an index that is not reached is named, with what to do", "[uv]") {
  const auto said = explain({"six", "1.16.0", "", "", 0}, no_route, false);
  CHECK_THAT(said, Catch::Matchers::StartsWith("six 1.16.0: http://127.0.0.1:9/simple/six/ is not reached (Connection refused (os error 111)); "));
  CHECK_THAT(said, Contains("HTTPS_PROXY") && Contains("stackx catalog discover"));
  CHECK_THAT(explain({"six", "", "", "", 0}, no_route, false), Catch::Matchers::StartsWith("six: http://"));
}

TEST_CASE("an index that answers, with a refusal, is quoted", "[uv]") {
  const auto said = explain({"six", "9", "", "", 0},
                            "error: Failed to fetch: `http://index/six/`\n  Caused by: HTTP status client error (403 Forbidden)\n", false);
  CHECK_THAT(said, Contains("uv could not install it") && Contains("403 Forbidden"));
  CHECK_THAT(said, !Contains("is not reached"));
}
