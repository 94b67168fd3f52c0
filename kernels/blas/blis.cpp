#include "kernels/blas/blis.hpp"

#include <cstdint>

#include "kernels/blas/cblas.hpp"

namespace stackx::kernels {
namespace {

using BlisInt = std::int64_t;  // gint_t and dim_t of blis.h, on 64-bit machines

class Blis : public Library {
 public:
  explicit Blis(SharedObject object) : object_(std::move(object)) {}

  LibraryInfo info() const override {
    LibraryInfo info;
    info.kind = "blis";
    info.version = object_.require<const char*()>("bli_info_get_version_str")();
    info.config = "BLIS " + *info.version;
    if (auto* bits = object_.find<BlisInt()>("bli_info_get_blas_int_type_size"))
      info.interface = bits() == 64 ? "ilp64" : "lp64";
    info.threading = threading();
    auto* id = object_.find<int()>("bli_arch_query_id");
    auto* name = object_.find<const char*(int)>("bli_arch_string");
    if (id != nullptr && name != nullptr) info.core = name(id());
    return info;
  }

  std::expected<int, Unsupported> use_threads(int threads) override {
    if (threading() == "sequential") return 1;
    object_.require<void(BlisInt)>("bli_thread_set_num_threads")(threads);
    return static_cast<int>(object_.require<BlisInt()>("bli_thread_get_num_threads")());
  }

  std::expected<Multiply, Unsupported> prepare(const Product& product) override {
    return prepare_gemm(object_, Naming{}, product);
  }

 private:
  // A sequential BLIS takes any number of threads, reports it back and uses one.
  std::string threading() const {
    const auto enabled = [&](const char* name) {
      auto* function = object_.find<BlisInt()>(name);
      return function != nullptr && function() != 0;
    };
    if (enabled("bli_info_get_enable_openmp")) return "openmp";
    if (enabled("bli_info_get_enable_pthreads")) return "pthreads";
    return "sequential";
  }

  SharedObject object_;
};

}  // namespace

std::unique_ptr<Library> make_blis(const SharedObject& object) {
  if (object.find<void()>("bli_info_get_version_str") == nullptr) return nullptr;
  return std::make_unique<Blis>(object);
}

}  // namespace stackx::kernels
