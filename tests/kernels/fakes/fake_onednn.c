// The part of oneDNN's C interface that stackx-pi uses, in the manner of version MAJOR:
// caller-provided structs passed by address in 2, opaque objects in 3. float32 only; wrong use ends
// the process. For "any" it wants the first dimension to vary fastest: who does not reorder gets
// wrong results.
#include "fake_onednn_compute.h"

typedef struct {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
} Version;
enum Kind { kMatmul, kConvolution, kLstm, kGru, kSoftmax, kLayerNorm, kAddRow, kReorder };
enum { kMagic = 0x5eed, kF32 = 3, kUnimplemented = 3, kInference = 96 };
typedef struct {
  int magic;
  enum Kind kind;
  struct {
    int argument;
    Descriptor descriptor;
  } slots[kSlots];
  int used;
  int64_t strides[2], low[2];
  float epsilon, factor;
} Operation;
typedef struct {
  int index;
  Memory* memory;
} Argument;
typedef struct {
  float factor;
} Attributes;

static int engine_object, stream_object;

const Version* dnnl_version(void) {
  static const Version version = {MAJOR, 9, 1, "fake", 1 /* sequential */, 0};
  return &version;
}
int dnnl_engine_create(void** engine, int kind, size_t index) {
  if (kind != 1 || index != 0) abort();
  *engine = &engine_object;
  return 0;
}
int dnnl_stream_create(void** stream, void* engine, unsigned flags) {
  if (engine != &engine_object || flags != 1) abort();
  *stream = &stream_object;
  return 0;
}
int dnnl_stream_wait(void* stream) { return stream == &stream_object ? 0 : 2; }

// ---- Descriptors, memory, attributes ----
static void fill(Descriptor* d, int ndims, const int64_t* dims, int type, const int64_t* strides) {
  if (ndims < 1 || ndims > 5) abort();
  memset(d, 0, sizeof *d);
  d->ndims = ndims;
  memcpy(d->dims, dims, (size_t)ndims * sizeof *dims);
  for (int i = 0; i < ndims; ++i)
    d->strides[i] = strides != NULL ? strides[i] : i == 0 ? 1 : d->strides[i - 1] * dims[i - 1];
  d->type = type;
  d->any = strides == NULL;
}
#if MAJOR == 2
int dnnl_memory_desc_init_by_strides(Descriptor* d, int ndims, const int64_t* dims, int type,
                                     const int64_t* strides) {
  return fill(d, ndims, dims, type, strides), 0;
}
int dnnl_memory_desc_init_by_tag(Descriptor* d, int ndims, const int64_t* dims, int type, int tag) {
  if (tag != 1) abort();
  return fill(d, ndims, dims, type, NULL), 0;
}
#else
int dnnl_memory_desc_create_with_strides(Descriptor** d, int ndims, const int64_t* dims, int type,
                                         const int64_t* strides) {
  *d = malloc(sizeof **d);
  return fill(*d, ndims, dims, type, strides), 0;
}
int dnnl_memory_desc_create_with_tag(Descriptor** d, int ndims, const int64_t* dims, int type,
                                     int tag) {
  if (tag != 1) abort();
  *d = malloc(sizeof **d);
  return fill(*d, ndims, dims, type, NULL), 0;
}
#endif
size_t dnnl_memory_desc_get_size(const Descriptor* d) { return (size_t)count(d) * sizeof(float); }
int dnnl_memory_create(Memory** memory, const Descriptor* d, void* engine, void* data) {
  if (engine != &engine_object) abort();
  *memory = malloc(sizeof **memory);
  **memory = (Memory){*d, data};
  return 0;
}
int dnnl_primitive_attr_create(Attributes** attributes) {
  *attributes = malloc(sizeof **attributes);
  (*attributes)->factor = 1;
  return 0;
}
int dnnl_post_ops_create(Attributes** operations) { return dnnl_primitive_attr_create(operations); }
int dnnl_primitive_attr_set_post_ops(Attributes* attributes, const Attributes* operations) {
  return *attributes = *operations, 0;
}
#if MAJOR == 2
int dnnl_post_ops_append_eltwise(Attributes* operations, float scale, int kind, float alpha,
                                 float beta) {
  if (scale != 1 || kind != 0x7f || beta != 0) abort();
  return operations->factor = alpha, 0;
}
#else
int dnnl_post_ops_append_eltwise(Attributes* operations, int kind, float alpha, float beta) {
  if (kind != 0x26 || beta != 0) abort();
  return operations->factor = alpha, 0;
}
#endif

