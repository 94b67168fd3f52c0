// The program that measures: which of stackx's own PIs, or a program of the user's (`--pi FILE`).
//
//   {"own": true, "sha256": "..."}                          stackx's own; sha256 where it ran
//   {"own": false, "path": "/home/u/bench.py", "sha256": "..."}
//
// What a program of somebody's own reports is its word alone: how work is counted, whether a check was made. So its
// results are another workload than those of stackx's own PI of that name (Workload::program), never ranked beside
// them unasked. Absent in documents made before it was recorded: stackx's own. Rejected: a list of trusted hashes,
// which every build of stackx would have to be entered in.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stackx::specs {

class Node;

struct PiProgram {
  bool own = true;
  std::string path;    // absolute; "" for stackx's own
  std::string sha256;  // of the file; "" for stackx's own that did not run
  auto operator<=>(const PiProgram&) const = default;

  // What tells workloads apart: "" for stackx's own.
  std::string identity() const { return own ? "" : sha256; }
  std::string text() const;  // "/home/u/bench.py (SHA-256 3fa9c1d2e4f0, not stackx's own)"
};

// A program that is not stackx's own, as it is now; its path made absolute. Throws Error(bad_input) where there is no
// such file, or it cannot be read.
PiProgram foreign_program(const std::filesystem::path& file);

nlohmann::json to_json(const PiProgram& program);
PiProgram program_from(const Node& node);

}  // namespace stackx::specs
