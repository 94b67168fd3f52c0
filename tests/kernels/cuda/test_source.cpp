// The text of our GPU kernels, run by an emulation of a block of threads, against sums in double.
#include "tests/kernels/cuda/run_source.hpp"

namespace ampere {  // 7.5 and later: the primitives differ, their meaning does not
#define ARCH 800
#include "kernels/cuda/source/tensor.cu"
#include "kernels/cuda/source/tiled.cu"
#undef ARCH
}  // namespace ampere
namespace volta {
#define ARCH 700
#include "kernels/cuda/source/tensor.cu"
#undef ARCH
}  // namespace volta

using namespace kernel_source;

namespace {

template <typename ElementType, int kM, int kN, int kWarpM, int kWarpN, int kStages, bool kAligned>
bool tensor(Shape shape, Dtype dtype, bool reversed = false) {
  using Product = ampere::TensorProduct<ElementType, kM, kN, kWarpM, kWarpN, kStages, kAligned>;
  using Result = typename ampere::Format<ElementType>::Result;
  return right<Product, ElementType, Result, kM, kN>(shape, dtype, reversed,
                                                     Product::kSharedBytes);
}

template <typename ElementType, bool kAligned>
bool tiled(Shape shape, Dtype dtype, bool reversed = false) {
  using Product = ampere::TiledProduct<ElementType, kAligned>;
  return right<Product, ElementType, ElementType, Product::kM, Product::kN>(
      shape, dtype, reversed, Product::kSharedBytes);
}

// Any shape, and those whose rows start at multiples of 16 bytes.
const Shape kOdd[] = {{1, 1, 1}, {7, 5, 3}, {33, 65, 17}, {64, 64, 64}, {100, 70, 130}, {2, 131, 33}};
const Shape kAligned[] = {{1, 8, 8}, {7, 24, 40}, {64, 64, 64}, {65, 72, 16}, {100, 136, 264}};

template <typename ElementType>
void check_tensor(Dtype dtype) {
  for (const Shape shape : kOdd) {
    INFO(to_string(dtype) << " " << shape.m << "x" << shape.n << "x" << shape.k);
    CHECK(tensor<ElementType, 64, 64, 32, 32, 3, false>(shape, dtype));
  }
  for (const Shape shape : kAligned) {
    INFO(to_string(dtype) << " " << shape.m << "x" << shape.n << "x" << shape.k);
    CHECK(tensor<ElementType, 64, 64, 32, 32, 4, true>(shape, dtype));
    CHECK(tensor<ElementType, 64, 64, 32, 32, 2, true>(shape, dtype, true));
  }
}

}  // namespace

TEST_CASE("tensor: float16", "[cuda_source]") { check_tensor<float16>(Dtype::float16); }
TEST_CASE("tensor: bfloat16", "[cuda_source]") { check_tensor<bfloat16>(Dtype::bfloat16); }
TEST_CASE("tensor: tf32", "[cuda_source]") { check_tensor<tf32>(Dtype::tf32); }
TEST_CASE("tensor: float64", "[cuda_source]") { check_tensor<double>(Dtype::float64); }
TEST_CASE("tensor: large tiles", "[cuda_source]") {
  const Shape shape{130, 264, 72};
  CHECK(tensor<float16, 128, 256, 64, 64, 3, true>(shape, Dtype::float16));
  CHECK(tensor<bfloat16, 128, 128, 64, 64, 3, true>(shape, Dtype::bfloat16, true));
  CHECK(tensor<tf32, 128, 128, 64, 64, 3, true>(shape, Dtype::tf32));
  CHECK(tensor<double, 128, 64, 32, 32, 3, true>(shape, Dtype::float64));
}
TEST_CASE("tiled: float32 and float64", "[cuda_source]") {
  for (const Shape shape : kOdd) {
    CHECK(tiled<float, false>(shape, Dtype::float32));
    CHECK(tiled<double, false>(shape, Dtype::float64, true));
  }
  for (const Shape shape : kAligned) {
    CHECK(tiled<float, true>(shape, Dtype::float32, true));
    CHECK(tiled<double, true>(shape, Dtype::float64));
  }
}
TEST_CASE("tensor: wmma", "[cuda_source]") {
  using Odd = volta::TensorProduct<float16, 64, 64, 32, 32, 2, false>;
  using Even = volta::TensorProduct<float16, 64, 64, 32, 32, 2, true>;
  for (const Shape shape : kOdd)
    CHECK(right<Odd, float16, float16, 64, 64>(shape, Dtype::float16, false, Odd::kSharedBytes));
  for (const Shape shape : kAligned)
    CHECK(right<Even, float16, float16, 64, 64>(shape, Dtype::float16, true, Even::kSharedBytes));
}
