// The result document, one per inspection (format stackx/inspection/1): append-only, content-addressed, the
// unit of exchange between machines. The id is the SHA-256 of the canonical JSON of the document without `id`.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "specs/hardware.hpp"
#include "specs/stack.hpp"
#include "specs/workload.hpp"

namespace stackx::specs {

// How an inspection ended. Only `ok` ranks.
enum class Outcome {
  ok,
  build_failed,     // the environment could not be made: network, hash mismatch, package not installed
  unsupported,      // the library or this machine cannot do the workload (no bfloat16, no such instruction set)
  wrong_result,     // the product differs from the reference by more than the bound
  wrong_stack,      // another version was loaded than asked for
  timed_out,        // past the time limit
  crashed,          // ended by a signal
  failed,           // ended with a non-zero exit status
  out_of_memory,    // past the memory limit
  output_limit,     // printed more than allowed
  bad_output,       // printed something that is not the PI protocol
  invalid_samples,  // times that are not finite and positive, or none
  left_processes,   // exited while processes it started still ran
  missing_pi,       // the PI program is not there or cannot be executed
};
const char* to_string(Outcome outcome);
std::optional<Outcome> outcome_from(std::string_view name);

struct Phase {
  std::string name;  // "build", "check", "calibrate", "warm_up", "measure", "run" (the whole PI process)
  std::int64_t start_ns = 0;  // since the epoch (CLOCK_REALTIME)
  std::int64_t duration_ns = 0;
};

struct Work {  // of one sample
  double flop = 0, bytes = 0, items = 0;
};

struct Check {
  std::string reference;  // what it was checked against
  double max_relative_error = 0;
  double bound = 0;
  bool pass = false;
};

struct Usage {
  double user_s = 0, system_s = 0;
  std::uint64_t max_rss_bytes = 0;
  std::int64_t minor_faults = 0, major_faults = 0, voluntary_switches = 0, involuntary_switches = 0;
};

struct Inspection {
  std::string id;        // set by seal()
  std::string campaign;  // campaign id; empty for a single inspection
  std::uint64_t round = 0, position = 0;
  std::string arm;       // the arm's label; a sentinel's differs from the stack's own arm
  bool sentinel = false;
  Stack stack;                                // what was asked
  std::map<std::string, std::string> loaded;  // component -> version as the library itself reports it
  Workload workload;                          // as asked
  std::map<std::string, std::string> parameters;  // as run: workload, settings and calibration together
  Host host;
  double load_1m = 0;     // load average when the run began
  std::string device;     // UUID of the GPU, or the host's fingerprint
  std::string runner;     // "local (bubblewrap 0.8.0)"
  std::vector<Phase> phases;
  std::vector<std::int64_t> samples_ns;  // one per repetition, each of the whole mini-batch
  Work work;
  std::optional<Check> check;
  Usage usage;
  std::optional<int> exit_code;  // of the PI; absent if it ended by a signal or never ran
  Outcome outcome = Outcome::ok;
  std::string reason;            // a sentence; empty when ok
  std::string stdout_tail, stderr_tail;
  std::map<std::string, std::string> artifacts;  // file -> sha256
  std::string stackx_version;
  std::string finished;  // RFC 3339, UTC
};

nlohmann::json to_json(const Inspection& inspection);
Inspection inspection_from(const Node& node);  // verifies the id
void seal(Inspection& inspection);             // sets the id

}  // namespace stackx::specs
