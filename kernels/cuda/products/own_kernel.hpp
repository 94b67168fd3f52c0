// Our own matrix products (source/*.cu) for a device: which tile, which options, how to launch.
//
// A large tile reads less memory for each product and a small one makes more blocks, so it is the
// largest of which there are as many as the device has multiprocessors. No search: it is the
// baseline, not a library.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

#include "kernels/blas/library.hpp"
#include "kernels/dtype.hpp"

namespace stackx::kernels::cuda {

enum class Kernel { tiled, tensor };

struct Tile {
  int m, n;            // of C that one block makes
  int warp_m, warp_n;  // that one warp makes
  int stages;          // in shared memory: being multiplied or on their way
};

// The tiles of a kernel on architecture `capability` (80: 8.0), the largest first. Unsupported where
// it has no such instruction or the kernel is not for this dtype.
std::expected<std::vector<Tile>, Unsupported> tiles(Kernel kernel, Dtype dtype, int capability);

struct Launch {
  Tile tile;
  bool aligned;  // rows start at multiples of 16 bytes: copies of 16 bytes
  unsigned blocks, threads, shared_bytes;
  std::vector<std::string> options;  // of the compiler
  std::string text() const;          // "128x256, warps of 64x64, 3 stages"
};

Launch launch_of(Kernel kernel, Dtype dtype, const Tile& tile, std::size_t m, std::size_t n,
                 std::size_t k);
Launch best_launch(Kernel kernel, Dtype dtype, const std::vector<Tile>& tiles, std::size_t m,
                   std::size_t n, std::size_t k, int multiprocessors);

// The text that NVRTC compiles; its function is "matmul".
std::string source_of(Kernel kernel);

}  // namespace stackx::kernels::cuda
