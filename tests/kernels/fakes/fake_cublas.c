// The part of cuBLAS (with LT: of cuBLASLt) that stackx-pi uses, as version VERSION has it, on
// memory that the host can read. Right, or wrong in the way that WRONG says; wrong use ends the
// process, unless the real library has a status for it.
//
//   FAKE_CUBLAS_CREATE, FAKE_CUBLAS_PRODUCT   what making a handle returns, and a product [0]
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fake_bfloat16.h"

enum { kRight, kHalfSum, kTransposed, kBeta, kTf32, kStale, kShort, kFirstFactor, kNoFactor, kCut };
#ifndef WRONG
#define WRONG kRight
#endif

enum { kSuccess = 0, kInvalidValue = 7, kNotSupported = 15 };
enum { kF32 = 0, kF64 = 1, kF16 = 2, kS8 = 3, kS32 = 10, kBf16 = 14, kE4m3 = 28 };
static const int kEleven = 110000;

static int status_of(const char* name) {
  const char* value = getenv(name);
  return value == NULL ? kSuccess : atoi(value);
}

static double rounded(double value, int digits) {
  int exponent;
  const double fraction = frexp(value, &exponent);
  return ldexp(nearbyint(ldexp(fraction, digits)), exponent - digits);
}
static double cut(double value, int digits) {
  int exponent;
  const double fraction = frexp(value, &exponent);
  return ldexp(trunc(ldexp(fraction, digits)), exponent - digits);
}
static double at(const void* values, int type, size_t i) {
  if (type == kF32) return ((const float*)values)[i];
  if (type == kF64) return ((const double*)values)[i];
  if (type == kF16) return (double)((const _Float16*)values)[i];
  if (type == kS8) return ((const int8_t*)values)[i];
  if (type == kBf16) return from_bfloat16(((const uint16_t*)values)[i]);
  if (type != kE4m3) abort();
  const uint8_t bits = ((const uint8_t*)values)[i];
  const int exponent = bits >> 3 & 15, fraction = bits & 7;
  const double value = exponent == 0 ? ldexp(fraction, -9) : ldexp(8 + fraction, exponent - 10);
  return bits & 0x80 ? -value : value;
}
static double before(const void* values, int type, size_t i) {
  return type == kS32 ? ((const int32_t*)values)[i] : at(values, type, i);
}
static void put(void* values, int type, size_t i, double value) {
  if (WRONG == kCut && (type == kF16 || type == kBf16)) value = cut(value, type == kF16 ? 11 : 8);
  if (type == kF32) ((float*)values)[i] = (float)value;
  else if (type == kF64) ((double*)values)[i] = value;
  else if (type == kF16) ((_Float16*)values)[i] = (_Float16)value;
  else if (type == kS32) ((int32_t*)values)[i] = (int32_t)value;
  else if (type == kBf16) ((uint16_t*)values)[i] = to_bfloat16((float)value);
  else abort();
}

// Whether there is a product of operands of type `a` with results of type `c`.
static int exists(int a, int c) {
  if (a == kS8) return c == kS32;
  if (a == kE4m3) return c == kBf16 || c == kF16 || c == kF32;
  return c == a || (c == kF32 && (a == kF16 || a == kBf16));
}

static double factor = 1;
// Column-major: C (m x n) = factor * op(A) * B; `tf32` as asked for.
static void gemm(int transpose_a, int m, int n, int k, const void* a, int type_a, int lda,
                 const void* b, int type_b, int ldb, void* c, int type_c, int ldc, int tf32) {
  if (WRONG == kStale) return;
  if (WRONG == kTf32 && type_a == kF32) tf32 = 1;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      const size_t to = i + (size_t)j * ldc;
      double sum = WRONG == kBeta ? before(c, type_c, to) : 0;
      for (int p = 0; p < (WRONG == kShort ? k - 1 : k); ++p) {
        const int exchanged = WRONG == kTransposed ? !transpose_a : transpose_a;
        double x = at(a, type_a, exchanged ? p + (size_t)i * lda : i + (size_t)p * lda);
        double y = at(b, type_b, p + (size_t)j * ldb);
        if (tf32) x = rounded(x, 11), y = rounded(y, 11);
        sum += x * y;
        if (WRONG == kHalfSum) sum = rounded(sum, 11);
      }
      put(c, type_c, to, factor * sum);
    }
}

