// Units in the last place against the neighbours that the types have, and digests against published ones.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "kernels/reference/batched_check.hpp"
#include "kernels/reference/digest.hpp"
#include "kernels/reference/ulps.hpp"

using namespace stackx::kernels;

namespace {

std::string sha256(const std::string& text, std::size_t first = 0, bool by_instructions = has_sha_instructions()) {
  const auto bytes = std::as_bytes(std::span(text));
  Digest digest(by_instructions);
  digest.add(bytes.first(first));
  digest.add(bytes.subspan(first));
  return std::move(digest).hex();
}

float& at(Matrix& matrix, std::size_t i) { return static_cast<float*>(matrix.data())[i]; }

}  // namespace

TEST_CASE("an ulp of a float is the distance to its neighbour away from 0, subnormals and 0 too", "[ulps]") {
  const auto of = *precision_of(Element::float32);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random_at(1, i)) & 0x7effffff);
    CAPTURE(x);
    CHECK(ulp_of(static_cast<double>(x), of) == static_cast<double>(std::nextafter(x, HUGE_VALF)) - static_cast<double>(x));
    CHECK(ulp_of(-static_cast<double>(x), of) == ulp_of(static_cast<double>(x), of));
  }
  CHECK(ulp_of(0, of) == 0x1p-149);
  CHECK(ulp_of(std::nextafter(1.0, 0), of) == 0x1p-24);  // the exact value's binade, whatever a float makes of it
  CHECK(ulp_of(1, of) == 0x1p-23);
}

TEST_CASE("the half types have 11 and 8 digits, of which float16 loses some early", "[ulps]") {
  const auto half = *precision_of(Element::float16), brain = *precision_of(Element::bfloat16);
  CHECK(ulp_of(1.5, half) == 0x1p-10);
  CHECK(ulp_of(1.5, brain) == 0x1p-7);
  CHECK(ulp_of(0x1p-20, half) == 0x1p-24);  // a subnormal
  CHECK(ulp_of(0x1p-20, brain) == 0x1p-27);
  for (std::uint16_t bits = 1; bits < 0x7bff; ++bits)
    if (ulp_of(static_cast<double>(from_float16(bits)), half) !=
        static_cast<double>(from_float16(bits + 1)) - static_cast<double>(from_float16(bits)))
      FAIL_CHECK(bits);
  CHECK_FALSE(precision_of(Element::float64));
  CHECK_FALSE(precision_of(Element::int32));
  CHECK(ulps_between(std::nan(""), 1, half) == std::numeric_limits<double>::max());
}

TEST_CASE("a product that errs by three ulps is told so, in full and in a batch", "[ulps]") {
  // One product an entry, of powers of two and three: exact.
  Matrix a(6, 1, Element::float32), b(2, 4, Element::float32), c(6, 4, Element::float32);
  for (std::size_t i = 0; i < 6; ++i) at(a, i) = std::ldexp(1.0f, static_cast<int>(i) - 3);
  for (std::size_t i = 0; i < 8; ++i) at(b, i) = 3.0f;
  for (std::size_t i = 0; i < 24; ++i) at(c, i) = at(a, i / 4) * 3;
  CHECK(check_products(a, b, c, 2, Dtype::float32, 1).max_ulps == 0.0);
  for (int ulp = 0; ulp < 3; ++ulp) at(c, 22) = std::nextafter(at(c, 22), 0.0f);
  CHECK(check_products(a, b, c, 2, Dtype::float32, 1).max_ulps == 3.0);
  at(c, 2) = std::nextafter(at(c, 2), 9.0f);
  CHECK(check_products(a, b, c, 2, Dtype::float32, 1).max_ulps == 3.0);
  CHECK(check_products(a, b, c, 2, Dtype::float32, 1).pass);
  CHECK(check_product(RowsOf(a, 0, 3), RowsOf(b, 0, 1), RowsOf(c, 0, 3), Dtype::float32, 1, 0).max_ulps == 1.0);  // sampled
}

TEST_CASE("ulps are left out where the reference knows no better, and where there are none", "[ulps]") {
  Matrix a(2, 1, Element::float64), b(1, 2, Element::float64), c(2, 2, Element::float64);
  a.fill_random(1), b.fill_random(2), c.poison();
  CHECK_FALSE(check_product(a, b, c, Dtype::float64, 1).max_ulps);
}

TEST_CASE("digests are SHA-256, whatever the parts in which bytes come", "[digest]") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string text(length, 'x');
    for (std::size_t first = 0; first <= length; first += 7) CHECK(sha256(text, first) == sha256(text));
    CHECK(sha256(text, 0, false) == sha256(text));
  }
  CHECK(sha256(std::string(1'000'000, 'a'), 5, false) == sha256(std::string(1'000'000, 'a')));
}
