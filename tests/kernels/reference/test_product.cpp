// The check must let every right product pass, in any order of summation, and none of the plausible
// wrong ones.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels/reference/product.hpp"

using namespace stackx::kernels;

namespace {

struct Shape {
  std::size_t m, n, k;
};

// One problem, its operands also as doubles.
struct Problem {
  Shape shape;
  Dtype dtype;
  Matrix a, b, c;

  Problem(Shape s, Dtype d, std::uint64_t seed = 1) : Problem(s, d, elements(d).c, seed) {}
  Problem(Shape s, Dtype d, Element result, std::uint64_t seed = 1)
      : shape(s),
        dtype(d),
        a(s.m, s.k, elements(d).a),
        b(s.k, s.n, elements(d).b),
        c(s.m, s.n, result) {
    a.fill_random(2 * seed);
    b.fill_random(2 * seed + 1);
    c.poison();
  }
  static double at(const Matrix& matrix, std::size_t i, std::size_t j) {
    double value = 0;
    matrix.read(i, j, std::span(&value, 1));
    return value;
  }
  void set(std::size_t i, std::size_t j, double value) {
    const std::size_t index = i * shape.n + j;
    if (c.element() == Element::float32)
      static_cast<float*>(c.data())[index] = static_cast<float>(value);
    if (c.element() == Element::float64) static_cast<double*>(c.data())[index] = value;
    if (c.element() == Element::int32)
      static_cast<std::int32_t*>(c.data())[index] = static_cast<std::int32_t>(value);
  }
  Check check(bool full) const { return check_product(a, b, c, dtype, 99, full ? 0x1p60 : 0); }
};

// The dot product of row i and column j as some right library would sum it, in the type T it
// accumulates in.
enum class Order { forward, backward, fused, four_lanes, blocks_of_64, pairwise };
constexpr Order kOrders[] = {Order::forward,    Order::backward,     Order::fused,
                             Order::four_lanes, Order::blocks_of_64, Order::pairwise};

template <typename T>
T pairwise(const std::vector<T>& x, const std::vector<T>& y, std::size_t first, std::size_t count) {
  if (count == 1) return x[first] * y[first];
  return pairwise(x, y, first, count / 2) + pairwise(x, y, first + count / 2, count - count / 2);
}

template <typename T>
T dot(const std::vector<T>& x, const std::vector<T>& y, Order order) {
  const std::size_t k = x.size();
  T sum = 0;
  switch (order) {
    case Order::forward:
      for (std::size_t p = 0; p < k; ++p) sum += x[p] * y[p];
      return sum;
    case Order::backward:
      for (std::size_t p = k; p-- > 0;) sum += x[p] * y[p];
      return sum;
    case Order::fused:
      for (std::size_t p = 0; p < k; ++p) sum = std::fma(x[p], y[p], sum);
      return sum;
    case Order::four_lanes: {
      T lanes[4] = {};
      for (std::size_t p = 0; p < k; ++p) lanes[p % 4] = std::fma(x[p], y[p], lanes[p % 4]);
      return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    }
    case Order::blocks_of_64:
      for (std::size_t first = 0; first < k; first += 64) {
        T block = 0;
        for (std::size_t p = first; p < std::min(k, first + 64); ++p) block += x[p] * y[p];
        sum += block;
      }
      return sum;
    case Order::pairwise:
      return pairwise(x, y, 0, k);
  }
  return sum;
}

using Round = std::function<double(double)>;

// Fills C as a library would that rounds inputs and results by the given functions.
template <typename T>
void multiply_as(Problem& p, Order order, const Round& input = {}, const Round& result = {}) {
  const auto [m, n, k] = p.shape;
  std::vector<std::vector<T>> columns(n, std::vector<T>(k));
  std::vector<double> row(std::max(n, k));
  for (std::size_t q = 0; q < k; ++q) {
    p.b.read(q, 0, std::span(row.data(), n));
    for (std::size_t j = 0; j < n; ++j)
      columns[j][q] = static_cast<T>(input ? input(row[j]) : row[j]);
  }
  std::vector<T> x(k);
  for (std::size_t i = 0; i < m; ++i) {
    p.a.read(i, 0, std::span(row.data(), k));
    for (std::size_t q = 0; q < k; ++q) x[q] = static_cast<T>(input ? input(row[q]) : row[q]);
    for (std::size_t j = 0; j < n; ++j) {
      const double value = static_cast<double>(dot(x, columns[j], order));
      p.set(i, j, result ? result(value) : value);
    }
  }
}

void multiply(Problem& p, Order order = Order::forward, const Round& input = {},
              const Round& result = {}) {
  if (p.dtype == Dtype::float32 || p.dtype == Dtype::bfloat16)
    return multiply_as<float>(p, order, input, result);
  multiply_as<double>(p, order, input, result);  // exact for int8
}

Round to_bits(int bits) {  // 11: half precision and TF32; 8: bfloat16; 24: float
  return [bits](double x) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
  };
}