#ifndef LT
static int part(int i) {
  if (VERSION < kEleven) return i == 0 ? VERSION / 1000 : i == 1 ? VERSION / 100 % 10 : VERSION % 100;
  return i == 0 ? VERSION / 10000 : i == 1 ? VERSION / 100 % 100 : VERSION % 100;
}
int cublasGetProperty(int property, int* value) {
  *value = part(property);
  return kSuccess;
}
static struct {
  void* stream;
  int mode;
} context;
int cublasCreate_v2(void** handle) {
  *handle = &context;
  return status_of("FAKE_CUBLAS_CREATE");
}
int cublasDestroy_v2(void* handle) { return handle == &context ? kSuccess : kInvalidValue; }
int cublasSetStream_v2(void* handle, void* stream) {
  if (handle != &context) abort();
  context.stream = stream;
  return kSuccess;
}
int cublasSetMathMode(void* handle, int mode) {
  if (handle != &context) abort();
  context.mode = mode;
  return kSuccess;
}
static void expect(void* handle, int ta, int tb) {
  if (handle != &context || context.stream == NULL || ta != 0 || tb != 0) abort();
}
int cublasSgemm_v2(void* handle, int ta, int tb, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                   int ldc) {
  expect(handle, ta, tb);
  if (*alpha != 1 || *beta != 0) abort();
  gemm(0, m, n, k, a, kF32, lda, b, kF32, ldb, c, kF32, ldc, 0);
  return status_of("FAKE_CUBLAS_PRODUCT");
}
int cublasDgemm_v2(void* handle, int ta, int tb, int m, int n, int k, const double* alpha,
                   const double* a, int lda, const double* b, int ldb, const double* beta,
                   double* c, int ldc) {
  expect(handle, ta, tb);
  if (*alpha != 1 || *beta != 0) abort();
  gemm(0, m, n, k, a, kF64, lda, b, kF64, ldb, c, kF64, ldc, 0);
  return kSuccess;
}
int cublasGemmEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
                 const void* beta, void* c, int type_c, int ldc, int compute, int algorithm) {
  expect(handle, ta, tb);
  // Each version knows one of the two enumerations of types to compute in.
  if (VERSION < kEleven ? compute > 28 : compute < 64) return kInvalidValue;
  if (VERSION < kEleven && (type_a == kBf16 || algorithm != 99)) return kNotSupported;
  // float16 on tensor cores: asked for before 11, and from then on with sums in float; C in bfloat16, too.
  if ((type_a == kF16 || type_c == kBf16) && context.mode != (VERSION < kEleven ? 1 : 16)) abort();
  if (type_c == kS32 ? *(const int*)alpha != 1 || *(const int*)beta != 0
                     : *(const float*)alpha != 1 || *(const float*)beta != 0)
    abort();
  if (!exists(type_a, type_c)) return kNotSupported;
  if (type_a == kS8 && (lda % 4 != 0 || ldb % 4 != 0)) return kNotSupported;
  gemm(0, m, n, k, a, type_a, lda, b, type_b, ldb, c, type_c, ldc, compute == 77);
  return kSuccess;
}
int cublasGemmStridedBatchedEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha,
                               const char* a, int type_a, int lda, long long stride_a, const char* b, int type_b,
                               int ldb, long long stride_b, const void* beta, char* c, int type_c, int ldc,
                               long long stride_c, int batch, int compute, int algorithm) {
  expect(handle, 0, tb);
  if (VERSION < kEleven ? compute > 28 : compute < 64) return kInvalidValue;
  if (VERSION < kEleven && (type_a == kBf16 || algorithm != 99)) return kNotSupported;
  if ((type_a == kF16 || type_c == kBf16) && context.mode != (VERSION < kEleven ? 1 : 16)) abort();
  if (*(const float*)beta != 0 || type_a == kF64 || type_a == kS8) abort();
  const size_t size = type_a == kF32 ? 4 : 2, size_c = type_c == kF32 ? 4 : 2;
  factor = WRONG == kNoFactor ? 1 : *(const float*)alpha;
  for (int i = 0; i < batch; ++i)
    gemm(ta, m, n, k, a + (WRONG == kFirstFactor ? 0 : i * stride_a) * size, type_a, lda, b + i * stride_b * size, type_b,
         ldb, c + i * stride_c * size_c, type_c, ldc, compute == 77);
  factor = 1;
  return kSuccess;
}

#else
double fake_milliseconds = 0;  // what the calls so far would have taken

typedef struct {
  int compute, scale, transpose_a;
  const float *scale_a, *scale_b;
} Description;
typedef struct {
  int type;
  uint64_t rows, columns;
  int64_t stride;
} Layout;
typedef struct {
  uint64_t workspace;
  uint32_t reductions;
} Preference;
typedef struct {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
} Result;

