#include "kernels/blas/runtimes.hpp"

#include <cstddef>
#include <cstdint>

namespace stackx::kernels {
namespace {

// tbb::global_control as oneTBB's public header oneapi/tbb/global_control.h lays it out. The
// constructor there is inline and calls create() below, which every libtbb.so.12 exports.
struct TbbGlobalControl {
  std::size_t value;
  std::intptr_t reserved;
  int parameter;
};
constexpr int kMaxAllowedParallelism = 0;
constexpr const char* kTbbCreate = "_ZN3tbb6detail2r16createERNS0_2d114global_controlE";
constexpr const char* kTbbActiveValue = "_ZN3tbb6detail2r127global_control_active_valueEi";

}  // namespace

std::map<std::string, std::string> runtime_versions(const SharedObject& object) {
  std::map<std::string, std::string> versions;
  if (auto* version = object.find<const char*()>("TBB_runtime_version"))
    versions["tbb"] = version();
  return versions;
}

int use_openmp_threads(const SharedObject& object, int threads) {
  auto* set = object.find<void(int)>("omp_set_num_threads");
  auto* get = object.find<int()>("omp_get_max_threads");
  if (set == nullptr || get == nullptr) return 0;
  set(threads);
  return get();
}

int use_tbb_threads(const SharedObject& object, int threads) {
  auto* create = object.find<void(TbbGlobalControl&)>(kTbbCreate);
  auto* active = object.find<std::size_t(int)>(kTbbActiveValue);
  if (create == nullptr || active == nullptr) return 0;
  // In force as long as it lives, and never destroyed: the library's threads outlive main's locals.
  auto* control =
      new TbbGlobalControl{static_cast<std::size_t>(threads), 0, kMaxAllowedParallelism};
  create(*control);
  return static_cast<int>(active(kMaxAllowedParallelism));
}

}  // namespace stackx::kernels