constexpr Dtype kDtypes[] = {Dtype::float32, Dtype::float64, Dtype::bfloat16, Dtype::int8};
constexpr Shape kShapes[] = {{1, 1, 1},   {1, 7, 3},      {5, 1, 300},   {17, 257, 129},
                             {33, 31, 1}, {40, 300, 512}, {48, 48, 4096}};

}  // namespace

TEST_CASE("right products pass, whatever the order of summation", "[reference]") {
  for (const Dtype dtype : kDtypes)
    for (const Shape& shape : kShapes) {
      Problem problem(shape, dtype);
      for (const Order order : kOrders) {
        multiply(problem, order);
        for (const bool full : {true, false}) {
          const Check check = problem.check(full);
          INFO(to_string(dtype) << " " << shape.m << "x" << shape.n << "x" << shape.k << " full "
                                << full << ": " << check.detail);
          CHECK(check.pass);
          CHECK(check.max_relative_error <= check.bound);
          CHECK(check.detail.empty());
        }
      }
    }
}

TEST_CASE("the worst right order stays well inside the bound", "[reference]") {
  // 3.2u is expected of 512^2 entries, see the header; the bound is 16u.
  for (const Dtype dtype : {Dtype::float32, Dtype::float64}) {
    Problem problem({200, 200, 1024}, dtype);
    multiply(problem, Order::forward);
    const Check check = problem.check(true);
    CHECK(check.max_relative_error < 5 * unit_roundoff(dtype));
    CHECK(check.max_relative_error >
          0.5 * unit_roundoff(dtype));  // and the check does see rounding
    CHECK(check.bound == 16 * unit_roundoff(dtype));
  }
}

TEST_CASE("the reference itself is right: small products by hand", "[reference]") {
  Problem problem({2, 2, 2}, Dtype::float64);
  const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, c[] = {19, 22, 43, 50};
  std::copy_n(a, 4, static_cast<double*>(problem.a.data()));
  std::copy_n(b, 4, static_cast<double*>(problem.b.data()));
  std::copy_n(c, 4, static_cast<double*>(problem.c.data()));
  for (const bool full : {true, false}) {
    CHECK(problem.check(full).pass);
    CHECK(problem.check(full).max_relative_error == 0);
  }
  problem.set(1, 0, 44);
  for (const bool full : {true, false}) CHECK_FALSE(problem.check(full).pass);
  CHECK_THAT(problem.check(true).detail, Catch::Matchers::Contains("c[1,0] is 44, expected 43"));
}

