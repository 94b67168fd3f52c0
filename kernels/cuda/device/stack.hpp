// The libraries of the stack under test: which file is its libcudart, libcublas, libnvrtc, ...
//
// A stack is several files that must fit together, of which --library names the one to measure.
// Each of the others is, in this order: what --with names; what lies beside a file that was named;
// what lies in a neighbouring wheel (site-packages/nvidia/cublas/lib and .../cuda_runtime/lib are
// siblings); what the dynamic linker finds under a known soname, of --library's major version
// first. Nothing is opened before it is asked for: cuBLAS and cuDNN are hundreds of megabytes, and
// without a GPU they are in vain.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/shared_object.hpp"

namespace stackx::kernels::cuda {

class Stack {
 public:
  // Throws UsageError if a file that is named does not exist.
  Stack(std::string library, std::vector<std::string> with);

  const std::string& library() const { return library_; }  // as given
  // `name` as in library_name(). Throws LoadError that says where it was looked for.
  SharedObject open(const std::string& name) const;
  // The path that open() would open; nothing if only the dynamic linker can tell.
  std::optional<std::string> file(const std::string& name) const;

 private:
  std::string library_;
  std::vector<std::string> named_;  // --library, then --with
};

// "/x/libcublasLt.so.12.4.5" -> "cublasLt"; the hash that wheels add is no part of it:
// "libcudart-d0da41ae.so.11.0" -> "cudart". Empty if it does not look like a shared library.
std::string library_name(const std::string& path);

}  // namespace stackx::kernels::cuda
