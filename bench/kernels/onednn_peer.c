// The peer for oneDNN: the same product straight on the library, with its own headers (2.x or 3.x).
// usage: onednn_peer SIZE MINI_BATCH REPETITIONS WARMUP_MS; threads through OMP_NUM_THREADS.
// Prints the median nanoseconds of one product. Debian packages no benchdnn.
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define TRY(call) do if ((call) != dnnl_success) { fprintf(stderr, "%s failed\n", #call); exit(1); } while (0)

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * t.tv_sec + t.tv_nsec; }
static int by_value(const void* x, const void* y) { double d = *(double*)x - *(double*)y; return (d > 0) - (d < 0); }

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const dnnl_dim_t size = atoi(argv[1]), batch = atoi(argv[2]), repetitions = atoi(argv[3]);
  const double warm_up = 1e6 * atof(argv[4]);
  const dnnl_dims_t dims = {size, size}, strides = {size, 1};
  float* data[3];
  for (int i = 0; i < 3; ++i) {
    const size_t bytes = (size_t)(size * size) * sizeof(float), page = 2 << 20;
    if (posix_memalign((void**)&data[i], page, (bytes + page - 1) / page * page)) return 3;
    if (bytes >= page) madvise(data[i], bytes, MADV_HUGEPAGE);  // as NumPy and stackx-pi do
    for (dnnl_dim_t j = 0; j < size * size; ++j) data[i][j] = (float)rand() / (float)RAND_MAX * 2 - 1;
  }
  dnnl_engine_t engine; dnnl_stream_t stream; dnnl_primitive_desc_t description; dnnl_primitive_t primitive;
  TRY(dnnl_engine_create(&engine, dnnl_cpu, 0));
  TRY(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
#if DNNL_VERSION_MAJOR >= 3
  dnnl_memory_desc_t plain;
  TRY(dnnl_memory_desc_create_with_strides(&plain, 2, dims, dnnl_f32, strides));
  TRY(dnnl_matmul_primitive_desc_create(&description, engine, plain, plain, NULL, plain, NULL));
#else
  dnnl_memory_desc_t plain_, *plain = &plain_;
  dnnl_matmul_desc_t operation;
  TRY(dnnl_memory_desc_init_by_strides(plain, 2, dims, dnnl_f32, strides));
  TRY(dnnl_matmul_desc_init(&operation, plain, plain, NULL, plain));
  TRY(dnnl_primitive_desc_create(&description, &operation, NULL, engine, NULL));
#endif
  TRY(dnnl_primitive_create(&primitive, description));
  dnnl_exec_arg_t arguments[3] = {{DNNL_ARG_SRC, NULL}, {DNNL_ARG_WEIGHTS, NULL}, {DNNL_ARG_DST, NULL}};
  for (int i = 0; i < 3; ++i) TRY(dnnl_memory_create(&arguments[i].memory, plain, engine, data[i]));

  double* samples = malloc((size_t)repetitions * sizeof(double));
  const double start = now();
  for (dnnl_dim_t r = 0; r < repetitions;) {
    const double begin = now();
    for (dnnl_dim_t b = 0; b < batch; ++b) {
      TRY(dnnl_primitive_execute(primitive, stream, 3, arguments));
      TRY(dnnl_stream_wait(stream));
    }
    if (begin - start >= warm_up) samples[r++] = (now() - begin) / (double)batch;
  }
  qsort(samples, (size_t)repetitions, sizeof(double), by_value);
  printf("%.0f\n", samples[repetitions / 2]);
  return 0;
}
