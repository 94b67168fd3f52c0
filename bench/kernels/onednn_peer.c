// The peer for oneDNN: the same operations straight on the library, with its own headers (2.x or 3.x).
// usage: onednn_peer MINI_BATCH REPETITIONS WARMUP_MS OPERATION SIZE...; threads through OMP_NUM_THREADS.
//   matmul M N K BATCH | conv2d BATCH HEIGHT WIDTH IN OUT KERNEL | lstm|gru BATCH TIME INPUT HIDDEN
//   softmax|layer_norm ROWS COLUMNS | attention HEADS SEQUENCE SIZE;   float32; conv2d pads by KERNEL / 2
// Prints the median nanoseconds of one call. Debian packages no benchdnn.
#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define TRY(call) do if ((call) != dnnl_success) { fprintf(stderr, "%s failed\n", #call); exit(1); } while (0)
#define DIMS(...) (const dnnl_dims_t){__VA_ARGS__}
typedef dnnl_primitive_desc_t description;
static dnnl_engine_t engine;
static dnnl_stream_t stream;

// A memory descriptor is a pointer in both majors here; V2(...) and V3(...) are what only one of them has.
#if DNNL_VERSION_MAJOR >= 3
#define V2(...)
#define V3(...) __VA_ARGS__
typedef const_dnnl_memory_desc_t layout;
static layout tagged(int n, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
  dnnl_memory_desc_t d;
  TRY(dnnl_memory_desc_create_with_tag(&d, n, dims, dnnl_f32, tag));
  return d;
}
#else
#define V2(...) __VA_ARGS__
#define V3(...)
typedef const dnnl_memory_desc_t* layout;
static layout tagged(int n, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
  dnnl_memory_desc_t* d = malloc(sizeof *d);
  TRY(dnnl_memory_desc_init_by_tag(d, n, dims, dnnl_f32, tag));
  return d;
}
static description described(const void* operation, const_dnnl_primitive_attr_t attributes) {
  description d;
  TRY(dnnl_primitive_desc_create(&d, operation, attributes, engine, NULL));
  return d;
}
#endif

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * t.tv_sec + t.tv_nsec; }
static int by_value(const void* x, const void* y) { double d = *(double*)x - *(double*)y; return (d > 0) - (d < 0); }

static dnnl_memory_t memory(layout d, float factor) {
  const size_t bytes = dnnl_memory_desc_get_size(d), page = 2 << 20, alignment = bytes >= page ? page : 64;
  float* data;
  if (posix_memalign((void**)&data, alignment, (bytes + alignment - 1) / alignment * alignment)) exit(3);
  if (bytes >= page) madvise(data, bytes, MADV_HUGEPAGE);  // as NumPy and stackx-pi do
  for (size_t i = 0; i < bytes / sizeof *data; ++i) data[i] = factor * ((float)rand() / (float)RAND_MAX * 2 - 1);
  dnnl_memory_t m;
  TRY(dnnl_memory_create(&m, d, engine, data));
  return m;
}

