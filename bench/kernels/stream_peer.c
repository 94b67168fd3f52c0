// The peer for stream: the triad of STREAM (J. D. McCalpin, stream.c 5.10), compiled as its documentation says.
// usage: stream_peer REPETITIONS WARMUP_MS ELEMENTS; threads through OMP_NUM_THREADS.
// Prints the median nanoseconds of one pass.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef double STREAM_TYPE;
static int by_value(const void* x, const void* y) { double d = *(double*)x - *(double*)y; return (d > 0) - (d < 0); }

static STREAM_TYPE* array(size_t size) {
  const size_t bytes = (size * sizeof(STREAM_TYPE) + (2 << 20) - 1) >> 21 << 21;
  void* memory;
  if (posix_memalign(&memory, 2 << 20, bytes)) exit(3);
  madvise(memory, bytes, MADV_HUGEPAGE);  // as stackx-pi does
  return memory;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int repetitions = atoi(argv[1]);
  const double warm_up = 1e-3 * atof(argv[2]);
  const ssize_t size = atoll(argv[3]);
  STREAM_TYPE *restrict a = array((size_t)size), *restrict b = array((size_t)size), *restrict c = array((size_t)size);
  const STREAM_TYPE scalar = 3.0;
#pragma omp parallel for
  for (ssize_t j = 0; j < size; j++) {
    a[j] = 1.0;
    b[j] = 2.0;
    c[j] = 0.0;
  }
  double* samples = malloc((size_t)repetitions * sizeof(double));
  const double start = omp_get_wtime();
  for (int r = 0; r < repetitions;) {
    const double begin = omp_get_wtime();
#pragma omp parallel for
    for (ssize_t j = 0; j < size; j++) a[j] = b[j] + scalar * c[j];
    if (begin - start >= warm_up) samples[r++] = 1e9 * (omp_get_wtime() - begin);
  }
  qsort(samples, (size_t)repetitions, sizeof(double), by_value);
  printf("%.0f\n", samples[repetitions / 2]);
  if (a[size / 2] != 2.0) return 1;
  return 0;
}
