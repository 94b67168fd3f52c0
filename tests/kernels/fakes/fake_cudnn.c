// A cuDNN 7, 8 or 9 (-DMAJOR=...) that convolves on the host, on the "device" memory of the fake
// runtime, which is the host's. It refuses what the real one refuses: a handle without stream, a
// workspace that is too small, descriptors that do not fit each other. From 8 on its default math
// for float is TF32: factors rounded to 11 bits.
//
//   -DWRONG=1  a convolution in the mathematical sense: filters flipped
//   -DWRONG=2  the stride is ignored: neighbouring positions instead
//   -DWRONG=3  padding ignored
//   -DWRONG=4  the last input channel is left out
//   -DWRONG=5  nothing is written
//   -DWRONG=6  float16 sums rounded at every step
//   -DWRONG=7  NHWC is taken for NCHW
//   -DWRONG=8  TF32 whatever the math type
//   -DWRONG=9  softmax over N instead of C
//   -DWRONG=10 a tensor is added to the first N alone
//   -DFAST_ONLY  knows Winograd alone
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fake_bfloat16.h"

#ifndef WRONG
#define WRONG 0
#endif

enum { NCHW, NHWC };
enum { FLOAT, DOUBLE, HALF, BFLOAT16 = 9 };
enum { DEFAULT_MATH, TENSOR_OP, CONVERTING, FMA };
enum { IMPLICIT_GEMM, PRECOMPUTED, GEMM, WINOGRAD = 6 };
enum { OK = 0, BAD_PARAM = MAJOR < 9 ? 3 : 2000, NOT_SUPPORTED = MAJOR < 9 ? 9 : 3000 };
enum { WORKSPACE = 1 << 16 };

typedef struct { int format, type, n, c, h, w; } Tensor;
typedef struct { int pad_h, pad_w, stride_h, stride_w, mode, compute, math; } Convolution;
typedef struct { void *stream; } Handle;
typedef struct {
  int algorithm, status;
  float ms;
  size_t memory;
  int determinism, math, reserved[3];
} Found;

size_t cudnnGetVersion(void) { return MAJOR == 7 ? 7605 : MAJOR == 8 ? 8907 : 91002; }
size_t cudnnGetCudartVersion(void) { return MAJOR == 7 ? 10020 : MAJOR == 8 ? 12020 : 12090; }
const char *cudnnGetErrorString(int status) {
  return status == OK ? "CUDNN_STATUS_SUCCESS"
                      : status == BAD_PARAM ? "CUDNN_STATUS_BAD_PARAM" : "CUDNN_STATUS_NOT_SUPPORTED";
}
static int make(void **object, size_t bytes) { return (*object = calloc(1, bytes)) ? OK : 2; }
static int drop(void *object) { free(object); return OK; }
int cudnnCreate(void **handle) { return make(handle, sizeof(Handle)); }
int cudnnDestroy(void *handle) { return drop(handle); }
int cudnnSetStream(void *handle, void *stream) { ((Handle *)handle)->stream = stream; return OK; }
int cudnnCreateTensorDescriptor(void **tensor) { return make(tensor, sizeof(Tensor)); }
int cudnnDestroyTensorDescriptor(void *tensor) { return drop(tensor); }
int cudnnCreateFilterDescriptor(void **filter) { return make(filter, sizeof(Tensor)); }
int cudnnDestroyFilterDescriptor(void *filter) { return drop(filter); }
int cudnnCreateConvolutionDescriptor(void **c) { return make(c, sizeof(Convolution)); }
int cudnnDestroyConvolutionDescriptor(void *c) { return drop(c); }

int cudnnSetTensor4dDescriptor(void *tensor, int format, int type, int n, int c, int h, int w) {
  if (n < 1 || c < 1 || h < 1 || w < 1 || (type == BFLOAT16 && MAJOR < 8)) return BAD_PARAM;
  *(Tensor *)tensor = (Tensor){format, type, n, c, h, w};
  return OK;
}
int cudnnSetFilter4dDescriptor(void *filter, int type, int format, int k, int c, int h, int w) {
  return cudnnSetTensor4dDescriptor(filter, format, type, k, c, h, w);
}
int cudnnSetConvolution2dDescriptor(void *c, int pad_h, int pad_w, int u, int v, int dilation_h,
                                    int dilation_w, int mode, int compute) {
  if (dilation_h != 1 || dilation_w != 1) return NOT_SUPPORTED;
  *(Convolution *)c = (Convolution){pad_h, pad_w, u, v, mode, compute, DEFAULT_MATH};
  return OK;
}
int cudnnSetConvolutionMathType(void *c, int math) {
  if (math == FMA && MAJOR < 8) return BAD_PARAM;
  ((Convolution *)c)->math = math;
  return OK;
}
int cudnnGetConvolution2dForwardOutputDim(void *convolution, void *x_type, void *w_type, int *n,
                                          int *c, int *h, int *width) {
  const Convolution *o = convolution;
  const Tensor *x = x_type, *w = w_type;
  if (x->c != w->c || x->type != w->type) return BAD_PARAM;
  *n = x->n, *c = w->n;
  *h = (x->h + 2 * o->pad_h - w->h) / o->stride_h + 1;
  *width = (x->w + 2 * o->pad_w - w->w) / o->stride_w + 1;
  return OK;
}
int cudnnGetConvolutionForwardWorkspaceSize(void *handle, void *x, void *w, void *convolution,
                                            void *y, int algorithm, size_t *bytes) {
  (void)handle, (void)x, (void)w, (void)convolution, (void)y;
  if (algorithm != IMPLICIT_GEMM && algorithm != PRECOMPUTED && algorithm != GEMM &&
      algorithm != WINOGRAD)
    return NOT_SUPPORTED;
  *bytes = algorithm == IMPLICIT_GEMM ? 0 : WORKSPACE;
  return OK;
}

