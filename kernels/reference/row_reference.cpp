#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "kernels/reference/comparison.hpp"
#include "kernels/reference/row_check.hpp"

namespace stackx::kernels {
namespace {

using Values = std::vector<double>;

constexpr double kBound = kSafety * 0x1p-24;

float uniform(std::uint64_t seed, std::size_t row) {
  return static_cast<float>(static_cast<std::int64_t>(random_at(seed, row)) >> 40) * 0x1p-23f;
}

// Calls work(row, x, y) for each.
template <typename Work>
void for_rows(const Matrix& x, const Matrix& y, Work work) {
  Values in(x.columns()), out(x.columns());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    x.read(i, 0, in);
    y.read(i, 0, out);
    work(i, in, out);
  }
}

std::string place(std::size_t i, std::size_t j) { return fmt::format("y[{},{}]", i, j); }

}  // namespace

void fill_softmax(Matrix& x, std::uint64_t seed) {
  x.fill_random(2 * seed);
  transform(x, 8, [&](std::size_t row) { return 100 * uniform(2 * seed + 1, row); });
}

void fill_layer_norm(Matrix& x, Matrix& scale, Matrix& shift, std::uint64_t seed) {
  x.fill_random(4 * seed);
  transform(x, 1, [&](std::size_t row) { return uniform(4 * seed + 1, row); });
  scale.fill_random(4 * seed + 2);
  transform(scale, 0.5f, [](std::size_t) { return 1.0f; });
  shift.fill_random(4 * seed + 3);
}

Check check_softmax(const Matrix& x, const Matrix& y) {
  Comparison comparison(kBound, y.element());
  const double stored = storage_share(y.element()),
               walk = std::sqrt(static_cast<double>(x.columns())) / 16;
  for_rows(x, y, [&](std::size_t i, const Values& in, const Values& out) {
    const double most = *std::max_element(in.begin(), in.end());
    double sum = 0;
    for (const double value : in) sum += std::exp(value - most);
    for (std::size_t j = 0; j < in.size(); ++j) {
      const double expected = std::exp(in[j] - most) / sum;
      comparison.note(out[j], expected, expected * (1 + (most - in[j]) / 8 + walk + stored),
                      [&] { return place(i, j); });
    }
  });
  return std::move(comparison).finish("every entry in double");
}

Check check_layer_norm(const Matrix& x, const Matrix& scale, const Matrix& shift, const Matrix& y) {
  Comparison comparison(kBound, y.element());
  const double stored = storage_share(y.element()), n = static_cast<double>(x.columns());
  Values by(x.columns()), add(x.columns());
  scale.read(0, 0, by);
  shift.read(0, 0, add);
  for_rows(x, y, [&](std::size_t i, const Values& in, const Values& out) {
    double mean = 0, variance = 0;
    for (const double value : in) mean += value / n;
    for (const double value : in) variance += (value - mean) * (value - mean) / n;
    const double sigma = std::sqrt(variance + static_cast<double>(kEpsilon));
    for (std::size_t j = 0; j < in.size(); ++j) {
      const double expected = (in[j] - mean) / sigma * by[j] + add[j],
                   terms = (std::abs(in[j] - mean) + std::abs(mean)) * std::abs(by[j]) / sigma;
      comparison.note(out[j], expected,
                      terms + std::abs(add[j]) + (1 + stored) * std::abs(expected),
                      [&] { return place(i, j); });
    }
  });
  return std::move(comparison).finish("every entry in double");
}

}  // namespace stackx::kernels
