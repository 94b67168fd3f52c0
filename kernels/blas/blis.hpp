// BLIS through its BLAS interface; version, threads and kernels through its own.
// bli_info_get_version_str() says "0.9.0". Its BLAS integers are 32 or 64 bits wide by build.
#pragma once

#include "kernels/blas/library.hpp"

namespace stackx::kernels {

std::unique_ptr<Library> make_blis(const SharedObject& object);  // nullptr: something else

}  // namespace stackx::kernels
