// The PTX of the bandwidth and latency indicators, run on the CPU: every element, and none beside.
#include <catch2/catch.hpp>
#include <numeric>

#include "kernels/cuda/ptx.hpp"
#include "tests/kernels/ptx_interpreter.hpp"

using namespace stackx::kernels::cuda;

namespace {

constexpr unsigned kTiles = 3;
constexpr std::size_t kCount = std::size_t{kTiles} * kTile;

struct Arrays {
  // Aligned as device memory is, with a tile at each end that nothing may touch.
  struct alignas(16) Pair {
    double x[2];
  };
  std::vector<Pair> memory[3];
  Arrays() {
    double next = 0;
    for (auto& array : memory) {
      array.resize((kCount + 2 * kTile) / 2);
      for (Pair& pair : array)
        for (double& x : pair.x) x = next += 1;
    }
  }
  double* at(int array) { return memory[array].data()->x + kTile; }
  std::uint64_t address(int array) { return reinterpret_cast<std::uint64_t>(at(array)); }
};

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

// Whether a kernel writes what it should into array 0, and nothing else anywhere.
bool right(const std::string& text, const std::string& name) {
  Arrays arrays, before;
  const double s = 3;
  std::vector<std::uint64_t> arguments;
  const auto want = [&](std::size_t i) {
    const double b = before.at(1)[i], c = before.at(2)[i];
    return name == "stackx_copy" ? b : name == "stackx_triad" ? b + s * c : s;
  };
  if (name == "stackx_copy") arguments = {arrays.address(0), arrays.address(1)};
  if (name == "stackx_triad")
    arguments = {arrays.address(0), arrays.address(1), arrays.address(2), bits(s)};
  if (name == "stackx_write") arguments = {arrays.address(0), bits(s)};
  PtxKernel(text, name).run(kTiles, kBlock, arguments);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (arrays.at(0)[i] != want(i)) return false;
    arrays.at(0)[i] = before.at(0)[i];
  }
  for (int a = 0; a < 3; ++a)
    if (std::memcmp(arrays.memory[a].data(), before.memory[a].data(),
                    arrays.memory[a].size() * sizeof(Arrays::Pair)) != 0)
      return false;
  return true;
}

std::string replaced(std::string text, const std::string& kernel, const std::string& what,
                     const std::string& by) {
  const auto at = text.find(what, text.find(".entry " + kernel));
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

double sum_by_kernel(unsigned blocks, unsigned tiles, const std::string& text = kPtx) {
  Arrays arrays;
  std::vector<double> sums(std::size_t{blocks} * kBlock + 1, -1);
  PtxKernel(text, "stackx_read")
      .run(blocks, kBlock,
           {reinterpret_cast<std::uint64_t>(sums.data()), arrays.address(1), tiles});
  CHECK(sums.back() == -1);
  return std::accumulate(sums.begin(), sums.end() - 1, 0.0);
}

}  // namespace

TEST_CASE("copy, triad and write treat every element once", "[gpu]") {
  for (const std::string name : {"stackx_copy", "stackx_triad", "stackx_write"}) {
    INFO(name);
    CHECK(right(kPtx, name));
  }
}

TEST_CASE("a kernel that is a little wrong is seen to be", "[gpu]") {
  CHECK_FALSE(right(replaced(kPtx, "stackx_copy", "[%rd2+4096]", "[%rd2+4112]"), "stackx_copy"));
  CHECK_FALSE(
      right(replaced(kPtx, "stackx_copy", "{%fd6, %fd7};", "{%fd6, %fd6};"), "stackx_copy"));
  CHECK_FALSE(right(replaced(kPtx, "stackx_triad", "%fd16, %fd15, %fd7", "%fd16, %fd14, %fd7"),
                    "stackx_triad"));
  CHECK_FALSE(right(replaced(kPtx, "stackx_write", "[%rd2+12288]", "[%rd2+8192]"), "stackx_write"));
  CHECK_FALSE(right(replaced(kPtx, "stackx_write", "%r1, 16384", "%r1, 8192"),
                    "stackx_write"));
}

// Of an array that is longer than 64 GiB one tile is there.
TEST_CASE("a tile beyond 64 GiB is the one that is meant", "[gpu]") {
  constexpr std::uint64_t kFar = 5u << 20;  // tiles of 16 KiB: 80 GiB
  constexpr std::uint64_t kTileBytes = kTile * sizeof(double);
  Arrays arrays;
  const std::uint64_t to = arrays.address(0) - kFar * kTileBytes, from = arrays.address(1) - kFar * kTileBytes;
  PtxKernel(kPtx, "stackx_copy").run_block(kFar, kFar + 1, kBlock, {to, from});
  CHECK(std::memcmp(arrays.at(0), arrays.at(1), kTileBytes) == 0);
}

TEST_CASE("read sums every tile, however many blocks there are", "[gpu]") {
  Arrays arrays;
  for (const unsigned tiles : {0u, 1u, 2u, kTiles})
    for (const unsigned blocks : {1u, 2u, 4u}) {
      INFO(tiles << " tiles, " << blocks << " blocks");
      CHECK(sum_by_kernel(blocks, tiles) ==
            std::accumulate(arrays.at(1), arrays.at(1) + std::size_t{tiles} * kTile, 0.0));
    }
  const std::string wrong =
      replaced(kPtx, "stackx_read", "add.f64 %fd11, %fd11, %fd6", "add.f64 %fd11, %fd11, %fd4");
  CHECK(sum_by_kernel(2, kTiles, wrong) != sum_by_kernel(2, kTiles));
}

TEST_CASE("count counts threads, or does nothing", "[gpu]") {
  std::uint32_t counter = 5;
  const PtxKernel kernel(kPtx, "stackx_count");
  kernel.run(2, 3, {reinterpret_cast<std::uint64_t>(&counter)});
  CHECK(counter == 11);
  kernel.run(2, 3, {0});
  CHECK(counter == 11);
}
