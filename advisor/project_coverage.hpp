// `stackx query coverage --project P`: which share of what a project allows has been inspected.
#pragma once

#include "analysis/questions/questions.hpp"
#include "workspace/load.hpp"

namespace stackx::advisor {

// Exact, from the resolver: of the valid stacks, of the component versions that are in any, and of the
// pairs of versions that any stack holds together. An inspected stack counts if it is one of the
// project's, whatever became of the inspection.
analysis::Answer project_coverage(const store::Questions& store,
                                  const analysis::QuestionOptions& options, const workspace::Loaded& loaded);

}  // namespace stackx::advisor
