// The result document, one per inspection (format stackx/inspection/1): append-only,
// content-addressed, the unit of exchange between machines. The id is the SHA-256 of the canonical
// JSON of the document without `id`.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/stack.hpp"
#include "specs/hardware/hardware.hpp"
#include "specs/project/pi_program.hpp"
#include "specs/project/workload.hpp"
#include "specs/result/device_memory.hpp"
#include "specs/result/energy.hpp"
#include "specs/result/outcome.hpp"
#include "specs/result/sample_conditions.hpp"
#include "specs/result/scenario_result.hpp"

namespace stackx::specs {

// The phase from starting the container engine to the first moment of what runs inside: the inspector's, not the PI's.
inline constexpr const char* container_start = "container_start";

struct Phase {
  std::string name;  // "build", container_start, "check", "calibrate", "warm_up", "measure", "run" (all of the PI)
  std::int64_t start_ns = 0;  // since the epoch (CLOCK_REALTIME)
  std::int64_t duration_ns = 0;
};

struct Work {  // of one sample
  double flop = 0, bytes = 0, items = 0;
};
// Of a sample that ranks: no sum over years of them overflows. Documents may state more, as they may state nothing.
inline constexpr double most_work = 1e30;

inline constexpr std::uint64_t most_memory = std::uint64_t{1} << 50;  // bytes: more than any machine has

// More processes than any machine runs; what is in between can be added up.
inline constexpr double most_load = 1e6;

struct Check {
  std::string reference;  // what it was checked against
  double max_relative_error = 0;
  double bound = 0;
  bool pass = false;
  std::optional<double> max_ulps = {};     // the largest error in units in the last place of the result's type
  std::string result_digest = {};          // SHA-256 of the whole result, as it lies in memory; empty: not told
  std::string inputs = {};                 // what made them, and of which seed: digests of others are of another problem
  std::optional<bool> deterministic = {};  // the same bits in each of the runs that the PI made; absent: it made one
};
void bits_from(Check& check, const Node& node);  // the members from max_ulps on, which a PI may leave out

struct Usage {
  double user_s = 0, system_s = 0;
  std::uint64_t max_rss_bytes = 0;
  std::int64_t minor_faults = 0, major_faults = 0, voluntary_switches = 0, involuntary_switches = 0;
};

struct Inspection {
  std::string id;        // set by seal()
  std::string campaign;  // campaign id; empty for a single inspection
  std::uint64_t round = 0, position = 0;
  std::string arm;  // the arm's label; a sentinel's differs from the stack's own arm
  bool sentinel = false;
  Stack stack;  // what was asked
  std::map<std::string, std::string>
      loaded;         // component -> version as the library itself reports it
  Workload workload;  // as asked
  std::optional<PiProgram> program;  // that measured; absent: stackx's own, before it was recorded
  std::map<std::string, std::string>
      parameters;  // as run: workload, settings and calibration together
  Host host;
  double load_1m = 0;  // load average when the run began, 0 to most_load
  // Share of the processors' time, 0 to 1, that the hypervisor withheld during the run; absent where
  // the system does not say (and in documents made before it was recorded).
  std::optional<double> steal;
  std::string device;  // UUID of the GPU, or the host's fingerprint
  std::string runner;  // "local (bubblewrap 0.8.0)"
  std::vector<std::string> nodes;  // names of those that measured this together, the first is `host`; empty: one alone
  std::vector<Phase> phases;
  std::vector<std::int64_t> samples_ns;  // one per repetition, each of the whole mini-batch
  SampleConditions conditions;           // of a GPU at each sample
  Work work;
  std::map<std::string, double> metrics;  // what the PI measured besides (metric.hpp): name -> value in its unit
  // Phase -> the most memory, in bytes, that the PI had held up to its end; whole documents have the most of all in `usage`.
  std::map<std::string, std::uint64_t> memory;
  std::optional<DeviceMemory> device_memory;  // of a GPU, by NVML
  Energies energy;  // that was drawn meanwhile, by counter
  std::optional<Check> check;
  std::optional<ScenarioResult> scenario;
  Usage usage;
  std::optional<int> exit_code;  // of the PI; absent if it ended by a signal or never ran
  Outcome outcome = Outcome::ok;
  std::string reason;  // a sentence; empty when ok
  std::string stdout_tail, stderr_tail;
  std::map<std::string, std::string> artifacts;  // file -> sha256
  std::string stackx_version;
  std::string finished;  // RFC 3339, UTC
};

// Operations of a sample: the mini-batch, whose size is calibrated for each inspection; 1 where the PI states none.
double runs_a_sample(const Inspection& inspection);

// Output of programs (tails, reason) is made UTF-8; a number that is not finite is an Error naming
// its place.
nlohmann::json to_json(const Inspection& inspection);
// How long texts may be: what comes from others is bounded (text_limits.hpp), what a store has kept so far is not lost.
enum class TextLengths { bounded, any };
Inspection inspection_from(const Node& node, TextLengths texts = TextLengths::bounded);  // verifies the id
// The members that metrics are read from (yardstick.hpp), of a document or what a store keeps of it; the others stay.
std::map<std::string, std::uint64_t> memory_from(const Node& node);  // the member `memory`
void figures_from(Inspection& inspection, const Node& node);
void seal(Inspection& inspection);             // cuts texts that are too long, and sets the id

}  // namespace stackx::specs
