#include <catch2/catch.hpp>
#include <ctime>

#include "specs/format/clock.hpp"
#include "specs/random.hpp"

using namespace stackx::specs;
using std::chrono::milliseconds;
using std::chrono::system_clock;

TEST_CASE("known times") {
  CHECK(rfc3339_utc(system_clock::time_point{}) == "1970-01-01T00:00:00.000Z");
  CHECK(rfc3339_utc(system_clock::time_point(milliseconds(-1))) == "1969-12-31T23:59:59.999Z");
  CHECK(rfc3339_utc(system_clock::time_point(milliseconds(1709210096789))) ==
        "2024-02-29T12:34:56.789Z");
}

TEST_CASE("dates agree with gmtime") {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::time_t seconds = static_cast<std::time_t>(random.below(8'000'000'000));
    char expected[32];
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%S.000Z", &parts);
    REQUIRE(rfc3339_utc(system_clock::from_time_t(seconds)) == expected);
  }
}

TEST_CASE("clock: texts of times are read as they are written") {
  std::int64_t ms = 0;
  REQUIRE(parse_utc("2026-11-21T20:40:43.026Z", ms));
  CHECK(ms == 1795293643026);
  CHECK(utc_text(ms, true) == "2026-11-21T20:40:43.026Z");
  REQUIRE(parse_utc("1969-12-31T23:59:59Z", ms));
  CHECK(ms == -1000);
  CHECK(utc_text(ms, false) == "1969-12-31T23:59:59Z");
  for (const char* text : {"2026-02-30T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21 20:40:43Z",
                           "2026-11-21T20:40:43.02Z", "2026-11-21T20:40:60Z", "yesterday", ""})
    CHECK_FALSE(parse_utc(text, ms));
}
