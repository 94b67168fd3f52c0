#include <catch2/catch.hpp>

#include "inspector/paths.hpp"
#include "tests/inspector/support.hpp"

using namespace stackx::inspector;
using namespace stackx::inspector::testing;

TEST_CASE("directories follow the XDG specification", "[paths]") {
  const Variable home("HOME", "/home/somebody");
  {
    const Variable cache("XDG_CACHE_HOME", "/var/cache"), data("XDG_DATA_HOME", "/srv/data");
    CHECK(cache_directory() == "/var/cache/stackx");
    CHECK(data_directory() == "/srv/data/stackx");
  }
  {
    const Variable cache("XDG_CACHE_HOME", std::nullopt), data("XDG_DATA_HOME", "");
    CHECK(cache_directory() == "/home/somebody/.cache/stackx");
    CHECK(data_directory() == "/home/somebody/.local/share/stackx");
  }
  const Variable relative("XDG_CACHE_HOME", "relative");
  CHECK(cache_directory() == "/home/somebody/.cache/stackx");
}
