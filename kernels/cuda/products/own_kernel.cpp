#include "kernels/cuda/products/own_kernel.hpp"

#include <fmt/format.h>

#include "kernels/cuda/products/source_files.hpp"

namespace stackx::kernels::cuda {
namespace {

// As in source/tensor.cu: the steps along k and the padding of rows, in elements.
struct Tiling {
  const char* name;
  std::size_t size, step, pad_a, pad_b;
};

Tiling tiling_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16:
      return {"float16", 2, 32, 8, 8};
    case Dtype::bfloat16:
      return {"bfloat16", 2, 32, 8, 8};
    case Dtype::tf32:
      return {"tf32", 4, 16, 4, 8};
    case Dtype::float64:
      return {"double", 8, 16, 4, 4};
    case Dtype::float32:
    case Dtype::int8:
    case Dtype::fp8:
      break;
  }
  return {"float", 4, 0, 0, 0};
}

std::size_t divided(std::size_t size, int by) {
  return (size + static_cast<std::size_t>(by) - 1) / static_cast<std::size_t>(by);
}

// As in source/tiled.cu.
constexpr std::size_t kTiledStep = 8;
constexpr unsigned kTiledThreads = 256;

}  // namespace

std::expected<std::vector<Tile>, Unsupported> tiles(Kernel kernel, Dtype dtype, int capability) {
  if (kernel == Kernel::tiled) {
    if (dtype == Dtype::float32) return std::vector<Tile>{{128, 128, 0, 0, 2}};
    if (dtype == Dtype::float64) return std::vector<Tile>{{128, 64, 0, 0, 2}};
    return std::unexpected(
        fmt::format("the tiled kernel is for float32 and float64, not {}", to_string(dtype)));
  }
  int since = 80;
  if (dtype == Dtype::float16) since = 70;
  if (dtype == Dtype::float32 || dtype == Dtype::int8 || dtype == Dtype::fp8)
    return std::unexpected(fmt::format(
        "the tensor-core kernel is for float16, bfloat16, tf32 and float64, not {}{}",
        to_string(dtype), dtype == Dtype::float32 ? ": kernel=tiled" : ""));
  if (capability < since)
    return std::unexpected(fmt::format(
        "{} on tensor cores needs compute capability {}.{}, compiled for is {}.{}",
        to_string(dtype), since / 10, since % 10, capability / 10, capability % 10));
  if (dtype == Dtype::float64) return std::vector<Tile>{{128, 64, 32, 32, 3}, {64, 64, 32, 32, 3}};
  // Before 8.0 copies pass through registers and more than two stages gain nothing.
  const int stages = capability < 80 ? 2 : 3;
  return std::vector<Tile>{{128, 256, 64, 64, stages},
                           {128, 128, 64, 64, stages},
                           {64, 64, 32, 32, capability < 80 ? 2 : 4}};
}

std::string Launch::text() const {
  if (tile.warp_m == 0) return fmt::format("{}x{}", tile.m, tile.n);
  return fmt::format("{}x{}, warps of {}x{}, {} stages", tile.m, tile.n, tile.warp_m, tile.warp_n,
                     tile.stages);
}

Launch launch_of(Kernel kernel, Dtype dtype, const Tile& tile, std::size_t m, std::size_t n,
                 std::size_t k) {
  const Tiling format = tiling_of(dtype);
  const std::size_t vector = 16 / format.size;
  Launch launch{tile, k % vector == 0 && n % vector == 0, 0, kTiledThreads, 0, {}};
  launch.blocks = static_cast<unsigned>(divided(m, tile.m) * divided(n, tile.n));
  launch.options = {fmt::format("-DELEMENT={}", format.name),
                    fmt::format("-DALIGNED={}", launch.aligned ? 1 : 0)};
  const auto tile_m = static_cast<std::size_t>(tile.m), tile_n = static_cast<std::size_t>(tile.n);
  std::size_t elements = kTiledStep * (tile_m + vector + tile_n);
  if (kernel == Kernel::tensor) {
    launch.threads = static_cast<unsigned>(tile.m / tile.warp_m * (tile.n / tile.warp_n) * 32);
    elements = tile_m * (format.step + format.pad_a) + format.step * (tile_n + format.pad_b);
    for (const auto& [name, value] :
         {std::pair{"BLOCK_M", tile.m}, std::pair{"BLOCK_N", tile.n}, std::pair{"WARP_M", tile.warp_m},
          std::pair{"WARP_N", tile.warp_n}, std::pair{"STAGES", tile.stages}})
      launch.options.push_back(fmt::format("-D{}={}", name, value));
  }
  launch.shared_bytes =
      static_cast<unsigned>(elements * format.size * static_cast<std::size_t>(tile.stages));
  return launch;
}

Launch best_launch(Kernel kernel, Dtype dtype, const std::vector<Tile>& tiles, std::size_t m,
                   std::size_t n, std::size_t k, int multiprocessors) {
  Launch launch = launch_of(kernel, dtype, tiles.front(), m, n, k);
  for (const Tile& tile : tiles) {
    launch = launch_of(kernel, dtype, tile, m, n, k);
    if (launch.blocks >= static_cast<unsigned>(multiprocessors)) break;
  }
  return launch;
}

std::string source_of(Kernel kernel) {
  return std::string(warp_source()) +
         std::string(kernel == Kernel::tiled ? tiled_source() : tensor_source());
}

}  // namespace stackx::kernels::cuda
