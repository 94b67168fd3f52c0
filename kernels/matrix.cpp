#include "kernels/matrix.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <new>

namespace stackx::kernels {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::int32_t kPoisonInt = std::numeric_limits<std::int32_t>::min() + 1;

void* allocate(std::size_t bytes) {
  // Large matrices ask for huge pages, as NumPy's arrays do: where the kernel happens to place 4
  // KiB pages would otherwise differ from process to process and show as noise between inspections.
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : 64;
  const std::size_t rounded =
      (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  if (alignment == kHugePage)
    madvise(memory, rounded, MADV_HUGEPAGE);  // a wish; failing is harmless
  return memory;
}

// Uniform in [-1, 1): multiples of 2^-52 and 2^-23, so exact.
double uniform_double(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52;
}
float uniform_float(std::uint64_t bits) {
  return static_cast<float>(static_cast<std::int64_t>(bits) >> 40) * 0x1p-23f;
}

template <typename T, typename Make>
void fill(void* memory, std::size_t count, std::uint64_t seed, Make make) {
  auto* values = static_cast<T*>(memory);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(make(random_at(seed, i)));
}

template <typename T>
void widen(const void* memory, std::size_t first, std::span<double> out) {
  const T* values = static_cast<const T*>(memory) + first;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(values[i]);
}

}  // namespace

std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

std::uint64_t random_at(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void Matrix::Free::operator()(void* memory) const { std::free(memory); }

Matrix::Matrix(std::size_t rows, std::size_t columns, Element element)
    : rows_(rows),
      columns_(columns),
      element_(element),
      memory_(allocate(rows * columns * size_of(element))) {}

void Matrix::fill_random(std::uint64_t seed) {
  // Neighbouring seeds must not give shifted copies of one sequence.
  seed = random_at(seed, 0);
  const std::size_t count = rows_ * columns_;
  switch (element_) {
    case Element::float32:
      return fill<float>(data(), count, seed, uniform_float);
    case Element::float64:
      return fill<double>(data(), count, seed, uniform_double);
    case Element::bfloat16:
      return fill<std::uint16_t>(
          data(), count, seed, [](std::uint64_t bits) { return to_bfloat16(uniform_float(bits)); });
    case Element::int8:
      return fill<std::int8_t>(data(), count, seed, [](std::uint64_t bits) {
        return static_cast<int>((bits >> 32) % 255) - 127;
      });
    case Element::uint8:
      return fill<std::uint8_t>(data(), count, seed,
                                [](std::uint64_t bits) { return (bits >> 32) & 127; });
    case Element::int32:
      return fill<std::int32_t>(data(), count, seed, [](std::uint64_t bits) { return bits >> 48; });
  }
}

void Matrix::poison() {
  const std::size_t count = rows_ * columns_;
  switch (element_) {
    case Element::float32:
      std::fill_n(static_cast<float*>(data()), count, std::numeric_limits<float>::quiet_NaN());
      return;
    case Element::float64:
      std::fill_n(static_cast<double*>(data()), count, std::numeric_limits<double>::quiet_NaN());
      return;
    case Element::int32:
      std::fill_n(static_cast<std::int32_t*>(data()), count, kPoisonInt);
      return;
    case Element::bfloat16:
      std::fill_n(static_cast<std::uint16_t*>(data()), count, 0x7fc0);
      return;
    case Element::int8:
    case Element::uint8:
      std::fill_n(static_cast<std::uint8_t*>(data()), count, 0x80);
      return;
  }
}

void Matrix::read(std::size_t row, std::size_t first, std::span<double> out) const {
  const std::size_t at = row * columns_ + first;
  switch (element_) {
    case Element::float32:
      return widen<float>(data(), at, out);
    case Element::float64:
      return widen<double>(data(), at, out);
    case Element::int8:
      return widen<std::int8_t>(data(), at, out);
    case Element::uint8:
      return widen<std::uint8_t>(data(), at, out);
    case Element::int32:
      return widen<std::int32_t>(data(), at, out);
    case Element::bfloat16:
      break;
  }
  const auto* values = static_cast<const std::uint16_t*>(data()) + at;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = from_bfloat16(values[i]);
}

}  // namespace stackx::kernels