TEST_CASE("float64 passes when n is far above k, where Freivalds' own rounding counts",
          "[reference]") {
  for (const Shape& shape : {Shape{3, 200'000, 1}, Shape{3, 100'000, 2}, Shape{3, 1, 100'000}}) {
    Problem problem(shape, Dtype::float64);
    multiply(problem);
    CHECK(problem.check(false).pass);
  }
}

TEST_CASE("plausible wrong products fail", "[reference]") {
  struct Wrong {
    std::string name;
    std::function<void(Problem&)> make;
  };
  const std::vector<Wrong> wrongs = {
      {"C untouched", [](Problem& p) { p.c.poison(); }},
      {"C stale: the product of other inputs",
       [](Problem& p) {
         Problem other(p.shape, p.dtype, 5);
         multiply(other);
         std::memcpy(p.c.data(), other.c.data(), p.c.bytes());
       }},
      {"all zeros", [](Problem& p) { std::memset(p.c.data(), 0, p.c.bytes()); }},
      {"B transposed",
       [](Problem& p) {
         Problem other(p.shape, p.dtype);
         for (std::size_t i = 0; i < p.shape.m; ++i)
           for (std::size_t j = 0; j < p.shape.n; ++j) {
             double sum = 0;
             for (std::size_t q = 0; q < p.shape.k; ++q) sum += p.at(p.a, i, q) * p.at(p.b, j, q);
             p.set(i, j, sum);
           }
       }},
      {"C transposed",
       [](Problem& p) {
         Problem right(p.shape, p.dtype);
         multiply(right);
         for (std::size_t i = 0; i < p.shape.m; ++i)
           for (std::size_t j = 0; j < p.shape.n; ++j) p.set(i, j, p.at(right.c, j, i));
       }},
      {"the last term left out",
       [](Problem& p) {
         for (std::size_t i = 0; i < p.shape.m; ++i)
           for (std::size_t j = 0; j < p.shape.n; ++j)
             p.set(i, j,
                   p.at(p.c, i, j) - p.at(p.a, i, p.shape.k - 1) * p.at(p.b, p.shape.k - 1, j));
       }},
      {"added to the old C",
       [](Problem& p) {
         for (std::size_t i = 0; i < p.shape.m; ++i)
           for (std::size_t j = 0; j < p.shape.n; ++j) p.set(i, j, 2 * p.at(p.c, i, j));
       }},
      {"two rows swapped",
       [](Problem& p) {
         for (std::size_t j = 0; j < p.shape.n; ++j) {
           const double value = p.at(p.c, 20, j);
           p.set(20, j, p.at(p.c, 21, j));
           p.set(21, j, value);
         }
       }},
      {"two columns swapped",
       [](Problem& p) {
         for (std::size_t i = 0; i < p.shape.m; ++i) {
           const double value = p.at(p.c, i, 20);
           p.set(i, 20, p.at(p.c, i, 21));
           p.set(i, 21, value);
         }
       }},
      {"the last row not computed",
       [](Problem& p) {
         for (std::size_t j = 0; j < p.shape.n; ++j) p.set(p.shape.m - 1, j, 0);
       }},
      {"the last column not computed",
       [](Problem& p) {
         for (std::size_t i = 0; i < p.shape.m; ++i) p.set(i, p.shape.n - 1, 0);
       }},
  };
  for (const Dtype dtype : kDtypes)
    for (const std::size_t size : {64, 300})
      for (const Wrong& wrong : wrongs) {
        Problem problem({size, size, size}, dtype);
        multiply(problem);
        wrong.make(problem);
        for (const bool full : {true, false}) {
          INFO(wrong.name << ", " << to_string(dtype) << ", " << size << ", full " << full);
          const Check check = problem.check(full);
          CHECK_FALSE(check.pass);
          CHECK(check.max_relative_error > check.bound);
          CHECK(std::isfinite(check.max_relative_error));
          CHECK_FALSE(check.detail.empty());
        }
      }
}

TEST_CASE("lower precision than promised fails, up to k = 4096", "[reference]") {
  for (const std::size_t k : {16, 128, 1024, 4096}) {
    const Shape shape{40, 60, k};
    for (const bool full : {true, false}) {
      INFO("k " << k << " full " << full);
      Problem single(shape, Dtype::float32);
      multiply(single, Order::fused, to_bits(11));  // half precision or TF32 inputs
      CHECK_FALSE(single.check(full).pass);
      multiply(single, Order::fused, {}, to_bits(11));  // half precision result
      CHECK_FALSE(single.check(full).pass);
      multiply(single, Order::fused, to_bits(8));  // bfloat16 inputs
      CHECK_FALSE(single.check(full).pass);
      Problem twice(shape, Dtype::float64);
      multiply(twice, Order::fused, to_bits(24));  // float inputs
      CHECK_FALSE(twice.check(full).pass);
      multiply(twice, Order::fused, {}, to_bits(24));
      CHECK_FALSE(twice.check(full).pass);
      multiply_as<float>(twice, Order::pairwise, {});  // all in float
      CHECK_FALSE(twice.check(full).pass);
      Problem brain(shape, Dtype::bfloat16);
      multiply(brain, Order::fused, {}, to_bits(8));  // the result rounded to bfloat16
      CHECK_FALSE(brain.check(full).pass);
    }
  }
}

TEST_CASE("one wrong element anywhere fails", "[reference]") {
  for (const Dtype dtype : kDtypes) {
    const Shape shape{90, 110, 256};
    Problem problem(shape, dtype);
    multiply(problem);
    for (std::uint64_t trial = 0; trial < 60; ++trial) {
      const std::size_t i = random_at(1, trial) % shape.m, j = random_at(2, trial) % shape.n;
      const double right = problem.at(problem.c, i, j);
      // int8 is exact: one unit. Elsewhere a thousandth of a typical entry (sqrt(k)/3), within what
      // the header promises.
      const double off = dtype == Dtype::int8 ? 1 : 0.005;
      problem.set(i, j, right + (trial % 2 ? off : -off));
      for (const bool full : {true, false}) {
        INFO(to_string(dtype) << " c[" << i << "," << j << "] full " << full);
        CHECK_FALSE(problem.check(full).pass);
      }
      for (const double broken : {std::nan(""), HUGE_VAL}) {
        if (dtype == Dtype::int8) continue;
        problem.set(i, j, broken);
        CHECK_FALSE(problem.check(true).pass);
        CHECK_FALSE(problem.check(false).pass);
      }
      problem.set(i, j, right);
    }
    CHECK(problem.check(true).pass);
    CHECK(problem.check(false).pass);
  }
}

TEST_CASE("errors that cancel in a row's or a column's sum fail", "[reference]") {
  const Shape shape{90, 110, 256};
  Problem problem(shape, Dtype::float32);
  multiply(problem);
  const auto add = [&](std::size_t i, std::size_t j, double off) {
    problem.set(i, j, problem.at(problem.c, i, j) + off);
  };
  for (std::uint64_t trial = 0; trial < 60; ++trial) {
    const std::size_t i = random_at(1, trial) % (shape.m - 1);
    const std::size_t j = random_at(2, trial) % (shape.n - 1);
    const bool in_row = trial % 2 == 0;
    add(i, j, 0.125);
    add(in_row ? i : i + 1, in_row ? j + 1 : j, -0.125);
    INFO("c[" << i << "," << j << "] in a row " << in_row);
    CHECK_FALSE(problem.check(false).pass);
    add(i, j, -0.125);
    add(in_row ? i : i + 1, in_row ? j + 1 : j, 0.125);
  }
}

TEST_CASE("large products are checked by Freivalds, small ones in full", "[reference]") {
  Problem problem({8, 8, 8}, Dtype::float32);
  multiply(problem);
  CHECK(check_product(problem.a, problem.b, problem.c, problem.dtype, 1).reference ==
        "every entry in double");
  CHECK_THAT(problem.check(false).reference,
             Catch::Matchers::Contains("Freivalds with 20 vectors"));
}

namespace {

// An entry as a tensor core might make it: products of rounded operands, four to a step, each step
// cut off after 24 bits.
float cut_off(double value) {
  const float nearest = static_cast<float>(value);
  return std::abs(nearest) > std::abs(value) ? std::nextafter(nearest, 0.0f) : nearest;
}
double cut_to(double value, int bits) {
  int exponent;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, bits)), exponent - bits);
}
double round_to(double value, int bits) {
  int exponent;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}
