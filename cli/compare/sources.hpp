// `stackx compare --source SOURCE --source SOURCE`: published results side by side.
//
// A SOURCE is where results came from and which of them: "mlperf-v0.6:0.6-9" is what the evidence
// mlperf-training-v0.6 says under the id 0.6-9 (its words must stand in the evidence's name, in
// this order); "mlperf-v0.6:0.6-8,0.6-9" two ids together; without an id all of it. Or a file of
// evidence (format stackx/evidence/1), so that a reader can compare numbers of his own: "my.json",
// "my.json:ID". An id is one of details.mlperf_id, details.id, or how a document's id begins (8
// digits or more).
#pragma once

#include <string>
#include <vector>

#include "analysis/published/source_comparison.hpp"
#include "cli/commands.hpp"

namespace stackx::cli {

struct SourcesOptions {
  std::vector<std::string> sources;
  std::string hw;  // "": any
};
void add_source_option(Command command, SourcesOptions& options);

// Throws Error(bad_input) where a source is unknown, ambiguous or empty.
analysis::SourceComparison compared_sources(const SourcesOptions& options, const Globals& globals);

// Prints it; the answer is no where they have no benchmark in common.
void compare_sources(const SourcesOptions& options, bool json, Globals& globals);

}  // namespace stackx::cli