static int context;
size_t cublasLtGetVersion(void) { return VERSION; }
int cublasLtCreate(void** handle) {
  *handle = &context;
  return status_of("FAKE_CUBLAS_CREATE");
}
int cublasLtDestroy(void* handle) { return handle == &context ? kSuccess : kInvalidValue; }
int cublasLtMatmulDescCreate(void** descriptor, int compute, int scale) {
  if (VERSION < kEleven ? compute > 28 : compute < 64) return kInvalidValue;
  Description* d = calloc(1, sizeof *d);
  d->compute = compute;
  d->scale = VERSION < kEleven ? compute : scale;
  *descriptor = d;
  return kSuccess;
}
int cublasLtMatmulDescDestroy(void* descriptor) {
  free(descriptor);
  return kSuccess;
}
int cublasLtMatmulDescSetAttribute(Description* d, int attribute, const void* value, size_t bytes) {
  if (attribute == 3 && bytes == 4) d->transpose_a = *(const int32_t*)value;
  else if (attribute == 17 && bytes == 8) d->scale_a = *(const float* const*)value;
  else if (attribute == 18 && bytes == 8) d->scale_b = *(const float* const*)value;
  else return kInvalidValue;
  return kSuccess;
}
int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t columns,
                               int64_t stride) {
  Layout* l = malloc(sizeof *l);
  *l = (Layout){type, rows, columns, stride};
  *layout = l;
  return kSuccess;
}
int cublasLtMatrixLayoutDestroy(void* layout) {
  free(layout);
  return kSuccess;
}
int cublasLtMatmulPreferenceCreate(void** preference) {
  *preference = calloc(1, sizeof(Preference));
  return kSuccess;
}
int cublasLtMatmulPreferenceDestroy(void* preference) {
  free(preference);
  return kSuccess;
}
int cublasLtMatmulPreferenceSetAttribute(Preference* p, int attribute, const void* value,
                                         size_t bytes) {
  if (attribute == 1 && bytes == 8) p->workspace = *(const uint64_t*)value;
  else if (attribute == 3 && bytes == 4) p->reductions = *(const uint32_t*)value;
  else return kInvalidValue;
  return kSuccess;
}
// Three algorithms: 10 takes 5 ms, 20 is promised but does not run, 30 takes 1 ms.
int cublasLtMatmulAlgoGetHeuristic(void* handle, Description* d, Layout* a, Layout* b, Layout* c,
                                   Layout* out, Preference* p, int wanted, Result* results,
                                   int* found) {
  if (handle != &context || c != out || b->columns != c->columns) abort();
  *found = 0;
  const int8_t fp8 = a->type == kE4m3;
  if (fp8 && (!d->transpose_a || d->scale_a == NULL || *d->scale_a != 1 || *d->scale_b != 1))
    return kInvalidValue;
  if (fp8 && (a->stride % 16 != 0 || c->stride % 16 != 0)) return kNotSupported;
  if (!exists(a->type, c->type)) return kNotSupported;
  if ((c->type == kF16 || c->type == kBf16) && p->reductions != 2) abort();
  for (int i = 0; i < wanted && i < 3; ++i) {
    memset(&results[i], 0, sizeof results[i]);
    results[i].algorithm[0] = 10 * (i + 1);
    results[i].workspace = p->workspace;
    ++*found;
  }
  return kSuccess;
}
int cublasLtMatmulAlgoConfigGetAttribute(const uint64_t* algorithm, int attribute, void* value,
                                         size_t bytes, size_t* written) {
  if (bytes != 4) return kInvalidValue;
  *(uint32_t*)value = attribute == 0 ? (uint32_t)algorithm[0] : (uint32_t)attribute;
  *written = 4;
  return kSuccess;
}
int cublasLtMatmul(void* handle, Description* d, const void* alpha, const void* a, Layout* la,
                   const void* b, Layout* lb, const void* beta, const void* c, Layout* lc, void* out,
                   Layout* lout, const uint64_t* algorithm, void* workspace, size_t bytes,
                   void* stream) {
  if (handle != &context || c != out || lc != lout || stream == NULL) abort();
  if (bytes > 0 && workspace == NULL) abort();
  const int one = d->scale == kF64   ? *(const double*)alpha == 1 && *(const double*)beta == 0
                  : d->scale == kS32 ? *(const int*)alpha == 1 && *(const int*)beta == 0
                                     : *(const float*)alpha == 1 && *(const float*)beta == 0;
  if (!one) abort();
  const uint64_t m = d->transpose_a ? la->columns : la->rows;
  const uint64_t k = d->transpose_a ? la->rows : la->columns;
  if (lb->rows != k || lc->rows != m || lc->columns != lb->columns) return kInvalidValue;
  if (*algorithm == 20) return kNotSupported;
  fake_milliseconds += *algorithm == 10 ? 5 : 1;
  gemm(d->transpose_a, (int)m, (int)lc->columns, (int)k, a, la->type, (int)la->stride, b, lb->type,
       (int)lb->stride, out, lc->type, (int)lc->stride, d->compute == 77);
  return status_of("FAKE_CUBLAS_PRODUCT");
}
#endif
