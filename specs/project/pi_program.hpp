// The program that measures: which of stackx's own PIs, or a program of the user's (`--pi FILE`).
//
//   {"own": true, "sha256": "..."}                          stackx's own; sha256 where it ran
//   {"own": false, "path": "/home/u/bench.py", "sha256": "..."}
//   {"own": false, "path": "/home/u/bench.py", "sha256": "...", "plain": true, "arguments": ["--batch", "8"],
//    "number": "rate", "files": "/home/u/data"}
//
// What a program of somebody's own reports is its word alone: how work is counted, whether a check was made. So its
// results are another workload than those of stackx's own PI of that name (Workload::program), never ranked beside
// them unasked. Absent in documents made before it was recorded: stackx's own. Rejected: a list of trusted hashes,
// which every build of stackx would have to be entered in.
//
// A plain program knows nothing of stackx: it is started with its own arguments, not with a PI's name and parameters, and
// what it prints need not be the PI protocol (inspector/run/plain_output.hpp). Members that say what is so anyway do not
// stand in documents, so that one program has one text; what it is told by, its arguments, is part of no identity: the
// workload's name is the place for it.
#pragma once

#include <array>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

class Node;

// What the one number that a plain program prints may be: seconds (smaller is better), a rate a second (larger is
// better), a relative error (smaller is better).
inline constexpr std::array<std::string_view, 3> printed_numbers = {"seconds", "rate", "error"};

struct PiProgram {
  bool own = true;
  std::string path;    // absolute; "" for stackx's own
  std::string sha256;  // of the file; "" for stackx's own that did not run
  bool plain = false;  // what follows is of plain programs alone
  std::vector<std::string> arguments = {};
  std::string number = "seconds";  // of printed_numbers
  std::string files = {};  // absolute; a directory that it is shown read-only and begins in; "" for none
  auto operator<=>(const PiProgram&) const = default;

  // What tells workloads apart: "" for stackx's own.
  std::string identity() const { return own ? "" : sha256; }
  std::string text() const;  // "/home/u/bench.py --batch 8 (SHA-256 3fa9c1d2e4f0, not stackx's own)"
};

// A program that is not stackx's own, as it is now; its path made absolute. Throws Error(bad_input) where there is no
// such file, or it cannot be read.
PiProgram foreign_program(const std::filesystem::path& file);

nlohmann::json to_json(const PiProgram& program);
PiProgram program_from(const Node& node);

}  // namespace stackx::specs
