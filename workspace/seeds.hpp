// The evidence that comes with stackx (data_directory/evidence/FAMILY/SOURCE.json) is part of every
// store: commands that answer from the store open it here; what it lacks is taken in.
//
// A command about one workload takes in that family alone: of 66,829 results it needs some hundred
// to some thousand, and a new store should answer at once. Rejected: all of it at first use, over a
// second of waiting for what most never ask about; a store that comes along ready-made, which git
// could not show the changes of.
#pragma once

#include <string>

#include "store/questions/questions.hpp"
#include "store/store.hpp"
#include "workspace/context.hpp"

namespace stackx::workspace {

// The store, made if it is missing, with all the evidence or with that of a workload family. It is
// written to only if it lacks some (known by the files' names and sizes); one that cannot be written
// to is read as it is. Either is said on stderr.
store::Store open_with_seeds(const Context& context);
store::Store open_with_seeds(const Context& context, const std::string& family);

// The same store's sums. Those that a killed import left behind are made first, which needs a file
// that can be written.
store::Questions open_questions(const Context& context);
store::Questions open_questions(const Context& context, const std::string& family);

}  // namespace stackx::workspace