// A call is some primitives in turn.
static struct { dnnl_primitive_t primitive; dnnl_exec_arg_t arguments[12]; int count; } steps[3];
static int used;
static void step(description d) { TRY(dnnl_primitive_create(&steps[used++].primitive, d)); }
static void argument(int index, dnnl_memory_t m) {
  steps[used - 1].arguments[steps[used - 1].count++] = (dnnl_exec_arg_t){index, m};
}
// Random values, brought from the plain layout into the one that the primitive wants.
static void packed(description d, int index, layout plain, float factor) {
  layout wanted = dnnl_primitive_desc_query_md(d, dnnl_query_exec_arg_md, index);
  dnnl_memory_t from = memory(plain, factor), to = memory(wanted, 0);
  description reorder;
  dnnl_primitive_t primitive;
  TRY(dnnl_reorder_primitive_desc_create(&reorder, plain, engine, wanted, engine, NULL));
  TRY(dnnl_primitive_create(&primitive, reorder));
  TRY(dnnl_primitive_execute(primitive, stream, 2, (dnnl_exec_arg_t[]){{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}));
  TRY(dnnl_stream_wait(stream));
  argument(index, to);
}

static void matmul(layout a, layout b, layout c, dnnl_memory_t x, dnnl_memory_t y, dnnl_memory_t z, float scale) {
  dnnl_primitive_attr_t attributes = NULL;
  if (scale != 1) {
    dnnl_post_ops_t operations;
    TRY(dnnl_primitive_attr_create(&attributes));
    TRY(dnnl_post_ops_create(&operations));
    TRY(dnnl_post_ops_append_eltwise(operations, V2(1,) dnnl_eltwise_linear, scale, 0));
    TRY(dnnl_primitive_attr_set_post_ops(attributes, operations));
  }
  description d;
  V2(dnnl_matmul_desc_t o; TRY(dnnl_matmul_desc_init(&o, a, b, NULL, c)); d = described(&o, attributes);)
  V3(TRY(dnnl_matmul_primitive_desc_create(&d, engine, a, b, NULL, c, attributes));)
  step(d);
  argument(DNNL_ARG_SRC, x), argument(DNNL_ARG_WEIGHTS, y), argument(DNNL_ARG_DST, z);
}

static void softmax(layout x, int axis, dnnl_memory_t from, dnnl_memory_t to) {
  description d;
  V2(dnnl_softmax_desc_t o; TRY(dnnl_softmax_forward_desc_init(&o, dnnl_forward_inference, x, axis));
     d = described(&o, NULL);)
  V3(TRY(dnnl_softmax_forward_primitive_desc_create(&d, engine, dnnl_forward_inference, dnnl_softmax_accurate, x, x,
                                                    axis, NULL));)
  step(d);
  argument(DNNL_ARG_SRC, from), argument(DNNL_ARG_DST, to);
}

static void layer_norm(dnnl_dim_t rows, dnnl_dim_t columns) {
  layout x = tagged(2, DIMS(rows, columns), dnnl_ab);
  description d;
  V2(dnnl_layer_normalization_desc_t o;
     TRY(dnnl_layer_normalization_forward_desc_init(&o, dnnl_forward_inference, x, NULL, 1e-5f, dnnl_use_scaleshift));
     d = described(&o, NULL);)
  V3(TRY(dnnl_layer_normalization_forward_primitive_desc_create(&d, engine, dnnl_forward_inference, x, x, NULL, 1e-5f,
                                                                dnnl_use_scale | dnnl_use_shift, NULL));)
  step(d);
  argument(DNNL_ARG_SRC, memory(x, 1)), argument(DNNL_ARG_DST, memory(x, 0));
  V2(argument(DNNL_ARG_SCALE_SHIFT, memory(tagged(2, DIMS(2, columns), dnnl_ab), 1));)
  V3(layout vector = tagged(1, DIMS(columns), dnnl_a);
     argument(DNNL_ARG_SCALE, memory(vector, 1)); argument(DNNL_ARG_SHIFT, memory(vector, 1));)
}

static void conv2d(dnnl_dim_t batch, dnnl_dim_t h, dnnl_dim_t w, dnnl_dim_t in, dnnl_dim_t out, dnnl_dim_t k) {
  layout x = tagged(4, DIMS(batch, in, h, w), dnnl_format_tag_any), y = tagged(4, DIMS(batch, out, h, w), dnnl_format_tag_any),
         f = tagged(4, DIMS(out, in, k, k), dnnl_format_tag_any);
  const dnnl_dims_t strides = {1, 1}, pad = {k / 2, k / 2};
  description d;
  V2(dnnl_convolution_desc_t o;
     TRY(dnnl_convolution_forward_desc_init(&o, dnnl_forward_inference, dnnl_convolution_direct, x, f, NULL, y, strides,
                                            pad, pad));
     d = described(&o, NULL);)
  V3(const dnnl_dims_t none = {0, 0};
     TRY(dnnl_convolution_forward_primitive_desc_create(&d, engine, dnnl_forward_inference, dnnl_convolution_direct, x,
                                                        f, NULL, y, strides, none, pad, pad, NULL));)
  step(d);
  packed(d, DNNL_ARG_SRC, tagged(4, DIMS(batch, in, h, w), dnnl_nhwc), 1);
  packed(d, DNNL_ARG_WEIGHTS, tagged(4, DIMS(out, in, k, k), dnnl_hwio), 1);
  argument(DNNL_ARG_DST, memory(dnnl_primitive_desc_query_md(d, dnnl_query_exec_arg_md, DNNL_ARG_DST), 0));
}

static void rnn(int lstm, dnnl_dim_t n, dnnl_dim_t t, dnnl_dim_t i, dnnl_dim_t o) {
  const dnnl_dim_t g = lstm ? 4 : 3;
  const float small = 1 / sqrtf((float)o);
  layout x = tagged(3, DIMS(t, n, i), dnnl_tnc), y = tagged(3, DIMS(t, n, o), dnnl_tnc),
         h = tagged(4, DIMS(1, 1, n, o), dnnl_ldnc), b = tagged(4, DIMS(1, 1, g, o), dnnl_ldgo),
         w = tagged(5, DIMS(1, 1, i, g, o), dnnl_format_tag_any), u = tagged(5, DIMS(1, 1, o, g, o), dnnl_format_tag_any);
  const dnnl_prop_kind_t kind = dnnl_forward_inference;
  const dnnl_rnn_direction_t right = dnnl_unidirectional_left2right;
  description d;
  V2(dnnl_rnn_desc_t r;
     if (lstm) TRY(dnnl_lstm_forward_desc_init(&r, kind, right, x, h, h, w, u, b, y, h, h, 0));
     else TRY(dnnl_gru_forward_desc_init(&r, kind, right, x, h, w, u, b, y, h, 0));
     d = described(&r, NULL);)
  V3(if (lstm) TRY(dnnl_lstm_forward_primitive_desc_create(&d, engine, kind, right, x, h, h, w, u, NULL, NULL, b, y, h,
                                                           h, 0, NULL));
     else TRY(dnnl_gru_forward_primitive_desc_create(&d, engine, kind, right, x, h, w, u, b, y, h, 0, NULL));)
  step(d);
  argument(DNNL_ARG_SRC_LAYER, memory(x, 1)), argument(DNNL_ARG_SRC_ITER, memory(h, 1));
  packed(d, DNNL_ARG_WEIGHTS_LAYER, tagged(5, DIMS(1, 1, i, g, o), dnnl_ldigo), small);
  packed(d, DNNL_ARG_WEIGHTS_ITER, tagged(5, DIMS(1, 1, o, g, o), dnnl_ldigo), small);
  argument(DNNL_ARG_BIAS, memory(b, small)), argument(DNNL_ARG_DST_LAYER, memory(y, 0));
  argument(DNNL_ARG_DST_ITER, memory(h, 0));
  if (lstm) argument(DNNL_ARG_SRC_ITER_C, memory(h, 1)), argument(DNNL_ARG_DST_ITER_C, memory(h, 0));
}

static void attention(dnnl_dim_t heads, dnnl_dim_t sequence, dnnl_dim_t size) {
  layout q = tagged(3, DIMS(heads, sequence, size), dnnl_abc), k = tagged(3, DIMS(heads, size, sequence), dnnl_acb),
         s = tagged(3, DIMS(heads, sequence, sequence), dnnl_abc);
  dnnl_memory_t scores = memory(s, 0), p = memory(s, 0);
  matmul(q, k, s, memory(q, 1), memory(k, 1), scores, 1 / sqrtf((float)size));
  softmax(s, 2, scores, p);
  matmul(s, q, q, p, memory(q, 1), memory(q, 0), 1);
}

static void build(const char* operation, const dnnl_dim_t* s) {
#define IS(name) (strcmp(operation, name) == 0)
  if (IS("matmul")) {
    const int n = s[3] == 1 ? 2 : 3;
    const dnnl_dims_t a = {s[3], s[0], s[2]}, b = {s[3], s[2], s[1]}, c = {s[3], s[0], s[1]};
    const dnnl_format_tag_t tag = n == 2 ? dnnl_ab : dnnl_abc;
    layout x = tagged(n, a + 3 - n, tag), y = tagged(n, b + 3 - n, tag), z = tagged(n, c + 3 - n, tag);
    matmul(x, y, z, memory(x, 1), memory(y, 1), memory(z, 0), 1);
  } else if (IS("conv2d")) {
    conv2d(s[0], s[1], s[2], s[3], s[4], s[5]);
  } else if (IS("lstm") || IS("gru")) {
    rnn(IS("lstm"), s[0], s[1], s[2], s[3]);
  } else if (IS("softmax")) {
    layout x = tagged(2, DIMS(s[0], s[1]), dnnl_ab);
    softmax(x, 1, memory(x, 8), memory(x, 0));
  } else if (IS("layer_norm")) {
    layer_norm(s[0], s[1]);
  } else if (IS("attention")) {
    attention(s[0], s[1], s[2]);
  } else {
    exit(2);
  }
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int batch = atoi(argv[1]), repetitions = atoi(argv[2]);
  const double warm_up = 1e6 * atof(argv[3]);
  dnnl_dim_t sizes[8] = {0};
  for (int i = 5; i < argc && i < 13; ++i) sizes[i - 5] = atoi(argv[i]);
  TRY(dnnl_engine_create(&engine, dnnl_cpu, 0));
  TRY(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  build(argv[4], sizes);

  double* samples = malloc((size_t)repetitions * sizeof(double));
  const double start = now();
  for (int r = 0; r < repetitions;) {
    const double begin = now();
    for (int b = 0; b < batch; ++b) {
      for (int i = 0; i < used; ++i)
        TRY(dnnl_primitive_execute(steps[i].primitive, stream, steps[i].count, steps[i].arguments));
      TRY(dnnl_stream_wait(stream));
    }
    if (begin - start >= warm_up) samples[r++] = (now() - begin) / batch;
  }
  qsort(samples, (size_t)repetitions, sizeof(double), by_value);
  printf("%.0f\n", samples[repetitions / 2]);
  return 0;
}
