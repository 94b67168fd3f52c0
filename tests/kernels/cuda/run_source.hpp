// Runs the text of a GPU kernel by emulation.hpp and checks what it makes, entry by entry.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/reference/product.hpp"
#include "tests/kernels/cuda/emulation.hpp"

namespace kernel_source {

using namespace stackx::kernels;

struct Shape {
  int m, n, k;
};

// A matrix with NaN around it: what is read beyond the edge shows in the product, what is written
// there shows in the margin.
class Guarded {
 public:
  Guarded(int rows, int columns, Element element)
      : bytes_(static_cast<std::size_t>(rows) * columns * size_of(element)),
        memory_(bytes_ + 2 * kMargin + 16, 0xff) {}
  void* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + kMargin + (16 - address % 16) % 16;
  }
  bool margin_intact() {
    const auto* begin = memory_.data();
    const auto* first = static_cast<unsigned char*>(data());
    return std::all_of(begin, first, [](unsigned char byte) { return byte == 0xff; }) &&
           std::all_of(first + bytes_, begin + memory_.size(),
                       [](unsigned char byte) { return byte == 0xff; });
  }

 private:
  static constexpr std::size_t kMargin = 1 << 12;  // all bits set: NaN in every type
  std::size_t bytes_;
  std::vector<unsigned char> memory_;
};

// Runs Product on random matrices. The emulation of tensor cores rounds to nearest, so the tighter
// tolerance holds.
template <typename Product, typename ElementType, typename ResultType, int kM, int kN>
bool right(Shape shape, Dtype dtype, bool reversed, std::size_t shared_bytes) {
  const Elements types = elements(dtype);
  Matrix a(shape.m, shape.k, types.a), b(shape.k, shape.n, types.b), c(shape.m, shape.n, types.c);
  a.fill_random(1);
  b.fill_random(2);
  c.poison();
  Guarded ga(shape.m, shape.k, types.a), gb(shape.k, shape.n, types.b),
      gc(shape.m, shape.n, types.c);
  std::memcpy(ga.data(), a.data(), a.bytes());
  std::memcpy(gb.data(), b.data(), b.bytes());
  std::memcpy(gc.data(), c.data(), c.bytes());
  const int blocks = ((shape.m + kM - 1) / kM) * ((shape.n + kN - 1) / kN);
  emulation::launch(blocks, Product::kThreads, shared_bytes, reversed, [&] {
    Product::run(static_cast<const ElementType*>(ga.data()),
                 static_cast<const ElementType*>(gb.data()), static_cast<ResultType*>(gc.data()),
                 shape.m, shape.n, shape.k);
  });
  std::memcpy(c.data(), gc.data(), c.bytes());
  const Check check =
      check_product(a, b, c, tolerance_of(dtype, a.columns(), Unit::scalar), 1, 0x1p60);
  UNSCOPED_INFO(check.detail << " error " << check.max_relative_error << " bound " << check.bound);
  return check.pass && gc.margin_intact();
}

}  // namespace kernel_source