// Heuristics put Winograd first, then one that does not run for float, then the GEMMs.
static int list(const int *order, int count, size_t most, int wanted, int *found, Found *results,
                const Convolution *o) {
  int n = 0;
  for (int i = 0; i < count && n < wanted; ++i) {
#ifdef FAST_ONLY
    if (order[i] != WINOGRAD) continue;
#endif
    const size_t memory = order[i] == IMPLICIT_GEMM ? 0 : WORKSPACE;
    results[n] = (Found){order[i], OK, 0.5f + (float)i, memory, 1, o->math, {0}};
    if (order[i] == 5 || memory > most) results[n].status = NOT_SUPPORTED;
    ++n;
  }
  *found = n;
  return OK;
}
int cudnnGetConvolutionForwardAlgorithm_v7(void *handle, void *x, void *w, void *convolution,
                                           void *y, int wanted, int *found, void *results) {
  const int order[] = {WINOGRAD, 5, 3, PRECOMPUTED, IMPLICIT_GEMM, GEMM};
  (void)handle, (void)x, (void)w, (void)y;
  return list(order, 6, ~(size_t)0, wanted, found, results, convolution);
}
int cudnnFindConvolutionForwardAlgorithmEx(void *handle, void *x_type, const void *x, void *w_type,
                                           const void *w, void *convolution, void *y_type, void *y,
                                           int wanted, int *found, void *results, void *workspace,
                                           size_t bytes) {
  const int order[] = {GEMM, WINOGRAD, PRECOMPUTED, IMPLICIT_GEMM, 5};
  (void)handle, (void)x_type, (void)w_type, (void)x, (void)w, (void)y_type, (void)y;
  if (bytes > 0 && workspace == NULL) return BAD_PARAM;
  return list(order, 5, bytes, wanted, found, results, convolution);
}

static size_t at(const Tensor *t, int n, int c, int h, int w) {
#if WRONG == 7
  const int nchw = 1;
#else
  const int nchw = t->format == NCHW;
#endif
  return nchw ? (((size_t)n * t->c + c) * t->h + h) * t->w + w
              : (((size_t)n * t->h + h) * t->w + w) * t->c + c;
}
static double get(const Tensor *t, const void *data, size_t i) {
  if (t->type == BFLOAT16) return from_bfloat16(((const uint16_t *)data)[i]);
  return t->type == DOUBLE ? ((const double *)data)[i]
         : t->type == HALF ? (double)((const _Float16 *)data)[i]
                           : (double)((const float *)data)[i];
}
static void put(const Tensor *t, void *data, size_t i, double value) {
  if (t->type == DOUBLE) ((double *)data)[i] = value;
  else if (t->type == HALF) ((_Float16 *)data)[i] = (_Float16)value;
  else if (t->type == BFLOAT16) ((uint16_t *)data)[i] = to_bfloat16((float)value);
  else ((float *)data)[i] = (float)value;
}
static double tf32(double value) {
  float narrow = (float)value;
  unsigned bits;
  memcpy(&bits, &narrow, 4);
  bits = (bits + 0x1000u) & ~0x1fffu;
  memcpy(&narrow, &bits, 4);
  return narrow;
}

