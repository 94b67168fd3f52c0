// OpenBLAS: system packages, and the scipy-openblas wheels with their prefixed names.
//
// openblas_get_config() says "OpenBLAS 0.3.30.dev DYNAMIC_ARCH NO_AFFINITY Haswell MAX_THREADS=64":
// the second word is the version. Its naming gives the names of all other functions:
// scipy_cblas_sgemm64_ in the 64-bit wheels since 0.3.24, cblas_sgemm64_ in 0.3.23's,
// scipy_cblas_sgemm and cblas_sgemm in the 32-bit ones. ILP64: a suffix with 64, or USE64BITINT in
// the config (Debian's libopenblas64).
#pragma once

#include "kernels/blas/library.hpp"

namespace stackx::kernels {

std::unique_ptr<Library> make_openblas(const SharedObject& object);  // nullptr: something else

}  // namespace stackx::kernels
