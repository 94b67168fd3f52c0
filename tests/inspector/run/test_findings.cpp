#include <catch2/catch.hpp>

#include "inspector/run/findings.hpp"

using namespace stackx;
using namespace stackx::inspector;
using specs::Outcome;

namespace findings_tests {
namespace {

RunResult printed(const std::string& text) {
  RunResult ran;
  ran.process.out = text;
  ran.supervision = Supervision{};
  return ran;
}

specs::Inspection found(const std::string& text, const std::string& device = "GPU-1") {
  specs::Inspection result;
  result.device = device;
  put_output(result, StackEnvironment{}, specs::PiProgram{}, Secrets(Environment{}), printed(text));
  return result;
}

}  // namespace

TEST_CASE("a PI that ran on another GPU measured another stack", "[findings]") {
  constexpr const char* text = R"({"samples_ns": [3], "gpu": {"uuid": "GPU-1"}})";
  CHECK(found(text).outcome == Outcome::ok);
  const auto other = found(text, "GPU-2");
  CHECK(other.outcome == Outcome::wrong_stack);
  CHECK(other.reason == "the PI ran on GPU-1, it was told to use GPU-2");
  CHECK(other.samples_ns == std::vector<std::int64_t>{3});  // found before, and kept
}

TEST_CASE("a wrong result is an outcome, and says by how much", "[findings]") {
  const auto wrong = found(R"({"check": {"reference": "numpy", "max_relative_error": 0.5, "bound": 0.001, "pass": false}})");
  CHECK(wrong.outcome == Outcome::wrong_result);
  CHECK(wrong.reason == "the result differs from the reference (numpy) by 0.5; the bound is 0.001");
}

TEST_CASE("what cannot be read leaves nothing but the reason", "[findings]") {
  const auto result = found("Segmentation fault");
  CHECK(result.outcome == Outcome::bad_output);
  CHECK_FALSE(result.reason.empty());
  CHECK(result.samples_ns.empty());
}

TEST_CASE("a PI that was not started took nothing", "[findings]") {
  specs::Inspection result;
  Supervision report;
  report.max_rss_kib = 2;
  report.duration_ns = 5;
  report.end = Supervision::End::not_started;
  put_supervision(result, report);
  CHECK(result.phases.empty());
  CHECK(result.usage.max_rss_bytes == 0);

  report.end = Supervision::End::signalled;
  report.status = 11;
  put_supervision(result, report);
  REQUIRE(result.phases.size() == 1);
  CHECK(result.phases[0].duration_ns == 5);
  CHECK(result.usage.max_rss_bytes == 2048);
  CHECK_FALSE(result.exit_code);  // it has none

  report.end = Supervision::End::exited;
  report.status = 3;
  put_supervision(result, report);
  CHECK(result.exit_code == 3);
}

TEST_CASE("memory of processes together counts above that of the largest, and the PI's word above both", "[findings]") {
  specs::Inspection result;
  result.usage.max_rss_bytes = 100;
  put_memory_together(result, 100);
  CHECK(result.metrics.empty());
  put_memory_together(result, 101);
  CHECK(result.metrics.at("peak_memory_bytes") == 101);
  put_memory_together(result, 200);
  CHECK(result.metrics.at("peak_memory_bytes") == 101);
}

}  // namespace findings_tests
