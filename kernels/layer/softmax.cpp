#include "kernels/layer/softmax.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

namespace stackx::kernels {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kFewestForThreads = std::size_t{1} << 16;  // scores; a thread's start takes as long as 30,000
constexpr float kLeast = -87;                                    // exp of less is below the normal numbers

// Of x <= 0: 2^n exp(r), n by adding 1.5 * 2^23, whose last digit is a whole one.
inline float exp_of(float x) {
  constexpr float kRound = 0x1.8p23f, kLog2e = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  x = x > kLeast ? x : kLeast;
  const float shifted = x * kLog2e + kRound, n = shifted - kRound;
  const float r = x - n * kLn2High - n * kLn2Low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1;
  // The whole number stands in the last digits of `shifted`.
  const std::uint32_t power = (std::bit_cast<std::uint32_t>(shifted) + 127u) << 23;
  return p * std::bit_cast<float>(power);
}

void softmax_of_row(float* row, std::size_t seen, std::size_t length, float scale) {
  const std::size_t whole = seen / kLanes * kLanes;
  float most[kLanes], sums[kLanes] = {};
  std::fill_n(most, kLanes, -INFINITY);
  for (std::size_t j = 0; j < whole; j += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) most[l] = most[l] > row[j + l] ? most[l] : row[j + l];
  for (std::size_t j = whole; j < seen; ++j) most[0] = std::max(most[0], row[j]);
  const float top = *std::max_element(most, most + kLanes);
  for (std::size_t j = 0; j < whole; j += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) sums[l] += row[j + l] = exp_of((row[j + l] - top) * scale);
  for (std::size_t j = whole; j < seen; ++j) sums[0] += row[j] = exp_of((row[j] - top) * scale);
  float sum = 0;
  for (const float part : sums) sum += part;
  const float factor = 1 / sum;
  for (std::size_t j = 0; j < seen; ++j) row[j] *= factor;
  std::fill(row + seen, row + length, 0.0f);
}

}  // namespace

void attention_softmax(Matrix& scores, const Attention& attention, std::size_t threads) {
  auto* values = static_cast<float*>(scores.data());
  const float scale = 1 / std::sqrt(static_cast<float>(attention.size));
  const auto rows = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      softmax_of_row(values + i * scores.columns(), attention.seen_by(i % attention.queries), scores.columns(), scale);
  };
  const std::size_t parts = scores.rows() * scores.columns() < kFewestForThreads ? 1 : std::min(threads, scores.rows());
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < parts; ++i)
    others.emplace_back(rows, scores.rows() * i / parts, scores.rows() * (i + 1) / parts);
  rows(0, scores.rows() / parts);
}

}  // namespace stackx::kernels
