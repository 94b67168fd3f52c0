// Which drivers the releases of CUDA ask for: of some GPUs, those that have code for any of them.
#pragma once

#include <string>
#include <vector>

#include "advisor/facts/driver_span.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

// By minor-version and by forward compatibility: {"CUDA 13 needs driver >=580; on data-center GPUs ...", ...}. A major release whose
// compilers know none of the GPUs is left out, and so are branches that drive none of them.
std::vector<std::string> drivers_of_cuda(const Knowledge& knowledge, const std::vector<DriverSpan>& gpus);

// "there is no CUDA 12.7; known are 12.6 and 12.8"; "" of a release or a series that is known.
std::string no_such_cuda(const specs::DriverFacts& drivers, const std::string& cuda);

}  // namespace stackx::advisor