template <typename Operand>
double on_tensor_cores(const Problem& p, std::size_t i, std::size_t j, Operand operand) {
  float sum = 0;
  for (std::size_t q = 0; q < p.shape.k; q += 4) {
    double step = sum;
    for (std::size_t r = q; r < std::min(q + 4, p.shape.k); ++r)
      step += operand(Problem::at(p.a, i, r)) * operand(Problem::at(p.b, r, j));
    sum = cut_off(step);
  }
  return sum;
}
template <typename Entry>
bool passes(Problem& p, Entry entry) {
  for (std::size_t i = 0; i < p.shape.m; ++i)
    for (std::size_t j = 0; j < p.shape.n; ++j) {
      const double value = entry(i, j);
      auto* bits = static_cast<std::uint16_t*>(p.c.data()) + i * p.shape.n + j;
      if (p.c.element() == Element::float16) *bits = to_float16(static_cast<float>(value));
      else if (p.c.element() == Element::bfloat16) *bits = to_bfloat16(static_cast<float>(value));
      else p.set(i, j, value);
    }
  const Tolerance tolerance = tolerance_of(p.dtype, p.shape.k, Unit::tensor_cores, p.c.element());
  const bool full = check_product(p.a, p.b, p.c, tolerance, 7, 0x1p60).pass;
  const bool sampled = check_product(p.a, p.b, p.c, tolerance, 7, 0).pass;
  CHECK(full == sampled);
  return full;
}

