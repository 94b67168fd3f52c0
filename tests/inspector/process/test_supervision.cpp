#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

#include "inspector/process/supervision.hpp"

using namespace stackx::inspector;

namespace {

Supervision usual() {
  Supervision report;
  report.end = Supervision::End::exited;
  report.began_ns = 12'345;
  report.start_ns = 1'700'000'000'000'000'000;
  report.duration_ns = 1'000'000;
  report.max_rss_kib = 1024;
  return report;
}

}  // namespace

TEST_CASE("a report is read as it was written", "[supervision]") {
  const auto read = supervision_from(to_text(usual()));
  REQUIRE(read);
  CHECK(read->end == Supervision::End::exited);
  CHECK(read->start_ns == usual().start_ns);
  CHECK(read->began_ns == 12'345);
  CHECK(read->max_rss_kib == 1024);
}

TEST_CASE("a report whose numbers cannot be true is none", "[supervision]") {
  constexpr auto huge = std::numeric_limits<std::int64_t>::max();
  const auto with = [](auto change) {
    auto report = usual();
    change(report);
    return supervision_from(to_text(report)).has_value();
  };
  CHECK(with([](Supervision&) {}));
  CHECK_FALSE(with([](Supervision& report) { report.began_ns = -1; }));
  CHECK_FALSE(with([](Supervision& report) { report.start_ns = -1; }));
  CHECK_FALSE(with([](Supervision& report) { report.start_ns = huge; }));
  CHECK_FALSE(with([](Supervision& report) { report.duration_ns = huge; }));
  CHECK_FALSE(with([](Supervision& report) { report.duration_ns = -5; }));
  CHECK_FALSE(with([](Supervision& report) { report.user_us = -1; }));
  CHECK_FALSE(with([](Supervision& report) { report.max_rss_kib = huge; }));  // overflows as bytes
  CHECK_FALSE(with([](Supervision& report) { report.minor_faults = std::numeric_limits<std::int64_t>::min(); }));
  CHECK_FALSE(with([](Supervision& report) { report.peak_bytes = ~std::uint64_t{0}; }));
  CHECK_FALSE(with([](Supervision& report) { report.together_bytes = ~std::uint64_t{0}; }));
  CHECK_FALSE(with([](Supervision& report) { report.status = -7; }));
  CHECK_FALSE(supervision_from("end=99\n" + to_text(usual()).substr(6)));
  CHECK_FALSE(supervision_from("complete=1\n"));
  CHECK_FALSE(supervision_from(""));
}
