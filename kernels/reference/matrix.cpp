#include "kernels/reference/matrix.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "kernels/parallel.hpp"

namespace stackx::kernels {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kFewestForThreads = std::size_t{1} << 24;
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
  // Large matrices are the GPU's, 16384 on a side; one thread would take longer than all the rest.
  in_parallel(count, kFewestForThreads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = static_cast<T>(make(random_at(seed, i)));
  });
}

template <typename T>
void widen(const void* memory, std::size_t first, std::span<double> out) {
  const T* values = static_cast<const T*>(memory) + first;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(values[i]);
}

// A float in fewer bits: sign, kExponent, kFraction. What is too large becomes `most`.
template <int kExponent, int kFraction>
std::uint32_t pack(float value, std::uint32_t most) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 31 << (kExponent + kFraction);
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127;
  // The bits that go: as many more as the number lies below the smallest normal one.
  const int drop = 23 - kFraction + std::max(0, 1 - kBias - exponent);
  if (exponent == -127 || drop > 24) return sign;
  const std::uint32_t fraction = (bits & 0x7fffff) | 0x800000;
  const std::uint32_t kept = fraction >> drop, lost = fraction & ((1u << drop) - 1);
  const std::uint32_t half = 1u << (drop - 1);
  const std::uint32_t rounded = kept + (lost > half || (lost == half && (kept & 1)) ? 1 : 0);
  // The leading one of a normal number counts as one of the exponent; a carry does so too.
  const int lift = std::max(0, exponent + kBias - 1);
  return sign | std::min(most, (static_cast<std::uint32_t>(lift) << kFraction) + rounded);
}

template <int kExponent, int kFraction>
float unpack(std::uint32_t bits, bool special) {
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  const float sign = bits >> (kExponent + kFraction) & 1 ? -1.0f : 1.0f;
  const auto fraction = static_cast<float>(bits & ((1u << kFraction) - 1));
  const int exponent = static_cast<int>(bits >> kFraction & ((1u << kExponent) - 1));
  if (special)
    return kExponent == 5 && fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                                           : std::numeric_limits<float>::quiet_NaN();
  // Powers of two by their bits: this is called for every element of large matrices.
  const auto power = [](int e) { return std::bit_cast<float>((127u + e) << 23); };
  if (exponent == 0) return sign * fraction * power(1 - kBias - kFraction);
  return sign * (fraction + (1 << kFraction)) * power(exponent - kBias - kFraction);
}

// Every value once: half the bits of an element are too many for arithmetic on each.
template <typename Bits, float (*kValue)(Bits)>
const std::vector<float>& table() {
  static const std::vector<float> values = [] {
    std::vector<float> made;
    for (std::uint32_t i = 0; i <= std::numeric_limits<Bits>::max(); ++i)
      made.push_back(kValue(static_cast<Bits>(i)));
    return made;
  }();
  return values;
}

template <typename Bits, float (*kValue)(Bits)>
void look_up(const void* memory, std::size_t first, std::span<double> out) {
  const Bits* bits = static_cast<const Bits*>(memory) + first;
  const float* values = table<Bits, kValue>().data();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[bits[i]];
}

}  // namespace

std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

std::uint16_t to_float16(float value) {
  return static_cast<std::uint16_t>(pack<5, 10>(value, 0x7c00));
}
float from_float16(std::uint16_t bits) { return unpack<5, 10>(bits, (bits & 0x7c00) == 0x7c00); }
std::uint8_t to_e4m3(float value) { return static_cast<std::uint8_t>(pack<4, 3>(value, 0x7e)); }
float from_e4m3(std::uint8_t bits) { return unpack<4, 3>(bits, (bits & 0x7f) == 0x7f); }

std::uint64_t random_at(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void Matrix::Release::operator()(void* memory) const { std::free(memory); }

Matrix::Matrix(std::size_t rows, std::size_t columns, Element element)
    : rows_(rows), columns_(columns), element_(element) {}

double Matrix::need() const {
  return static_cast<double>(rows_) * static_cast<double>(columns_) * static_cast<double>(size_of(element_));
}

void* Matrix::memory() const {
  constexpr double kMost = 0x1p62;
  if (memory_ == nullptr && need() > kMost) throw std::bad_alloc();
  if (memory_ == nullptr) memory_.reset(allocate(bytes()));
  return memory_.get();
}

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
    case Element::float16:
      return fill<std::uint16_t>(
          data(), count, seed, [](std::uint64_t bits) { return to_float16(uniform_float(bits)); });
    case Element::e4m3:
      return fill<std::uint8_t>(
          data(), count, seed, [](std::uint64_t bits) { return to_e4m3(uniform_float(bits)); });
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
    case Element::float16:
      std::fill_n(static_cast<std::uint16_t*>(data()), count, 0x7e00);
      return;
    case Element::e4m3:
      std::fill_n(static_cast<std::uint8_t*>(data()), count, 0x7f);
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
    case Element::float16:
      return look_up<std::uint16_t, from_float16>(data(), at, out);
    case Element::e4m3:
      return look_up<std::uint8_t, from_e4m3>(data(), at, out);
    case Element::bfloat16:
      break;
  }
  const auto* values = static_cast<const std::uint16_t*>(data()) + at;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = from_bfloat16(values[i]);
}

}  // namespace stackx::kernels
