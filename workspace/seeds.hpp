// The evidence that comes with stackx (data_directory/evidence) is part of every store: commands
// that answer from the store open it here; one that lacks an edition of a file takes it in.
#pragma once

#include "store/questions/questions.hpp"
#include "store/store.hpp"
#include "workspace/context.hpp"

namespace stackx::workspace {

// The store, made if it is missing. It is written to only if it lacks evidence (known by the files'
// names and sizes); one that cannot be written to is read as it is. Either is said on stderr.
store::Store open_with_seeds(const Context& context);

// The same store's sums. Those that a killed import left behind are made first, which needs a file
// that can be written.
store::Questions open_questions(const Context& context);

}  // namespace stackx::workspace
