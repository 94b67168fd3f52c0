// A workload as people type it (`--workload ResNet-50:precision=half`) against the families that are
// known: the family that is meant, parameters it has, values of their type, in the words of results.
//
// What stands in the store is never refused, whatever the families say: a PI of one's own has its own
// parameters. Projects and imported results are not read here: they say exactly what they mean.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/project/workload_family.hpp"

namespace stackx::specs {

struct TypedWorkload {
  Workload workload;
  std::vector<std::string> notes;  // what was not taken literally: "gemm is taken for matmul"
};

// The workloads of a family that there are results of; asked for only where the families do not do.
using WorkloadsKnown = std::function<std::vector<Workload>(const std::string& family)>;

// Throws Error(bad_input): "--workload matmul:m=foo: m of matmul is a whole number, not \"foo\"".
TypedWorkload typed_workload(std::string_view text, const WorkloadFamilies& families, const WorkloadsKnown& known);

// As a PI is to be told: the family is looked up and what is known of types is checked, words and
// parameters that no family has are left to the PI, which may be somebody's own. A name that is there is none but itself: a
// program of somebody's own may be called "training". Asked for only where no family has the name.
using IsThere = std::function<bool(const std::string& name)>;
TypedWorkload workload_to_measure(std::string_view text, const WorkloadFamilies& families, const IsThere& is_there = {});

}  // namespace stackx::specs
