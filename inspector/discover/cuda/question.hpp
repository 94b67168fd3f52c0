// Which version a library of CUDA says that it is: asked where no file tells it.
//
// An interpreter, that of the environment which holds the library, loads it in a process of its own and calls what
// stackx-pi will call (cublasGetProperty, cublasLtGetVersion, cudnnGetVersion, nvrtcVersion), none of which needs a driver;
// the runtime's and NCCL's are not asked (until 11.8 cudaRuntimeGetVersion fails without a driver). Rejected: loading them
// into this process (what they start never ends); stackx-pi (it opens a device before any library).
#pragma once

#include "inspector/discover/cuda/libraries.hpp"
#include "inspector/python/interpreters.hpp"

namespace stackx::inspector {

AskVersion asked_by(const Interpreter& interpreter);

}  // namespace stackx::inspector
