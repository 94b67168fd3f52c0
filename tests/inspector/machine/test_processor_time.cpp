#include <catch2/catch.hpp>

#include "inspector/machine/processor_time.hpp"
#include "tests/inspector/fake_machine.hpp"

using namespace stackx::inspector;
using stackx::inspector::testing::FakeMachine;

namespace {

std::optional<double> steal_between(const char* before, const char* after) {
  return share_of_steal(parse_processor_time(before), parse_processor_time(after));
}

}  // namespace

TEST_CASE("processor time: the first line of /proc/stat, guests counted once") {
  const auto time = parse_processor_time(
      "cpu  100 20 30 4000 50 6 7 80 90 10\n"
      "cpu0 50 10 15 2000 25 3 3 40 45 5\n"
      "intr 12345 0 0\n");
  REQUIRE(time);
  CHECK(time->busy == 100 + 20 + 30 + 6 + 7);
  CHECK(time->idle == 4050);
  CHECK(time->steal == 80);
  CHECK(time->total() == 4293);
}

TEST_CASE("processor time: kernels that count less, and texts that are none") {
  const auto old = parse_processor_time("cpu 1 2 3 4 5 6 7\n");
  REQUIRE(old);
  CHECK(old->busy == 1 + 2 + 3 + 6 + 7);
  CHECK_FALSE(old->steal);
  CHECK(parse_processor_time("cpu 1 2 3 4")->idle == 4);
  CHECK(parse_processor_time("cpu0 9 9 9 9\ncpu 1 2 3 4")->busy == 6);
  for (const char* text : {"", "cpu", "cpu 1 2 3", "cpu 1 2 x 4", "cpu0 1 2 3 4 5 6 7 8\n",
                           "cpu -1 2 3 4 5 6 7 8", "CPU 1 2 3 4 5 6 7 8"}) {
    INFO(text);
    CHECK_FALSE(parse_processor_time(text));
  }
  FakeMachine machine;
  CHECK_FALSE(read_processor_time(machine.tree()));
  machine.file("/proc/stat", "cpu  1 0 0 9 0 0 0 2 0 0\n");
  CHECK(read_processor_time(machine.tree())->total() == 12);
}

TEST_CASE("processor time: the share of steal is of the time between") {
  CHECK(*steal_between("cpu 100 0 0 100 0 0 0 1000 0 0", "cpu 150 0 0 130 0 0 0 1020 0 0") ==
        Approx(0.2));
  CHECK(*steal_between("cpu 1 0 0 1 0 0 0 7 0 0", "cpu 2 0 0 1 0 0 0 7 0 0") == 0.0);
  CHECK(*steal_between("cpu 1 0 0 1 0 0 0 7 0 0", "cpu 1 0 0 1 0 0 0 9 0 0") == 1.0);
  // iowait went back by 5: not more than all of it.
  CHECK(*steal_between("cpu 1 0 0 1 9 0 0 0 0 0", "cpu 1 0 0 1 4 0 0 6 0 0") == 1.0);
}

TEST_CASE("processor time: no share where it cannot be told") {
  CHECK_FALSE(steal_between("cpu 1 0 0 1 0 0 0 7", "cpu 1 0 0 1 0 0 0 7"));  // no time passed
  CHECK_FALSE(steal_between("cpu 1 0 0 1 0 0 0 7", "cpu 9 0 0 9 0 0 0 6"));  // ran backwards
  CHECK_FALSE(steal_between("cpu 9 0 0 9 0 0 0 7", "cpu 1 0 0 1 0 0 0 7"));
  CHECK_FALSE(steal_between("cpu 1 0 0 1 0 0 0", "cpu 9 0 0 9 0 0 0"));  // no such column
  CHECK_FALSE(steal_between("", "cpu 9 0 0 9 0 0 0 6"));
  CHECK_FALSE(steal_between("cpu 9 0 0 9 0 0 0 6", ""));
}
