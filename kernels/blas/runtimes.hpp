// The threading runtimes that a library brings along: their versions, and how to bound their
// threads.
//
// oneTBB tells its version (TBB_runtime_version, public in tbb/version.h). Intel's OpenMP and
// libgomp have no such call: their files are in the list of mapped files, and the environment knows
// where those came from.
#pragma once

#include <map>
#include <string>

#include "kernels/shared_object.hpp"

namespace stackx::kernels {

// component -> version; only what `object` depends on and what tells its version.
std::map<std::string, std::string> runtime_versions(const SharedObject& object);

// omp_set_num_threads of the OpenMP runtime that `object` uses; returns omp_get_max_threads(), 0
// without OpenMP.
int use_openmp_threads(const SharedObject& object, int threads);

// Bounds oneTBB (libtbb.so.12) for the rest of the process, and returns the bound in force; 0
// without oneTBB.
int use_tbb_threads(const SharedObject& object, int threads);

}  // namespace stackx::kernels
