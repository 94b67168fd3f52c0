#include "kernels/blas/openblas.hpp"

#include <sstream>

#include "kernels/blas/cblas.hpp"

namespace stackx::kernels {
namespace {

class OpenBlas : public Library {
 public:
  OpenBlas(SharedObject object, Naming naming)
      : object_(std::move(object)), naming_(std::move(naming)) {}

  LibraryInfo info() const override {
    LibraryInfo info;
    info.kind = "openblas";
    info.config = object_.require<char*()>(naming_.of("openblas_get_config"))();
    std::istringstream words(info.config);
    std::string name, version;
    if (words >> name >> version && name == "OpenBLAS") info.version = version;
    const bool wide = naming_.suffix.find("64") != std::string::npos ||
                      info.config.find("USE64BITINT") != std::string::npos;
    info.interface = wide ? "ilp64" : "lp64";
    if (auto* parallel = object_.find<int()>(naming_.of("openblas_get_parallel"))) {
      constexpr const char* kNames[] = {"sequential", "pthreads", "openmp"};  // openblas_config.h
      const int value = parallel();
      if (value >= 0 && value <= 2) info.threading = kNames[value];
    }
    if (auto* core = object_.find<char*()>(naming_.of("openblas_get_corename"))) {
      info.core = core();
      // A catalog's setting: OpenBLAS ignores an OPENBLAS_CORETYPE that it was not built with.
      info.partners["openblas-coretype"] = info.core;
    }
    return info;
  }

  std::expected<int, Unsupported> use_threads(int threads) override {
    if (auto* set = object_.find<void(int)>(naming_.of("openblas_set_num_threads"))) set(threads);
    if (auto* get = object_.find<int()>(naming_.of("openblas_get_num_threads"))) return get();
    return std::unexpected("the library does not tell its number of threads");
  }

  std::expected<Multiply, Unsupported> prepare(const Product& product) override {
    return prepare_gemm(object_, naming_, product);
  }

 private:
  SharedObject object_;
  Naming naming_;
};

}  // namespace

std::unique_ptr<Library> make_openblas(const SharedObject& object) {
  const auto naming = find_naming(object, "openblas_get_config");
  if (!naming) return nullptr;
  return std::make_unique<OpenBlas>(object, *naming);
}

}  // namespace stackx::kernels
