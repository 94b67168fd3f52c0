#include "kernels/blas/netlib.hpp"

#include "kernels/blas/cblas.hpp"

namespace stackx::kernels {
namespace {

class Netlib : public Library {
 public:
  Netlib(SharedObject object, Naming naming)
      : object_(std::move(object)), naming_(std::move(naming)) {}

  LibraryInfo info() const override {
    LibraryInfo info;
    info.kind = "netlib";
    info.interface = naming_.suffix.empty() ? "lp64" : "ilp64";
    info.note =
        "exports the BLAS interface only, taken for the reference BLAS; it has no call that tells "
        "its version";
    return info;
  }

  std::expected<int, Unsupported> use_threads(int) override { return 1; }

  std::expected<Multiply, Unsupported> prepare(const Product& product) override {
    return prepare_gemm(object_, naming_, product);
  }

 private:
  SharedObject object_;
  Naming naming_;
};

}  // namespace

std::unique_ptr<Library> make_netlib(const SharedObject& object) {
  for (const char* function : {"cblas_sgemm", "sgemm_", "cblas_dgemm", "dgemm_"})
    if (const auto naming = find_naming(object, function))
      return std::make_unique<Netlib>(object, *naming);
  return nullptr;
}

}  // namespace stackx::kernels
