// The part of oneDNN's C interface that stackx-pi uses, in the manner of version MAJOR:
// caller-provided structs passed by address in 2, opaque objects in 3. float32 only; wrong use ends
// the process.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
} Version;
typedef struct {
  int ndims;
  int64_t dims[12], strides[12];
  int type;
} Descriptor;
typedef struct {
  int magic;
  Descriptor source, weights, destination;
} Operation;
typedef struct {
  Descriptor descriptor;
  float* data;
} Memory;
typedef struct {
  int index;
  Memory* memory;
} Argument;
enum { kMagic = 0x5eed, kF32 = 3, kUnimplemented = 3 };

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

static void fill(Descriptor* d, int ndims, const int64_t* dims, int type, const int64_t* strides) {
  if (ndims != 2) abort();
  d->ndims = ndims;
  memcpy(d->dims, dims, sizeof d->dims);
  memcpy(d->strides, strides, sizeof d->strides);
  d->type = type;
}
static int describe(Operation* o, const Descriptor* source, const Descriptor* weights,
                    const void* bias, const Descriptor* destination) {
  if (bias != NULL) abort();
  *o = (Operation){kMagic, *source, *weights, *destination};
  return source->type == kF32 && weights->type == kF32 && destination->type == kF32
             ? 0
             : kUnimplemented;
}

#if MAJOR == 2
int dnnl_memory_desc_init_by_strides(Descriptor* d, int ndims, const int64_t* dims, int type,
                                     const int64_t* strides) {
  fill(d, ndims, dims, type, strides);
  return 0;
}
int dnnl_matmul_desc_init(Operation* o, const Descriptor* s, const Descriptor* w, const void* bias,
                          const Descriptor* d) {
  return describe(o, s, w, bias, d);
}
int dnnl_primitive_desc_create(void** description, const Operation* o, const void* attributes,
                               void* engine, const void* hint) {
  if (o->magic != kMagic || attributes != NULL || engine != &engine_object || hint != NULL) abort();
  Operation* copy = malloc(sizeof *copy);
  *copy = *o;
  *description = copy;
  return 0;
}
#else
int dnnl_memory_desc_create_with_strides(Descriptor** d, int ndims, const int64_t* dims, int type,
                                         const int64_t* strides) {
  *d = malloc(sizeof **d);
  fill(*d, ndims, dims, type, strides);
  return 0;
}
int dnnl_matmul_primitive_desc_create(void** description, void* engine, const Descriptor* s,
                                      const Descriptor* w, const void* bias, const Descriptor* d,
                                      const void* attributes) {
  if (engine != &engine_object || attributes != NULL) abort();
  Operation* o = malloc(sizeof *o);
  *description = o;
  return describe(o, s, w, bias, d);
}
#endif

int dnnl_primitive_create(void** primitive, void* description) {
  *primitive = description;
  return 0;
}
int dnnl_primitive_desc_query(void* description, int what, int index, void* result) {
  if (description == NULL || what != 8 || index != 0) abort();
  *(const char**)result = "fake:loops";
  return 0;
}
int dnnl_memory_create(Memory** memory, const Descriptor* d, void* engine, void* data) {
  if (engine != &engine_object) abort();
  *memory = malloc(sizeof **memory);
  **memory = (Memory){*d, data};
  return 0;
}
static float* element(const Memory* m, int64_t i, int64_t j) {
  return m->data + i * m->descriptor.strides[0] + j * m->descriptor.strides[1];
}
int dnnl_primitive_execute(const Operation* o, void* stream, int count, const Argument* arguments) {
  if (o->magic != kMagic || stream != &stream_object || count != 3) abort();
  if (arguments[0].index != 1 || arguments[1].index != 33 || arguments[2].index != 17) abort();
  const Memory *a = arguments[0].memory, *b = arguments[1].memory, *c = arguments[2].memory;
  for (int64_t i = 0; i < c->descriptor.dims[0]; ++i)
    for (int64_t j = 0; j < c->descriptor.dims[1]; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < a->descriptor.dims[1]; ++p)
        sum += *element(a, i, p) * *element(b, p, j);
      *element(c, i, j) = sum;
    }
  return 0;
}
