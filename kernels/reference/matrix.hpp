// A dense row-major matrix of one element type, in memory aligned for vector loads.
//
// Inputs are the same on every machine: element i of a matrix depends on the seed and i only
// (splitmix64), uniform in [-1, 1) and exact in the element type; bfloat16, float16 and e4m3 are the
// rounded float.
// int8 inputs are whole numbers, signed in [-127, 127] and unsigned in [0, 127]: 127*127*2 fits the
// 16-bit intermediate of machines without VNNI, where a saturated sum would be the instruction's
// doing, not the library's. Zero mean matters: the error bound in product.hpp rests on it.
//
// Memory is taken when the elements are first asked for: what a problem needs can be told from its matrices, and refused,
// before any of it is there (kernels/memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/dtype.hpp"
#include "kernels/reference/operand.hpp"

namespace stackx::kernels {

class Matrix : public Operand {
 public:
  Matrix(std::size_t rows, std::size_t columns, Element element);  // contents undefined

  std::size_t rows() const override { return rows_; }
  std::size_t columns() const override { return columns_; }
  Element element() const { return element_; }
  std::size_t bytes() const { return rows_ * columns_ * size_of(element_); }
  double need() const;  // bytes(), also where they pass 2^64
  void* data() { return memory(); }
  const void* data() const { return memory(); }
  std::span<const std::byte> contents() const { return {static_cast<const std::byte*>(data()), bytes()}; }

  void fill_random(std::uint64_t seed);
  // NaN, or for integers a value that no product reaches: what a library does not write shows.
  void poison();

  // Elements [first, first + out.size()) of row i; every element type is exact in double.
  void read(std::size_t row, std::size_t first, std::span<double> out) const override;

 private:
  struct Release {
    void operator()(void* memory) const;
  };
  void* memory() const;
  std::size_t rows_, columns_;
  Element element_;
  mutable std::unique_ptr<void, Release> memory_;
};

// The mixing function of splitmix64 (Steele, Lea, Flood 2014): random access to a random sequence.
std::uint64_t random_at(std::uint64_t seed, std::uint64_t index);

}  // namespace stackx::kernels
