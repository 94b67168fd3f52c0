#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/reference/matrix.hpp"

using namespace stackx::kernels;

namespace {

std::vector<double> values(const Matrix& matrix) {
  std::vector<double> all(matrix.rows() * matrix.columns());
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    matrix.read(i, 0, std::span(all.data() + i * matrix.columns(), matrix.columns()));
  return all;
}

constexpr Element kElements[] = {Element::float32, Element::float64, Element::bfloat16,
                                 Element::int8,    Element::uint8,   Element::int32,
                                 Element::float16, Element::e4m3};

}  // namespace

TEST_CASE("random_at is splitmix64", "[matrix]") {
  // The first outputs for seed 0 of the published splitmix64.c.
  CHECK(random_at(0, 0) == 0xe220a8397b1dcdaf);
  CHECK(random_at(0, 1) == 0x6e789e6aa1b965f4);
  CHECK(random_at(0, 2) == 0x06c45d188009454f);
}

TEST_CASE("inputs are uniform, zero-mean and depend on the seed", "[matrix]") {
  for (const Element element : {Element::float32, Element::float64, Element::bfloat16,
                                Element::float16, Element::e4m3}) {
    Matrix one(200, 500, element), again(200, 500, element), other(200, 500, element);
    one.fill_random(7);
    again.fill_random(7);
    other.fill_random(8);
    const auto x = values(one), y = values(other);
    CHECK(x == values(again));
    CHECK(x != y);
    double sum = 0, square = 0, product = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      REQUIRE(std::abs(x[i]) <= 1);
      sum += x[i];
      square += x[i] * x[i];
      product += x[i] * y[i];
    }
    const double n = static_cast<double>(x.size());
    CHECK(std::abs(sum / n) < 5 * std::sqrt(1 / 3.0 / n));  // five standard errors
    CHECK(square / n == Approx(1 / 3.0).epsilon(0.02));
    CHECK(std::abs(product / n) < 5 / 3.0 / std::sqrt(n));  // neighbouring seeds are independent
  }
}

TEST_CASE("neighbouring seeds do not give shifted copies", "[matrix]") {
  Matrix one(1, 64, Element::float64), next(1, 64, Element::float64);
  one.fill_random(1);
  next.fill_random(2);
  const auto x = values(one), y = values(next);
  for (const double value : x) CHECK(std::count(y.begin(), y.end(), value) == 0);
}

TEST_CASE("integer inputs stay in the range that no instruction saturates", "[matrix]") {
  Matrix a(300, 300, Element::uint8), b(300, 300, Element::int8);
  a.fill_random(1);
  b.fill_random(1);
  const auto x = values(a), y = values(b);
  CHECK(*std::min_element(x.begin(), x.end()) == 0);
  CHECK(*std::max_element(x.begin(), x.end()) == 127);
  CHECK(*std::min_element(y.begin(), y.end()) == -127);
  CHECK(*std::max_element(y.begin(), y.end()) == 127);
}

TEST_CASE("bfloat16 rounds to nearest, ties to even", "[matrix]") {
  CHECK(from_bfloat16(to_bfloat16(1.0f)) == 1.0f);
  CHECK(from_bfloat16(to_bfloat16(-0.5f)) == -0.5f);
  CHECK(from_bfloat16(to_bfloat16(1 + 0x1p-8f)) == 1.0f);  // a tie: the even neighbour is below
  CHECK(from_bfloat16(to_bfloat16(1 + 3 * 0x1p-8f)) == 1 + 0x1p-6f);  // a tie: above
  CHECK(from_bfloat16(to_bfloat16(1 + 0x1.2p-8f)) == 1 + 0x1p-7f);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const float value = static_cast<float>(static_cast<double>(random_at(3, i)) * 0x1p-63 - 1);
    CHECK(std::abs(from_bfloat16(to_bfloat16(value)) - value) <= std::abs(value) * 0x1p-8f);
  }
}

TEST_CASE("poison shows wherever it is left", "[matrix]") {
  for (const Element element : {Element::float32, Element::float64, Element::bfloat16}) {
    Matrix matrix(3, 5, element);
    matrix.poison();
    for (const double value : values(matrix)) CHECK(std::isnan(value));
  }
  Matrix matrix(3, 5, Element::int32);
  matrix.poison();
  for (const double value : values(matrix)) CHECK(value < -127.0 * 127 * 133'000);
}

TEST_CASE("memory is aligned for any vector load", "[matrix]") {
  for (const Element element : kElements)
    for (const std::size_t rows : {1, 3, 1000, 2000}) {
      Matrix matrix(rows, 1001, element);
      CHECK(reinterpret_cast<std::uintptr_t>(matrix.data()) % 64 == 0);
      CHECK(matrix.bytes() == rows * 1001 * size_of(element));
      std::memset(matrix.data(), 0, matrix.bytes());
    }
}

TEST_CASE("read gives a part of a row", "[matrix]") {
  Matrix matrix(4, 9, Element::float32);
  matrix.fill_random(5);
  const auto all = values(matrix);
  double part[3];
  matrix.read(2, 4, part);
  for (int j = 0; j < 3; ++j) CHECK(part[j] == all[2 * 9 + 4 + j]);
}

TEST_CASE("float16 and e4m3: every value there and back", "[matrix]") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits)
    if ((bits & 0x7c00) != 0x7c00)
      wrong += to_float16(from_float16(static_cast<std::uint16_t>(bits))) != bits;
  for (std::uint32_t bits = 0; bits < 0x100; ++bits)
    if ((bits & 0x7f) != 0x7f)
      wrong += to_e4m3(from_e4m3(static_cast<std::uint8_t>(bits))) != bits;
  CHECK(wrong == 0);
  // From the formats' definitions: 1, the largest, the smallest normal and subnormal.
  CHECK(from_float16(0x3c00) == 1);
  CHECK(from_float16(0x7bff) == 65504);
  CHECK(from_float16(0x8400) == -0x1p-14f);
  CHECK(from_float16(0x0001) == 0x1p-24f);
  CHECK(std::isnan(from_float16(0x7e00)));
  CHECK(from_e4m3(0x38) == 1);
  CHECK(from_e4m3(0x7e) == 448);
  CHECK(from_e4m3(0x88) == -0x1p-6f);
  CHECK(from_e4m3(0x01) == 0x1p-9f);
  CHECK(std::isnan(from_e4m3(0x7f)));
}

TEST_CASE("rounding to float16 and e4m3 takes the nearest, ties to even", "[matrix]") {
  const auto wrong = [](auto to, auto from, std::uint32_t most) {
    int count = 0;
    for (std::uint32_t bits = 0; bits < most; ++bits) {
      const float low = from(bits), high = from(bits + 1), middle = (low + high) / 2;
      count += to(middle) != bits + (bits & 1);
      count += to(std::nextafter(middle, low)) != bits;
      count += to(-std::nextafter(middle, high)) != bits + 1 + to(-0.0f);
    }
    return count;
  };
  CHECK(wrong(to_float16, from_float16, 0x7bff) == 0);
  CHECK(wrong(to_e4m3, from_e4m3, 0x7e) == 0);
  CHECK(from_e4m3(to_e4m3(1000)) == 448);
}
