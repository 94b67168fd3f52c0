// Input: what a PI printed. Whatever it is, the answer is a report or a reason, and a report fits
// into a result document that can be read back. The same of plain programs.
#include <cstdint>
#include <string>

#include "inspector/run/plain_output.hpp"
#include "inspector/run/protocol.hpp"
#include "specs/format/json.hpp"
#include "specs/result/inspection.hpp"
#include "tests/fuzz/lines.hpp"

using namespace stackx;
using stackx::fuzz::require;

namespace {

void check_rejected(const inspector::Rejected& rejected) {
  using specs::Outcome;
  require(rejected.outcome == Outcome::bad_output || rejected.outcome == Outcome::invalid_samples ||
              rejected.outcome == Outcome::unsupported,
          "only these three outcomes");
  require(rejected.outcome == Outcome::unsupported || !rejected.reason.empty(),
          "there is a reason");
}

void check_report(const inspector::PiReport& report) {
  const bool wrong = report.check && !report.check->pass;
  require(wrong || !report.samples_ns.empty(), "a right result has samples");
  for (const auto ns : report.samples_ns) require(ns > 0, "times are positive");

  specs::Inspection result;
  result.parameters = report.parameters;
  result.samples_ns = report.samples_ns;
  result.work = report.work;
  result.check = report.check;
  result.loaded = report.loaded;
  result.phases = report.phases;
  result.stack.components["a"] = "1";
  result.workload.pi = "matmul";
  specs::seal(result);
  const auto text = specs::canonical(specs::to_json(result));
  const auto again = specs::inspection_from(specs::Node::parse_text(text, "result"));
  require(specs::canonical(specs::to_json(again)) == text, "the document can be read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto check = [](const auto& parsed) { parsed ? check_report(*parsed) : check_rejected(parsed.error()); };
  check(inspector::parse_pi_output(text));
  for (const auto number : specs::printed_numbers) check(inspector::parse_plain_output(text, std::string(number), 1000));
  return 0;
}
