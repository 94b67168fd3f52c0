// What --workload names, read in one place for all commands: a family by its name or as people call it,
// parameters that the family has, values of their type (specs/project/typed_workload.hpp), against the
// families of the data directory and what the store holds.
#pragma once

#include <functional>
#include <string>

#include "specs/project/workload.hpp"
#include "workspace/context.hpp"

namespace stackx::workspace {

// What was not taken literally is said on stderr. Throws Error(bad_input).
specs::Workload asked_workload(const std::string& text, const Context& context);

// For a PI that is to run; the store is not asked. A name that is there is taken as it stands (specs/project/typed_workload.hpp).
specs::Workload workload_to_measure(const std::string& text, const Context& context,
                                    const std::function<bool(const std::string& name)>& is_there = {});

}  // namespace stackx::workspace
