// Libraries of CUDA that lie here twice: a file would be compared with itself.
#pragma once

#include "inspector/discover/cuda/toolkits.hpp"

namespace stackx::inspector {

// Marks libraries whose content another has, too, and drops what environments hold where it is nothing else.
void mark_copies(CudaFound& found, const Tree& tree, const Remarks& remarks);

}  // namespace stackx::inspector
