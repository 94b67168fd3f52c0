#include "kernels/reference/stream_kernel.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif
#include <fmt/format.h>

#include "kernels/reference/comparison.hpp"

namespace stackx::kernels {
namespace {

// __restrict as in the arrays of STREAM, which are distinct by their declaration.
void copy(double* __restrict a, const double* __restrict b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i];
}
void scale(double* __restrict a, const double* __restrict b, double s, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = s * b[i];
}
void add(double* __restrict a, const double* __restrict b, const double* __restrict c,
         std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + c[i];
}
void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, double s,
           std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}

#if defined(__x86_64__)
// Past the caches, two elements at a time.
template <StreamKernel kernel>
void streaming(double* a, const double* b, const double* c, double s, std::size_t n) {
  const __m128d factor = _mm_set1_pd(s);
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    __m128d value = _mm_load_pd(b + i);
    if constexpr (kernel == StreamKernel::scale) value = _mm_mul_pd(factor, value);
    if constexpr (kernel == StreamKernel::add) value = _mm_add_pd(value, _mm_load_pd(c + i));
    if constexpr (kernel == StreamKernel::triad)
      value = _mm_add_pd(value, _mm_mul_pd(factor, _mm_load_pd(c + i)));
    _mm_stream_pd(a + i, value);
  }
  _mm_sfence();
  if (i < n) run_stream(kernel, Stores::regular, s, {{a + i, 1}, {b + i, 1}, {c + i, 1}});
}

void run_streaming(StreamKernel kernel, double* a, const double* b, const double* c, double s,
                   std::size_t n) {
  switch (kernel) {
    case StreamKernel::copy:
      return streaming<StreamKernel::copy>(a, b, c, s, n);
    case StreamKernel::scale:
      return streaming<StreamKernel::scale>(a, b, c, s, n);
    case StreamKernel::add:
      return streaming<StreamKernel::add>(a, b, c, s, n);
    case StreamKernel::triad:
      return streaming<StreamKernel::triad>(a, b, c, s, n);
  }
}
#else
void run_streaming(StreamKernel kernel, double* a, const double* b, const double* c, double s,
                   std::size_t n) {
  run_stream(kernel, Stores::regular, s, {{a, n}, {b, n}, {c, n}});
}
#endif

double expected_of(StreamKernel kernel, double b, double c) {
  switch (kernel) {
    case StreamKernel::copy:
      return b;
    case StreamKernel::scale:
      return kStreamScalar * b;
    case StreamKernel::add:
      return b + c;
    case StreamKernel::triad:
      break;
  }
  return b + kStreamScalar * c;
}

}  // namespace

double stream_flop(StreamKernel kernel) {
  return kernel == StreamKernel::copy ? 0 : kernel == StreamKernel::triad ? 2 : 1;
}

double stream_bytes(StreamKernel kernel) {
  return kernel == StreamKernel::copy || kernel == StreamKernel::scale ? 16 : 24;
}

void run_stream(StreamKernel kernel, Stores stores, double s, const StreamArrays& arrays) {
  double* a = arrays.a.data();
  const double *b = arrays.b.data(), *c = arrays.c.data();
  const std::size_t n = arrays.a.size();
  if (stores == Stores::streaming) return run_streaming(kernel, a, b, c, s, n);
  switch (kernel) {
    case StreamKernel::copy:
      return copy(a, b, n);
    case StreamKernel::scale:
      return scale(a, b, s, n);
    case StreamKernel::add:
      return add(a, b, c, n);
    case StreamKernel::triad:
      return triad(a, b, c, s, n);
  }
}

std::uint64_t stream_key(std::uint64_t seed, int stream) {
  return random_at(2 * seed + static_cast<std::uint64_t>(stream), 0);
}

double stream_input(std::uint64_t key, std::uint64_t i) {
  return static_cast<double>(static_cast<std::int64_t>(random_at(key, i)) >> 11) * 0x1p-52;
}

Check check_stream(StreamKernel kernel, const StreamArrays& arrays, std::uint64_t seed,
                   std::size_t first) {
  Comparison comparison(0x1p-52, Element::float64);
  const std::uint64_t key_b = stream_key(seed, 0), key_c = stream_key(seed, 1);
  for (std::size_t i = 0; i < arrays.a.size(); ++i) {
    const double b = stream_input(key_b, first + i), c = stream_input(key_c, first + i);
    const auto place = [&](char name) {
      return [=] { return fmt::format("{}[{}]", name, first + i); };
    };
    comparison.note(arrays.a[i], expected_of(kernel, b, c),
                    std::abs(b) + kStreamScalar * std::abs(c), place('a'));
    comparison.note(arrays.b[i], b, 0, place('b'));
    comparison.note(arrays.c[i], c, 0, place('c'));
  }
  return std::move(comparison).finish("every element in double");
}

}  // namespace stackx::kernels
