// What the reference reads: a matrix that may not lie in memory as one. Rows of a longer matrix (a
// product of a batch) and the patches of a convolution are operands too, so that one check with one
// error bound serves them all.
#pragma once

#include <cstddef>
#include <span>

namespace stackx::kernels {

class Operand {
 public:
  virtual ~Operand() = default;
  virtual std::size_t rows() const = 0;
  virtual std::size_t columns() const = 0;
  // Elements [first, first + out.size()) of a row; every element type is exact in double.
  virtual void read(std::size_t row, std::size_t first, std::span<double> out) const = 0;
};

class RowsOf : public Operand {
 public:
  RowsOf(const Operand& whole, std::size_t first, std::size_t count)
      : whole_(whole), first_(first), count_(count) {}
  std::size_t rows() const override { return count_; }
  std::size_t columns() const override { return whole_.columns(); }
  void read(std::size_t row, std::size_t first, std::span<double> out) const override {
    whole_.read(first_ + row, first, out);
  }

 private:
  const Operand& whole_;
  std::size_t first_, count_;
};

}  // namespace stackx::kernels
