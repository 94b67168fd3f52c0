// A library that exports the BLAS interface and nothing that says what it is: the reference BLAS of
// Netlib.
//
// It has no version call, so none is reported: the file's hash and package are the evidence.
// Optimised libraries built without their own interface (Debian's blis-pthread/libblas.so.3) look
// the same from here.
#pragma once

#include "kernels/blas/library.hpp"

namespace stackx::kernels {

std::unique_ptr<Library> make_netlib(const SharedObject& object);  // nullptr: no BLAS at all

}  // namespace stackx::kernels
