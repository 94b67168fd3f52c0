// One run of a PI: confinement, supervisor, PI, and what became of it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inspector/confinement/confinement.hpp"
#include "inspector/process/process.hpp"
#include "inspector/process/supervision.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::inspector {

struct SupervisedRun {
  std::filesystem::path supervisor;
  std::vector<std::string> argv;  // the PI and its arguments
  Environment variables;          // beyond PATH, LC_ALL, HOME and TMPDIR
  Confinement confinement;
  std::string mark = {};          // of meters/run_mark.hpp; empty: none
  double timeout_seconds = 120;
  std::function<bool()> stop;
};

// Until the confiner had the program going.
struct ConfinerStart {
  std::int64_t start_ns = 0;     // CLOCK_REALTIME, just before its words were started
  std::int64_t duration_ns = 0;  // until the supervisor within began
};

struct RunResult {
  Finished process;                        // of the supervisor; out and err are the PI's
  std::optional<Supervision> supervision;  // absent if it was killed or never started
  std::optional<ConfinerStart> start;      // absent as well where the supervisor's clock is not ours
};

RunResult run(const SupervisedRun& what, const Confiner& confiner);

// How the run ended, judged without looking at the output: ok means that there is output to look
// at.
struct Verdict {
  specs::Outcome outcome = specs::Outcome::ok;
  std::string reason;
};
Verdict judge(const SupervisedRun& what, const RunResult& result);

}  // namespace stackx::inspector
