// Intel oneMKL through libmkl_rt, which opens the layers that the environment names:
//
//   MKL_THREADING_LAYER  INTEL (default; needs libiomp5.so), GNU (libgomp.so.1), TBB
//   (libtbb.so.12), SEQUENTIAL MKL_INTERFACE_LAYER  LP64 (default), ILP64, each also with ",GNU"
//
// libmkl_rt ends the process when a layer's runtime is missing, so the runtime is opened first,
// from beside the library or the system, and its absence reported as any other failure to load.
//
// Version: mkl_get_version_string() says "Version 2024.2.2-Product Build 20240823", and so is
// reported. It is not always the wheel's: 2025.3.1 says 2025.3, 2022.2.1 says 2022.2. The fields of
// MKL_Get_Version() hold less (2024, 0, 2: major and update).
//
// Threads: MKL_Set_Num_Threads, and MKL_Set_Dynamic(0) so that MKL does not choose fewer. Under TBB
// neither has an effect; there oneTBB itself is bounded.
//
// bfloat16 is cblas_gemm_bf16bf16f32. int8 is cblas_gemm_s8u8s32, whose operands are unsigned and
// signed, in that order, in row-major layout (and the other way round in column-major).
#pragma once

#include "kernels/blas/library.hpp"

namespace stackx::kernels {

std::unique_ptr<Library> make_mkl(const SharedObject& object);  // nullptr: something else

// "2024.2.2" out of the version string; empty if it is not there.
std::string mkl_version_in(const std::string& version_string);

}  // namespace stackx::kernels
