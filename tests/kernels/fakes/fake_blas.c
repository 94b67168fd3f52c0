// A small BLAS: right, or wrong in the way that WRONG says; its names, integers and claims are
// definitions.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef INT
#define INT int32_t
#endif
#ifndef PREFIX
#define PREFIX
#endif
#ifndef SUFFIX
#define SUFFIX
#endif
#ifndef WRONG
#define WRONG 0
#endif
#define JOIN3(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN3(a, b, c)
#define NAME(function) JOIN(PREFIX, function, SUFFIX)

enum { kRight, kTransposed, kUntouched, kZeros, kElement, kShort, kAccumulates, kHalf, kCrash, kUnsteady, kFiveUlps };

static int calls = 0, wrong_call = 0;  // NTH: of the call of that number alone the last product is left out

#ifdef NEEDS_PARTNER
int stackx_fake_nothing(void);
#endif

static double rounded_to_half(double x) {
  int exponent;
  const double fraction = frexp(x, &exponent);
  return ldexp(nearbyint(ldexp(fraction, 11)), exponent - 11);
}

// Element (i, j) of the product as this library has it; `before` is what C held.
static double entry(INT i, INT j, INT n, INT k, const void* a, INT lda, const void* b, INT ldb, int transposed_b,
                    double before, double (*at)(const void*, INT)) {
  if (WRONG == kZeros) return 0;
  double sum = WRONG == kAccumulates ? before : 0;
  for (INT p = 0; p < (WRONG == kShort || wrong_call ? k - 1 : k); ++p)
    sum += at(a, i * lda + p) * at(b, (WRONG == kTransposed) != transposed_b ? j * ldb + p : p * ldb + j);
  if (WRONG == kUnsteady && i == 0 && j == 0 && calls % 2 == 0) sum *= 1 + 0x1p-22;
  if (WRONG == kFiveUlps && i == 1 && j == 1) {
    float off = (float)sum;
    for (int ulp = 0; ulp < 5; ++ulp) off = nextafterf(off, 2 * off);
    return off;
  }
  if (WRONG == kElement && i == n / 2 && j == n / 3) sum += 0.25;
  return WRONG == kHalf ? rounded_to_half(sum) : sum;
}

static double at_float(const void* values, INT i) { return ((const float*)values)[i]; }
static double at_double(const void* values, INT i) { return ((const double*)values)[i]; }

// beta is taken for 0: it is all that stackx-pi asks for.
#define DEFINE_GEMM(name, T, at)                                                                 \
  static void name(INT m, INT n, INT k, T alpha, const T* a, INT lda, const T* b, INT ldb, T* c, \
                   INT ldc, int transposed_b) {                                                  \
    if (WRONG == kCrash) abort();                                                                \
    if (WRONG == kUntouched) return;                                                             \
    before_product();                                                                            \
    for (INT i = 0; i < m; ++i)                                                                  \
      for (INT j = 0; j < n; ++j)                                                                \
        c[i * ldc + j] =                                                                         \
            (T)(alpha * entry(i, j, n, k, a, lda, b, ldb, transposed_b, c[i * ldc + j], at));    \
  }                                                                                              \
  struct swallow_semicolon

static void before_product(void) {
  ++calls;
#ifdef NTH
  const char* nth = getenv("STACKX_FAKE_WRONG_CALL");
  wrong_call = nth != NULL && atoi(nth) == calls;
#endif
#ifdef CHATTY
  puts("a library that prints to stdout");
#endif
#ifdef SLOW
  usleep(30000);
#endif
#ifdef NEEDS_PARTNER
  if (stackx_fake_nothing() != 42) abort();
#endif
}

DEFINE_GEMM(sgemm, float, at_float);
DEFINE_GEMM(dgemm, double, at_double);

#ifndef FORTRAN_ONLY
void NAME(cblas_sgemm)(int layout, int ta, int tb, INT m, INT n, INT k, float alpha, const float* a,
                       INT lda, const float* b, INT ldb, float beta, float* c, INT ldc) {
  if (layout != 101 || ta != 111 || (tb != 111 && tb != 112) || beta != 0) abort();
  sgemm(m, n, k, alpha, a, lda, b, ldb, c, ldc, tb == 112);
}
void NAME(cblas_dgemm)(int layout, int ta, int tb, INT m, INT n, INT k, double alpha,
                       const double* a, INT lda, const double* b, INT ldb, double beta, double* c,
                       INT ldc) {
  if (layout != 101 || ta != 111 || (tb != 111 && tb != 112) || beta != 0) abort();
  dgemm(m, n, k, alpha, a, lda, b, ldb, c, ldc, tb == 112);
}
#ifdef BATCH
void NAME(cblas_sgemm_batch_strided)(int layout, int ta, int tb, INT m, INT n, INT k, float alpha,
                                     const float* a, INT lda, INT stride_a, const float* b, INT ldb,
                                     INT stride_b, float beta, float* c, INT ldc, INT stride_c,
                                     INT batch) {
  for (INT i = 0; i < batch; ++i)
    NAME(cblas_sgemm)(layout, ta, tb, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb,
                      beta, c + i * stride_c, ldc);
}
#endif
#else
// Column-major: what is row-major here is the product of the transposed, in the other order.
void sgemm_(const char* ta, const char* tb, const INT* m, const INT* n, const INT* k,
            const float* alpha, const float* a, const INT* lda, const float* b, const INT* ldb,
            const float* beta, float* c, const INT* ldc) {
  if ((*ta != 'N' && *ta != 'T') || *tb != 'N' || *beta != 0) abort();
  sgemm(*n, *m, *k, *alpha, b, *ldb, a, *lda, c, *ldc, *ta == 'T');
}
void dgemm_(const char* ta, const char* tb, const INT* m, const INT* n, const INT* k,
            const double* alpha, const double* a, const INT* lda, const double* b, const INT* ldb,
            const double* beta, double* c, const INT* ldc) {
  if ((*ta != 'N' && *ta != 'T') || *tb != 'N' || *beta != 0) abort();
  dgemm(*n, *m, *k, *alpha, b, *ldb, a, *lda, c, *ldc, *ta == 'T');
}
#endif

#ifdef CONFIG
static int threads = 8;
char* NAME(openblas_get_config)(void) { return (char*)CONFIG; }
char* NAME(openblas_get_corename)(void) { return (char*)"Fake"; }
int NAME(openblas_get_parallel)(void) { return 1; }
int NAME(openblas_get_num_threads)(void) { return threads; }
void NAME(openblas_set_num_threads)(int count) {
#ifdef ONE_THREAD
  count = 1;
#endif
  threads = count;
}
#endif