const auto kExact = [](double x) { return x; };

}  // namespace

TEST_CASE("tensor cores: right products pass", "[reference]") {
  for (const Shape shape : {Shape{30, 70, 1}, {20, 60, 9}, {70, 30, 64}, {24, 40, 2048}})
    for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::fp8}) {
      Problem p(shape, dtype);
      INFO(to_string(dtype) << " k " << shape.k);
      CHECK(passes(p, [&](auto i, auto j) { return on_tensor_cores(p, i, j, kExact); }));
    }
  for (const Shape shape : {Shape{30, 70, 1}, {20, 60, 9}, {70, 30, 64}, {24, 40, 2048}}) {
    Problem p(shape, Dtype::tf32);
    const auto cut = [](double x) { return cut_to(x, 11); };
    const auto round = [](double x) { return round_to(x, 11); };
    CHECK(passes(p, [&](auto i, auto j) { return on_tensor_cores(p, i, j, cut); }));
    CHECK(passes(p, [&](auto i, auto j) { return on_tensor_cores(p, i, j, round); }));
  }
}

// bfloat16 that is written as bfloat16, float16 as float32: result= of the PI.
TEST_CASE("tensor cores: a result of another type is judged by the rounding of that type", "[reference]") {
  for (const Shape shape : {Shape{30, 70, 1}, {20, 60, 9}, {70, 30, 64}, {24, 40, 2048}})
    for (const auto& [dtype, result] : {std::pair{Dtype::bfloat16, Element::bfloat16}, std::pair{Dtype::float16, Element::float32},
                                        std::pair{Dtype::fp8, Element::float32}}) {
      Problem p(shape, dtype, result);
      INFO(to_string(dtype) << " written as " << to_string(result) << " k " << shape.k);
      CHECK(passes(p, [&](auto i, auto j) { return on_tensor_cores(p, i, j, kExact); }));
    }
  for (const std::size_t k : {64, 2048}) {
    INFO("k " << k);
    Problem bfloat({24, 40, k}, Dtype::bfloat16, Element::bfloat16), half({24, 40, k}, Dtype::float16),
        wide({24, 40, k}, Dtype::bfloat16), wide_half({24, 40, k}, Dtype::float16, Element::float32);
    // Cut off, where it should be rounded; rounded, where it should be a float.
    CHECK_FALSE(passes(bfloat, [&](auto i, auto j) { return cut_to(on_tensor_cores(bfloat, i, j, kExact), 8); }));
    CHECK_FALSE(passes(half, [&](auto i, auto j) { return cut_to(on_tensor_cores(half, i, j, kExact), 11); }));
    CHECK_FALSE(passes(wide, [&](auto i, auto j) { return round_to(on_tensor_cores(wide, i, j, kExact), 8); }));
    CHECK_FALSE(passes(wide_half, [&](auto i, auto j) { return round_to(on_tensor_cores(wide_half, i, j, kExact), 11); }));
  }
}

TEST_CASE("tensor cores: less precision than asked for fails", "[reference]") {
  const Shape shape{20, 40, 1024};
  const auto half_sum = [](const Problem& p, std::size_t i, std::size_t j) {
    float sum = 0;
    for (std::size_t q = 0; q < p.shape.k; ++q)
      sum = from_float16(to_float16(static_cast<float>(
          sum + Problem::at(p.a, i, q) * Problem::at(p.b, q, j))));
    return sum;
  };
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    Problem p(shape, dtype);
    CHECK_FALSE(passes(p, [&](auto i, auto j) { return half_sum(p, i, j); }));
  }
  const auto bfloat = [](double x) { return round_to(x, 8); };
  Problem tf32(shape, Dtype::tf32), half(shape, Dtype::float16), floats(shape, Dtype::float32);
  CHECK_FALSE(passes(tf32, [&](auto i, auto j) { return on_tensor_cores(tf32, i, j, bfloat); }));
  CHECK_FALSE(passes(half, [&](auto i, auto j) { return on_tensor_cores(half, i, j, bfloat); }));
  // tf32 where float32 was asked for.
  const auto rounded = [](double x) { return round_to(x, 11); };
  CHECK_FALSE(
      passes(floats, [&](auto i, auto j) { return on_tensor_cores(floats, i, j, rounded); }));
}
