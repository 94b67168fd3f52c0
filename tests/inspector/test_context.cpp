#include <catch2/catch.hpp>

#include "inspector/context.hpp"
#include "specs/error.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx;
using namespace stackx::inspector;

namespace context_tests {
namespace {

Context context_here() {
  Context context;
  context.supervisor = "/bin/sh";  // any program
  context.cache = "/cache";
  return context;
}

}  // namespace

TEST_CASE("a context's paths hold wherever a program begins", "[context]") {
  auto context = context_here();
  context.cache = "here/../cache";
  context.pis.own = "nowhere/pi.py";
  const auto resolved_one = resolved(context);
  CHECK(resolved_one.supervisor == std::filesystem::canonical("/bin/sh"));
  CHECK(resolved_one.cache == std::filesystem::current_path() / "cache");
  CHECK(resolved_one.pis.own == std::filesystem::current_path() / "nowhere/pi.py");  // not there: an outcome later
  CHECK(resolved_one.pis.native.empty());
}

TEST_CASE("nothing is inspected without a supervisor, or with a cache that the loader cannot search", "[context]") {
  auto context = context_here();
  context.supervisor = "/nowhere/stackx-supervise";
  CHECK_THROWS_WITH(resolved(context), Catch::Contains("/nowhere/stackx-supervise: not there or not executable"));
  for (const char* cache : {"/a:b", "/a;b"}) {
    context = context_here();
    context.cache = cache;
    CHECK_THROWS_WITH(resolved(context), Catch::Contains(cache) && Catch::Contains("XDG_CACHE_HOME"));
  }
}

}  // namespace context_tests