// ---- What a primitive is: its kind and the descriptors of its arguments ----
static int refused;  // of the operation being described
static void begin(Operation* o, enum Kind kind) {
  memset(o, 0, sizeof *o);
  o->magic = kMagic, o->kind = kind, o->factor = 1, refused = 0;
}
static void slot(Operation* o, int argument, const Descriptor* d) {
  if (d == NULL) return;
  if (o->used == kSlots) abort();
  if (d->type != kF32) refused = kUnimplemented;
  o->slots[o->used].argument = argument;
  o->slots[o->used++].descriptor = *d;
}
static int describe_matmul(Operation* o, const Descriptor* a, const Descriptor* b, const void* bias,
                           const Descriptor* c) {
  if (bias != NULL) abort();
  begin(o, kMatmul);
  slot(o, 1, a), slot(o, 33, b), slot(o, 17, c);
  return refused;
}
static int describe_convolution(Operation* o, int kind, int algorithm, const Descriptor* x,
                                const Descriptor* w, const Descriptor* bias, const Descriptor* y,
                                const int64_t* strides, const int64_t* low, const int64_t* high) {
  if (kind != kInference || algorithm != 1) abort();
  begin(o, kConvolution);
  slot(o, 1, x), slot(o, 33, w), slot(o, 41, bias), slot(o, 17, y);
  memcpy(o->strides, strides, sizeof o->strides);
  memcpy(o->low, low, sizeof o->low);
  for (int i = 0; i < 2; ++i)  // as oneDNN, which takes no other padding
    if ((x->dims[2 + i] + low[i] + high[i] - w->dims[2 + i]) / strides[i] + 1 != y->dims[2 + i])
      return 2;
  return refused;
}
static int describe_rnn(Operation* o, enum Kind kind, int propagation, int direction,
                        const Descriptor* x, const Descriptor* h, const Descriptor* c,
                        const Descriptor* w, const Descriptor* u, const Descriptor* bias,
                        const Descriptor* y, const Descriptor* last_h, const Descriptor* last_c,
                        unsigned flags) {
  if (propagation != kInference || direction != (MAJOR == 2 ? 0 : 1) || flags != 0) abort();
  begin(o, kind);
  slot(o, 1, x), slot(o, 2, h), slot(o, 3, c), slot(o, 33, w), slot(o, 34, u), slot(o, 41, bias);
  slot(o, 17, y), slot(o, 18, last_h), slot(o, 19, last_c);
  return refused;
}
static int describe_softmax(Operation* o, int kind, const Descriptor* x, int axis) {
  if (kind != kInference || axis != x->ndims - 1) abort();
  begin(o, kSoftmax);
  slot(o, 1, x), slot(o, 17, x);
  return refused;
}
static int describe_layer_norm(Operation* o, int kind, const Descriptor* x, const void* statistics,
                               float epsilon, unsigned flags) {
  if (kind != kInference || statistics != NULL || flags != (MAJOR == 2 ? 2 : 6)) abort();
  begin(o, kLayerNorm);
  slot(o, 1, x), slot(o, 17, x);
  o->epsilon = epsilon;
  return refused;
}
static int describe_add_row(Operation* o, int algorithm, const Descriptor* x, const Descriptor* row, const Descriptor* y) {
  if (algorithm != 0x1fff0 || x->ndims != 2 || row->ndims != 2 || row->dims[0] != 1 || row->dims[1] != x->dims[1]) abort();
  begin(o, kAddRow);
  slot(o, 1, x), slot(o, 2, row), slot(o, 17, y);
  return refused;
}

