// One run of a PI on this machine: sandbox, supervisor, PI, and what became of it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inspector/process.hpp"
#include "inspector/sandbox.hpp"
#include "inspector/supervision.hpp"
#include "specs/inspection.hpp"

namespace stackx::inspector {

struct LocalRun {
  std::filesystem::path supervisor;
  std::vector<std::string> argv;  // the PI and its arguments
  Environment variables;          // beyond PATH, LC_ALL, HOME and TMPDIR
  std::vector<std::filesystem::path> visible;
  std::vector<int> cpus;
  double timeout_seconds = 120;
  std::uint64_t memory_bytes = 0;
  std::function<bool()> stop;
};

struct LocalResult {
  Finished process;                        // of the supervisor; out and err are the PI's
  std::optional<Supervision> supervision;  // absent if it was killed or never started
};

LocalResult run(const LocalRun& what, const Sandbox& sandbox);

// How the run ended, judged without looking at the output: ok means that there is output to look
// at.
struct Verdict {
  specs::Outcome outcome = specs::Outcome::ok;
  std::string reason;
};
Verdict judge(const LocalRun& what, const LocalResult& result);

}  // namespace stackx::inspector