static double entry(const Convolution *o, const Tensor *x, const void *x_data, const Tensor *w,
                    const void *w_data, int n, int k, int p, int q) {
  const int half = x->type == HALF && WRONG == 6;
  const int narrow = x->type == FLOAT && (WRONG == 8 || (MAJOR > 7 && o->math != FMA));
  const int stride_h = WRONG == 2 ? 1 : o->stride_h, stride_w = WRONG == 2 ? 1 : o->stride_w;
  const int top = WRONG == 3 ? 0 : o->pad_h, left = WRONG == 3 ? 0 : o->pad_w;
  double sum = 0;
  for (int c = 0; c < x->c - (WRONG == 4); ++c)
    for (int r = 0; r < w->h; ++r)
      for (int s = 0; s < w->w; ++s) {
        const int h = p * stride_h + r - top, column = q * stride_w + s - left;
        if (h < 0 || h >= x->h || column < 0 || column >= x->w) continue;
        double a = get(x, x_data, at(x, n, c, h, column));
        double b = WRONG == 1 ? get(w, w_data, at(w, k, c, w->h - 1 - r, w->w - 1 - s))
                              : get(w, w_data, at(w, k, c, r, s));
        if (narrow) a = tf32(a), b = tf32(b);
        sum += a * b;
        if (half) sum = (double)(_Float16)sum;
      }
  return sum;
}

int cudnnConvolutionForward(void *handle, const void *alpha, void *x_type, const void *x_data,
                            void *w_type, const void *w_data, void *convolution, int algorithm,
                            void *workspace, size_t bytes, const void *beta, void *y_type,
                            void *y_data) {
  const Convolution *o = convolution;
  const Tensor *x = x_type, *w = w_type, *y = y_type;
  size_t wants = 0;
  if (((Handle *)handle)->stream == NULL || o->mode != 1) return BAD_PARAM;
  if (x->format != y->format || x->format != w->format) return NOT_SUPPORTED;
  if (o->compute != (x->type == DOUBLE ? DOUBLE : FLOAT)) return BAD_PARAM;
  if (x->type == DOUBLE ? *(const double *)alpha != 1 || *(const double *)beta != 0
                        : *(const float *)alpha != 1 || *(const float *)beta != 0)
    return BAD_PARAM;
  if (cudnnGetConvolutionForwardWorkspaceSize(handle, x_type, w_type, convolution, y_type,
                                              algorithm, &wants) != OK)
    return NOT_SUPPORTED;
  if (bytes < wants || (wants > 0 && workspace == NULL)) return BAD_PARAM;
  if (wants > 0) memset(workspace, 0xa5, bytes);
  if (WRONG == 5) return OK;
  for (int n = 0; n < y->n; ++n)
    for (int k = 0; k < y->c; ++k)
      for (int p = 0; p < y->h; ++p)
        for (int q = 0; q < y->w; ++q)
          put(y, y_data, at(y, n, k, p, q), entry(o, x, x_data, w, w_data, n, k, p, q));
  return OK;
}

// Both on NCHW alone. C += A, of which a dimension of 1 is repeated.
int cudnnAddTensor(void *handle, const void *alpha, void *a_type, const void *a_data, const void *beta, void *c_type,
                   void *c_data) {
  const Tensor *a = a_type, *c = c_type;
  if (((Handle *)handle)->stream == NULL || a->type != c->type || a->format != NCHW || c->format != NCHW) return BAD_PARAM;
  if (*(const float *)alpha != 1 || *(const float *)beta != 1) return BAD_PARAM;
  if ((a->n != c->n && a->n != 1) || a->c != c->c || a->h != c->h || a->w != c->w) return BAD_PARAM;
  for (int n = 0; n < (WRONG == 10 ? 1 : c->n); ++n)
    for (int i = 0; i < c->c; ++i)
      for (int h = 0; h < c->h; ++h)
        for (int w = 0; w < c->w; ++w) {
          const size_t to = at(c, n, i, h, w);
          put(c, c_data, to, get(c, c_data, to) + get(a, a_data, at(a, a->n == 1 ? 0 : n, i, h, w)));
        }
  return OK;
}
int cudnnSoftmaxForward(void *handle, int algorithm, int mode, const void *alpha, void *x_type, const void *x_data,
                        const void *beta, void *y_type, void *y_data) {
  const Tensor *x = x_type, *y = y_type;
  if (((Handle *)handle)->stream == NULL || memcmp(x, y, sizeof *x) != 0 || x->format != NCHW) return BAD_PARAM;
  if (algorithm != 1 || mode != 1 || x->h != 1 || x->w != 1) return NOT_SUPPORTED;
  if (*(const float *)alpha != 1 || *(const float *)beta != 0) return BAD_PARAM;
  const int rows = WRONG == 9 ? x->c : x->n, length = WRONG == 9 ? x->n : x->c;
  for (int i = 0; i < rows; ++i) {
    double most = -1e300, sum = 0;
    for (int pass = 0; pass < 3; ++pass)
      for (int j = 0; j < length; ++j) {
        const size_t k = WRONG == 9 ? at(x, j, i, 0, 0) : at(x, i, j, 0, 0);
        const double value = get(x, x_data, k);
        if (pass == 0 && value > most) most = value;
        if (pass == 1) sum += exp(value - most);
        if (pass == 2) put(y, y_data, k, exp(value - most) / sum);
      }
  }
  return OK;
}