#if MAJOR == 2
int dnnl_binary_desc_init(Operation* o, int algorithm, const Descriptor* x, const Descriptor* row, const Descriptor* y) {
  return describe_add_row(o, algorithm, x, row, y);
}
int dnnl_matmul_desc_init(Operation* o, const Descriptor* a, const Descriptor* b, const void* bias,
                          const Descriptor* c) {
  return describe_matmul(o, a, b, bias, c);
}
int dnnl_convolution_forward_desc_init(Operation* o, int kind, int algorithm, const Descriptor* x,
                                       const Descriptor* w, const Descriptor* bias,
                                       const Descriptor* y, const int64_t* strides,
                                       const int64_t* low, const int64_t* high) {
  return describe_convolution(o, kind, algorithm, x, w, bias, y, strides, low, high);
}
int dnnl_lstm_forward_desc_init(Operation* o, int kind, int direction, const Descriptor* x,
                                const Descriptor* h, const Descriptor* c, const Descriptor* w,
                                const Descriptor* u, const Descriptor* bias, const Descriptor* y,
                                const Descriptor* last_h, const Descriptor* last_c,
                                unsigned flags) {
  return describe_rnn(o, kLstm, kind, direction, x, h, c, w, u, bias, y, last_h, last_c, flags);
}
int dnnl_gru_forward_desc_init(Operation* o, int kind, int direction, const Descriptor* x,
                               const Descriptor* h, const Descriptor* w, const Descriptor* u,
                               const Descriptor* bias, const Descriptor* y,
                               const Descriptor* last_h, unsigned flags) {
  return describe_rnn(o, kGru, kind, direction, x, h, NULL, w, u, bias, y, last_h, NULL, flags);
}
int dnnl_softmax_forward_desc_init(Operation* o, int kind, const Descriptor* x, int axis) {
  return describe_softmax(o, kind, x, axis);
}
int dnnl_layer_normalization_forward_desc_init(Operation* o, int kind, const Descriptor* x,
                                               const void* statistics, float epsilon,
                                               unsigned flags) {
  return describe_layer_norm(o, kind, x, statistics, epsilon, flags);
}
int dnnl_primitive_desc_create(void** description, const Operation* o, const Attributes* attributes,
                               void* engine, const void* hint) {
  if (o->magic != kMagic || engine != &engine_object || hint != NULL) abort();
  Operation* copy = malloc(sizeof *copy);
  *copy = *o;
  if (attributes != NULL) copy->factor = attributes->factor;
  *description = copy;
  return 0;
}
#else
static int finish(void** description, void* engine, const Attributes* attributes, Operation* o,
                  int status) {
  if (engine != &engine_object) abort();
  if (attributes != NULL) o->factor = attributes->factor;
  *description = status == 0 ? o : NULL;
  return status;
}
static Operation* new_operation(void) { return malloc(sizeof(Operation)); }
int dnnl_binary_primitive_desc_create(void** description, void* engine, int algorithm, const Descriptor* x,
                                      const Descriptor* row, const Descriptor* y, const Attributes* attributes) {
  Operation* o = new_operation();
  return finish(description, engine, attributes, o, describe_add_row(o, algorithm, x, row, y));
}
int dnnl_matmul_primitive_desc_create(void** description, void* engine, const Descriptor* a,
                                      const Descriptor* b, const void* bias, const Descriptor* c,
                                      const Attributes* attributes) {
  Operation* o = new_operation();
  return finish(description, engine, attributes, o, describe_matmul(o, a, b, bias, c));
}
int dnnl_convolution_forward_primitive_desc_create(
    void** description, void* engine, int kind, int algorithm, const Descriptor* x,
    const Descriptor* w, const Descriptor* bias, const Descriptor* y, const int64_t* strides,
    const int64_t* dilates, const int64_t* low, const int64_t* high, const Attributes* attributes) {
  Operation* o = new_operation();
  if (dilates[0] != 0 || dilates[1] != 0) abort();
  return finish(description, engine, attributes, o,
                describe_convolution(o, kind, algorithm, x, w, bias, y, strides, low, high));
}
int dnnl_lstm_forward_primitive_desc_create(void** description, void* engine, int kind,
                                            int direction, const Descriptor* x, const Descriptor* h,
                                            const Descriptor* c, const Descriptor* w,
                                            const Descriptor* u, const void* peephole,
                                            const void* projection, const Descriptor* bias,
                                            const Descriptor* y, const Descriptor* last_h,
                                            const Descriptor* last_c, unsigned flags,
                                            const Attributes* attributes) {
  Operation* o = new_operation();
  if (peephole != NULL || projection != NULL) abort();
  return finish(
      description, engine, attributes, o,
      describe_rnn(o, kLstm, kind, direction, x, h, c, w, u, bias, y, last_h, last_c, flags));
}
int dnnl_gru_forward_primitive_desc_create(void** description, void* engine, int kind,
                                           int direction, const Descriptor* x, const Descriptor* h,
                                           const Descriptor* w, const Descriptor* u,
                                           const Descriptor* bias, const Descriptor* y,
                                           const Descriptor* last_h, unsigned flags,
                                           const Attributes* attributes) {
  Operation* o = new_operation();
  return finish(
      description, engine, attributes, o,
      describe_rnn(o, kGru, kind, direction, x, h, NULL, w, u, bias, y, last_h, NULL, flags));
}
int dnnl_softmax_forward_primitive_desc_create(void** description, void* engine, int kind,
                                               int algorithm, const Descriptor* x,
                                               const Descriptor* y, int axis,
                                               const Attributes* attributes) {
  Operation* o = new_operation();
  if (algorithm != 0x30000 || y->ndims != x->ndims) abort();
  return finish(description, engine, attributes, o, describe_softmax(o, kind, x, axis));
}
int dnnl_layer_normalization_forward_primitive_desc_create(
    void** description, void* engine, int kind, const Descriptor* x, const Descriptor* y,
    const void* statistics, float epsilon, unsigned flags, const Attributes* attributes) {
  Operation* o = new_operation();
  if (y->ndims != x->ndims) abort();
  return finish(description, engine, attributes, o,
                describe_layer_norm(o, kind, x, statistics, epsilon, flags));
}
#endif
int dnnl_reorder_primitive_desc_create(void** description, const Descriptor* from, void* engine,
                                       const Descriptor* to, void* other, const void* attributes) {
  if (engine != &engine_object || other != engine || attributes != NULL) abort();
  Operation* o = malloc(sizeof *o);
  begin(o, kReorder);
  slot(o, 1, from), slot(o, 17, to);
  *description = o;
  return refused;
}

