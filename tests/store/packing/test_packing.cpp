#include <catch2/catch.hpp>
#include <limits>

#include "specs/error.hpp"
#include "specs/random.hpp"
#include "store/packing/packing.hpp"

using namespace stackx;
using namespace stackx::store;

TEST_CASE("packing: what goes in comes out") {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::vector<std::vector<std::int64_t>> cases{
      {},
      {0},
      {-1},
      {1, 1, 1},
      {Limits::max(), Limits::min(), 0, Limits::min(), Limits::max()},
      {5'000'000, 5'000'100}};
  for (const auto& samples : cases) CHECK(unpack(pack(samples)) == samples);
  specs::Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::int64_t> samples;
    const auto bits = random.below(64);
    for (std::uint64_t n = random.below(60); n > 0; --n)
      samples.push_back(static_cast<std::int64_t>(random.next() >> bits));
    REQUIRE(unpack(pack(samples)) == samples);
  }
}

TEST_CASE("packing: fifty samples of one process take less than half of plain integers") {
  specs::Random random(2);
  std::vector<std::int64_t> samples;
  for (int i = 0; i < 50; ++i)
    samples.push_back(5'000'000 + static_cast<std::int64_t>(random.below(200'000)));
  CHECK(pack(samples).size() < 50 * 8 / 2);
}

TEST_CASE("packing: damaged bytes are an Error, never more than was there") {
  CHECK_THROWS_AS(unpack("\x80"), Error);
  CHECK_THROWS_AS(unpack(std::string(11, '\x80')), Error);
  CHECK_THROWS_AS(unpack(std::string(9, '\xff') + "\x02"), Error);
  specs::Random random(3);
  for (int trial = 0; trial < 5000; ++trial) {
    std::string bytes;
    for (std::uint64_t n = random.below(30); n > 0; --n)
      bytes += static_cast<char>(random.below(256));
    std::size_t samples = 0;
    try {
      samples = unpack(bytes).size();
    } catch (const Error&) {
    }
    REQUIRE(samples <= bytes.size());
  }
}

TEST_CASE("packing: ids") {
  const std::string id = "00ff" + std::string(58, 'a') + "19";
  CHECK(hex_of(bytes_of(id)) == id);
  CHECK(bytes_of(id).size() == 32);
  CHECK_THROWS_AS(bytes_of("abc"), Error);
  CHECK_THROWS_AS(bytes_of(std::string(64, 'G')), Error);
  CHECK_THROWS_AS(bytes_of(std::string(64, 'A')), Error);
}

TEST_CASE("packing: checksums tell fields apart, also when their bytes run together") {
  CHECK(Checksum().add("123456789").value() == Checksum().add("123456789").value());
  CHECK(Checksum().add("ab").add("c").value() != Checksum().add("a").add("bc").value());
  CHECK(Checksum().add(1.0).value() != Checksum().add(-1.0).value());
  CHECK(Checksum().add(std::uint64_t{1}).value() != Checksum().add(std::uint64_t{2}).value());
}
