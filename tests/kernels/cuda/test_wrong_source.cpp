// Kernels that are wrong on purpose: each differs from ours in the one place that CMakeLists.txt
// says, and the emulation must show it.
#include "tests/kernels/cuda/run_source.hpp"

#define ARCH 800
namespace last_step_missing {
#include "tests/wrong_kernels/last_step_missing.cu"
}
namespace fragment_exchanged {
#include "tests/wrong_kernels/fragment_exchanged.cu"
}
namespace row_bound_off {
#include "tests/wrong_kernels/row_bound_off.cu"
}
namespace column_bound_off {
#include "tests/wrong_kernels/column_bound_off.cu"
}
namespace store_bound_off {
#include "tests/wrong_kernels/store_bound_off.cu"
}
namespace copy_not_awaited {
#include "tests/wrong_kernels/copy_not_awaited.cu"
}
namespace barrier_missing {
#include "tests/wrong_kernels/barrier_missing.cu"
}
namespace tiled_barrier_missing {
#include "tests/wrong_kernels/tiled_barrier_missing.cu"
}
namespace tiled_last_step_missing {
#include "tests/wrong_kernels/tiled_last_step_missing.cu"
}
#undef ARCH

using namespace kernel_source;

namespace {

// Edges of blocks and steps in all three directions; rows at multiples of 16 bytes.
const Shape kShape{70, 88, 72}, kTiledShape{70, 88, 76};

template <typename Product>
bool tensor_right(bool reversed = false) {
  return right<Product, float16, float16, 64, 64>(kShape, Dtype::float16, reversed,
                                                  Product::kSharedBytes);
}
template <typename Product>
bool tiled_right(bool reversed = false) {
  return right<Product, float, float, Product::kM, Product::kN>(kTiledShape, Dtype::float32, reversed,
                                                                Product::kSharedBytes);
}

}  // namespace

TEST_CASE("wrong kernels are noticed", "[cuda_source]") {
  CHECK_FALSE(tensor_right<last_step_missing::TensorProduct<float16, 64, 64, 32, 32, 3, true>>());
  CHECK_FALSE(tensor_right<fragment_exchanged::TensorProduct<float16, 64, 64, 32, 32, 3, true>>());
  CHECK_FALSE(tensor_right<row_bound_off::TensorProduct<float16, 64, 64, 32, 32, 3, true>>());
  CHECK_FALSE(tensor_right<column_bound_off::TensorProduct<float16, 64, 64, 32, 32, 3, false>>());
  CHECK_FALSE(tensor_right<store_bound_off::TensorProduct<float16, 64, 64, 32, 32, 3, true>>());
  CHECK_FALSE(tiled_right<tiled_last_step_missing::TiledProduct<float, true>>());
}

// Which order of threads shows a race depends on the race.
TEST_CASE("wrong kernels are noticed: races", "[cuda_source]") {
  using NotAwaited = copy_not_awaited::TensorProduct<float16, 64, 64, 32, 32, 3, true>;
  CHECK_FALSE((tensor_right<NotAwaited>(false) && tensor_right<NotAwaited>(true)));
  using NoBarrier = barrier_missing::TensorProduct<float16, 64, 64, 32, 32, 3, true>;
  CHECK_FALSE((tensor_right<NoBarrier>(false) && tensor_right<NoBarrier>(true)));
  using NoTiledBarrier = tiled_barrier_missing::TiledProduct<float, true>;
  CHECK_FALSE((tiled_right<NoTiledBarrier>(false) && tiled_right<NoTiledBarrier>(true)));
}
