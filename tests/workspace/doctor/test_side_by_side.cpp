#include <catch2/catch.hpp>

#include <chrono>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>

#include "workspace/doctor/side_by_side.hpp"

using namespace stackx::workspace;
using namespace std::chrono_literals;

TEST_CASE("probes run at once, and are told in their order", "[doctor]") {
  const auto all_begun = std::make_shared<std::latch>(3);  // a probe owns all that it uses
  const auto after_all_began = [all_begun](std::string what, std::chrono::milliseconds time) {
    return Probe{{what}, [all_begun, what, time] {
                   all_begun->arrive_and_wait();  // one after another, the first would wait for ever
                   std::this_thread::sleep_for(time);
                   return Findings{{what, Status::ok, "well", "", ""}};
                 }};
  };
  const auto findings = side_by_side({after_all_began("a", 40ms), after_all_began("b", 0ms), after_all_began("c", 20ms)}, 60s);
  REQUIRE(findings.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK((findings[i].what == std::string(1, "abc"[i]) && findings[i].found == "well"));
}

TEST_CASE("one that does not come back or throws is told, and spoils no other", "[doctor]") {
  const auto findings = side_by_side({{{"hangs", "too"}, [] {
                                         std::this_thread::sleep_for(60s);
                                         return Findings{};
                                       }},
                                      {{"throws"}, []() -> Findings { throw std::runtime_error("it \x1b[2J broke"); }},
                                      {{"works"}, [] { return Findings{{"works", Status::ok, "well", "", ""}}; }}},
                                     3s);  // the others end by then, however busy the machine
  REQUIRE(findings.size() == 4);
  CHECK(findings[0].what == "hangs");
  CHECK(findings[1].what == "too");
  CHECK((findings[1].status == Status::unknown && findings[1].found == "no answer within 3 s"));
  CHECK((findings[2].status == Status::unknown && findings[2].found == "it \\u001b[2J broke"));
  CHECK(findings[3].status == Status::ok);
}
