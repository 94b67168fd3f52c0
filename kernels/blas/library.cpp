#include "kernels/blas/library.hpp"

#include <fmt/format.h>

#include "kernels/blas/blis.hpp"
#include "kernels/blas/mkl.hpp"
#include "kernels/blas/netlib.hpp"
#include "kernels/blas/openblas.hpp"
#include "kernels/onednn/matmul.hpp"

namespace stackx::kernels {

std::unique_ptr<Library> open_library(const std::string& path) {
  SharedObject object(path);
  // Netlib last: the others export its functions too.
  for (const auto make : {make_onednn, make_mkl, make_blis, make_openblas, make_netlib})
    if (auto library = make(object)) return library;
  throw LoadError(fmt::format(
      "{}: exports no matrix product known here: expected cblas_sgemm or sgemm_ (with or without a "
      "prefix and suffix), MKL_Get_Version, or dnnl_version",
      object.path()));
}

}  // namespace stackx::kernels
