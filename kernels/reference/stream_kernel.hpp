// The four loops of STREAM (J. D. McCalpin, "Memory bandwidth and machine balance in current high
// performance computers", IEEE TCCA newsletter, December 1995), and whether their result is right.
//
//   copy  a = b    scale  a = s b    add  a = b + c    triad  a = b + s c     in double, s = 3
//
// Bytes as STREAM counts them: 8 for each element read or written by the source, so 16 or 24 an
// element; that a store first reads the line (write allocate) is not counted. stores=regular is
// what a compiler makes of the loops; stores=streaming writes past the caches (movntpd), which
// saves that read. Inputs are uniform in [-1, 1), seeded.
//
// Every element is compared, with inputs made again from the seed: an input overwritten shows, too.
// Tolerance 2^-52 (|b| + |s c|): one rounding each of product and sum, or one of both (FMA).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/reference/product.hpp"

namespace stackx::kernels {

enum class StreamKernel { copy, scale, add, triad };
enum class Stores { regular, streaming };

inline constexpr double kStreamScalar = 3;

double stream_flop(StreamKernel kernel);   // an element
double stream_bytes(StreamKernel kernel);  // an element

// All of the same size and, for streaming stores, aligned to 16 bytes.
struct StreamArrays {
  std::span<double> a;
  std::span<const double> b, c;
};

void run_stream(StreamKernel kernel, Stores stores, double scalar, const StreamArrays& arrays);

// The inputs: element i of b (stream 0) or c (stream 1) is stream_input(stream_key(seed, stream),
// i).
std::uint64_t stream_key(std::uint64_t seed, int stream);
double stream_input(std::uint64_t key, std::uint64_t i);

// `arrays` may be a part of the whole, from element `first` on.
Check check_stream(StreamKernel kernel, const StreamArrays& arrays, std::uint64_t seed,
                   std::size_t first = 0);

}  // namespace stackx::kernels