int dnnl_primitive_create(void** primitive, void* description) {
  *primitive = description;
  return 0;
}
int dnnl_primitive_desc_query(void* description, int what, int index, void* result) {
  if (description == NULL || what != 8 || index != 0) abort();
  *(const char**)result = "fake:loops";
  return 0;
}
const Descriptor* dnnl_primitive_desc_query_md(Operation* o, int what, int index) {
  if (o->magic != kMagic || what != 255) abort();
  for (int i = 0; i < o->used; ++i)
    if (o->slots[i].argument == index) return &o->slots[i].descriptor;
  abort();
}

// ---- Execution ----
static const Memory* given(const Argument* arguments, int count, int index) {
  for (int i = 0; i < count; ++i)
    if (arguments[i].index == index) return arguments[i].memory;
  return NULL;
}
int dnnl_primitive_execute(const Operation* o, void* stream, int count, const Argument* arguments) {
  if (o->magic != kMagic || stream != &stream_object) abort();
  const Memory* m[64] = {NULL};
  for (int i = 1; i < 64; ++i) m[i] = given(arguments, count, i);
  for (int i = 0; i < o->used; ++i) {  // every operand there, and in the layout agreed
    const Descriptor* d = &o->slots[i].descriptor;
    const Memory* memory = m[o->slots[i].argument];
    if (memory == NULL || memcmp(memory->descriptor.dims, d->dims, sizeof d->dims) != 0 ||
        memcmp(memory->descriptor.strides, d->strides, sizeof d->strides) != 0)
      abort();
  }
  const RnnOperands rnn = {m[1], m[2], m[3], m[33], m[34], m[41], m[17], m[18], m[19]};
  switch (o->kind) {
    case kMatmul:
      return matmul(m[1], m[33], m[17], o->factor), 0;
    case kConvolution:
      return convolve(m[1], m[33], m[41], m[17], o->strides, o->low), 0;
    case kLstm:
    case kGru:
      return recurrent(&rnn, o->kind == kLstm), 0;
    case kSoftmax:
      return softmax(m[1], m[17]), 0;
    case kLayerNorm:
      if (MAJOR == 2)
        layer_norm(m[1], m[33]->data, m[33]->data + m[33]->descriptor.dims[1], m[17], o->epsilon);
      else
        layer_norm(m[1], m[51]->data, m[52]->data, m[17], o->epsilon);
      return 0;
    case kAddRow:
      return add_row(m[1], m[2], m[17]), 0;
    case kReorder:
      return reorder(m[1], m[17]), 0;
  }
  return 2;
}
