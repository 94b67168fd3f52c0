// oneDNN 2.x and 3.x through the matmul primitive. The two C interfaces differ and no header of
// either is used: the functions are looked up by name, and what they take is declared here (from
// oneapi/dnnl/dnnl.h and dnnl_types.h).
//
//   v2: memory and operation descriptors are structs that the caller provides, the library fills in
//   and that are
//       only ever passed by address. Their layout changes between minor versions, so they are given
//       room that exceeds all of them and never looked into.
//   v3: the same descriptors are opaque pointers that the library creates.
//
// Operands have explicit row-major strides, as in BLAS. With format "any" oneDNN could pack B once,
// before the timed calls; that would be another workload.
//
// Threads follow the runtime that oneDNN was built for (dnnl_version()->cpu_runtime): OpenMP or
// oneTBB. What a version or this CPU cannot do is known when the primitive is created, and is
// Unsupported with oneDNN's status: float64 on all versions so far, bfloat16 without AVX-512.
#pragma once

#include "kernels/library.hpp"

namespace stackx::kernels {

std::unique_ptr<Library> make_onednn(const SharedObject& object);  // nullptr: something else

}  // namespace stackx::kernels
