// Reads what a PI printed: one JSON object, of which nothing is taken on trust.
//
//   { "name", "component", "parameters": {...}, "samples_ns": [...], "work": {"flop", "bytes",
//   "items"},
//     "check": {"reference", "max_relative_error", "bound", "pass"}, "loaded": {component:
//     version}, "library": path, "files": [mapped shared objects], "phases": [{"name", "start_ns",
//     "duration_ns"}] }
//     "check" may have more, of the error and the bits: "max_ulps", "result_digest", "inputs", "deterministic"
//     (specs/result/inspection.hpp)
//   "conditions", "throttled", "scenario" as in the result document (GPU samples, inference scenarios)
//   "gpu": {"uuid"}: where it ran
//   "metrics": {"first_token_ms": 12.5, ...}: what it measured besides (names and units: specs/result/metric.cpp)
//   "memory": {phase: bytes}: the most that it had held up to the end of each phase
//   { "unsupported": reason }                                  the library or machine cannot do it
//   { "@parameters": {...}, "@result": {"rate", "elapsed"} }   Thoth's PIs: GFLOP/s, milliseconds
//
// Required: samples_ns, unless `check` failed. Keys beyond these are ignored, so that PIs can say
// more. NaN and Infinity, which Python prints and JSON lacks, are read as "not a number" to name
// the sample instead of a syntax error.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inspector/process/secrets.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::inspector {

struct PiReport {
  std::string name, component;
  std::map<std::string, std::string> parameters;  // scalars as text
  std::vector<std::int64_t> samples_ns;
  specs::SampleConditions conditions;
  specs::Work work;
  std::optional<specs::Check> check;
  std::optional<specs::ScenarioResult> scenario;
  std::map<std::string, std::string> loaded;
  std::string library;
  std::string gpu;  // UUID of the GPU that it ran on; empty: none, or not told
  std::vector<std::string> files;
  std::vector<specs::Phase> phases;
  std::map<std::string, std::uint64_t> memory;  // phase -> bytes
  std::map<std::string, double> metrics;        // specs/result/metric.hpp
};

struct Rejected {
  specs::Outcome outcome;  // bad_output, invalid_samples, unsupported
  std::string reason;
};

std::expected<PiReport, Rejected> parse_pi_output(const std::string& text);

// Takes known secrets out of the words that are kept of a report. Not of the text before it is read: a secret of digits
// may be part of a number, and one may stand there escaped.
void mask(PiReport& report, const Secrets& secrets);

}  // namespace stackx::inspector
