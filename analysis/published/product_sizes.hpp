// The sizes of a matrix product in words: "m=n=k=8192", "m=768, n=2048, k=65536"; "" of other kinds of work.
#pragma once

#include <string>

#include "specs/project/workload.hpp"

namespace stackx::analysis {

std::string product_sizes(const specs::Workload& workload);

}  // namespace stackx::analysis
