#include "kernels/collectives/exchange_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "kernels/reference/comparison.hpp"

namespace stackx::kernels::collectives {
namespace {

std::uint64_t mixed(std::uint64_t x) {  // SplitMix64's output function
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t key_of(std::uint64_t seed, std::size_t rank) {
  return mixed(mixed(seed + 0x9e3779b97f4a7c15) + rank);
}

// Elements of one type, apart so that no loop asks for the type of each.
template <Element element>
struct Type;
template <>
struct Type<Element::float32> {
  using Stored = float;
  static constexpr double kUnit = 0x1p-24;
  static float of(std::uint64_t bits) {
    return static_cast<float>(static_cast<double>(bits >> 40) * 0x1p-23 - 1);
  }
  static double value(float stored) { return static_cast<double>(stored); }
};
template <>
struct Type<Element::float64> {
  using Stored = double;
  static constexpr double kUnit = 0x1p-53;
  static double of(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-52 - 1; }
  static double value(double stored) { return stored; }
};
template <>
struct Type<Element::float16> {
  using Stored = std::uint16_t;
  static constexpr double kUnit = 0x1p-11;
  static Stored of(std::uint64_t bits) { return to_float16(Type<Element::float32>::of(bits)); }
  static double value(Stored stored) { return static_cast<double>(from_float16(stored)); }
};
template <>
struct Type<Element::bfloat16> {
  using Stored = std::uint16_t;
  static constexpr double kUnit = 0x1p-8;
  static Stored of(std::uint64_t bits) { return to_bfloat16(Type<Element::float32>::of(bits)); }
  static double value(Stored stored) { return static_cast<double>(from_bfloat16(stored)); }
};
template <>
struct Type<Element::int32> {
  using Stored = std::int32_t;
  static constexpr double kUnit = 0;
  static Stored of(std::uint64_t bits) { return static_cast<Stored>(bits >> 48) - (1 << 15); }
  static double value(Stored stored) { return stored; }
};

template <typename Visit>
auto with_type(Element element, Visit&& visit) {
  switch (element) {
    case Element::float64:
      return visit(Type<Element::float64>());
    case Element::float16:
      return visit(Type<Element::float16>());
    case Element::bfloat16:
      return visit(Type<Element::bfloat16>());
    case Element::int32:
      return visit(Type<Element::int32>());
    default:
      return visit(Type<Element::float32>());
  }
}

template <typename T>
double value_at(std::uint64_t key, std::size_t index) {
  return T::value(T::of(mixed(key + index)));
}

struct Expected {
  double value, scale;
};

template <typename T>
Expected reduced(Reduction reduction, const std::vector<std::uint64_t>& keys, std::size_t index) {
  if (reduction != Reduction::sum) {
    double result = value_at<T>(keys[0], index);
    for (std::size_t r = 1; r < keys.size(); ++r) {
      const double next = value_at<T>(keys[r], index);
      result = reduction == Reduction::max ? std::max(result, next) : std::min(result, next);
    }
    return {result, std::abs(result)};
  }
  long double sum = 0;  // float64 needs more than its own digits
  double scale = 0;
  for (const std::uint64_t key : keys) {
    const double next = value_at<T>(key, index);
    sum += static_cast<long double>(next);
    scale += std::abs(next);
  }
  return {static_cast<double>(sum), scale};
}

// Whose element, and which of it, lies at `i` of what `rank` received; operations that only move.
std::pair<std::size_t, std::size_t> origin(const Exchange& exchange, std::size_t rank,
                                           std::size_t i) {
  if (exchange.kind == Kind::broadcast) return {0, i};
  const std::size_t from = i / exchange.part, at = i % exchange.part;
  return {from, exchange.kind == Kind::alltoall ? rank * exchange.part + at : at};
}

double bound_of(const Exchange& exchange, double unit) {
  if (!reduces(exchange.kind) || exchange.reduction != Reduction::sum) return 0;
  const double errors = static_cast<double>(exchange.ranks - 1) * unit;
  return errors / (1 - errors);
}

template <typename T>
Check check(const Exchange& exchange, std::uint64_t seed, std::size_t rank, const void* received) {
  std::vector<std::uint64_t> keys;
  for (std::size_t r = 0; r < exchange.ranks; ++r) keys.push_back(key_of(seed, r));
  Comparison comparison(bound_of(exchange, T::kUnit), exchange.element);
  const std::size_t offset = exchange.kind == Kind::reduce_scatter ? rank * exchange.part : 0;
  const bool reducing = reduces(exchange.kind);
  const auto* at = static_cast<const typename T::Stored*>(received);
  for (std::size_t i = 0; i < exchange.received(); ++i) {
    Expected expected{};
    if (reducing) {
      expected = reduced<T>(exchange.reduction, keys, offset + i);
    } else {
      const auto [from, index] = origin(exchange, rank, i);
      expected.value = value_at<T>(keys[from], index);
      expected.scale = std::abs(expected.value);
    }
    comparison.note(T::value(at[i]), expected.value, expected.scale,
                    [&] { return fmt::format("element {} of rank {}", i, rank); });
  }
  return std::move(comparison)
      .finish("recomputed by each rank from all ranks' inputs, every element");
}

}  // namespace

double input_of(std::uint64_t seed, std::size_t rank, std::size_t index, Element element) {
  return with_type(element,
                   [&](auto type) { return value_at<decltype(type)>(key_of(seed, rank), index); });
}

void fill_input(const Exchange& exchange, std::uint64_t seed, std::size_t rank, void* to) {
  const std::uint64_t key = key_of(seed, rank);
  with_type(exchange.element, [&](auto type) {
    using T = decltype(type);
    auto* elements = static_cast<typename T::Stored*>(to);
    for (std::size_t i = 0; i < exchange.sent(); ++i) elements[i] = T::of(mixed(key + i));
  });
}

void poison(const Exchange& exchange, void* received) {
  std::memset(received, 0xff, exchange.received() * size_of(exchange.element));
}

Check check_result(const Exchange& exchange, std::uint64_t seed, std::size_t rank,
                   const void* received) {
  return with_type(exchange.element, [&](auto type) {
    return check<decltype(type)>(exchange, seed, rank, received);
  });
}

}  // namespace stackx::kernels::collectives
