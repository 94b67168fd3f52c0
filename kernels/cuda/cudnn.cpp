#include "kernels/cuda/cudnn.hpp"

#include <fmt/format.h>

namespace stackx::kernels::cuda {

std::string cudnn_version_text(int version) {
  const int unit = version < 10000 ? 1000 : 10000;
  return fmt::format("{}.{}.{}", version / unit, version % unit / 100, version % 100);
}

}  // namespace stackx::kernels::cuda
