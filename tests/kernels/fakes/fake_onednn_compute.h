// What the fake oneDNN computes, in plain loops over float32 elements in any layout. WRONG chooses
// one mistake; the names say which.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum Wrong {
  kRight,
  kConvNoBias,
  kConvTransposedFilter,
  kConvLastPositionMissing,
  kLstmGateOrder,
  kLstmStaleCell,
  kGruResetAfter,
  kGruNoBias,
  kRnnLastStateMissing,
  kSoftmaxNoMaximum,
  kSoftmaxOtherAxis,
  kNormEpsilon,
  kNormRowOff,
  kNormSampleVariance,
  kNoScale,
  kBatchOneFactor,
  kRowNotAdded,
  kRowAddedOnce
};
#ifndef WRONG
#define WRONG kRight
#endif

enum { kMaxDims = 12, kSlots = 12 };
typedef struct {
  int ndims;
  int64_t dims[kMaxDims], strides[kMaxDims];
  int type, any;
} Descriptor;
typedef struct {
  Descriptor descriptor;
  float* data;
} Memory;

static int64_t count(const Descriptor* d) {
  int64_t product = 1;
  for (int i = 0; i < d->ndims; ++i) product *= d->dims[i];
  return product;
}
// The element at that index; missing indices are 0.
static float* at(const Memory* m, int64_t i, int64_t j, int64_t k, int64_t l, int64_t n) {
  const int64_t index[] = {i, j, k, l, n};
  int64_t offset = 0;
  for (int d = 0; d < m->descriptor.ndims; ++d) offset += index[d] * m->descriptor.strides[d];
  return m->data + offset;
}
static float* at2(const Memory* m, int64_t i, int64_t j) { return at(m, i, j, 0, 0, 0); }
static float* at3(const Memory* m, int64_t i, int64_t j, int64_t k) { return at(m, i, j, k, 0, 0); }
static float* at4(const Memory* m, int64_t i, int64_t j, int64_t k, int64_t l) {
  return at(m, i, j, k, l, 0);
}

static void reorder(const Memory* from, const Memory* to) {
  const int64_t* d = from->descriptor.dims;
  for (int64_t n = 0, total = count(&from->descriptor); n < total; ++n) {
    int64_t rest = n, index[5] = {0};
    for (int i = from->descriptor.ndims; i-- > 0; rest /= d[i]) index[i] = rest % d[i];
    *at(to, index[0], index[1], index[2], index[3], index[4]) =
        *at(from, index[0], index[1], index[2], index[3], index[4]);
  }
}

static void matmul(const Memory* a, const Memory* b, const Memory* c, float factor) {
  const int batched = c->descriptor.ndims == 3;
  const int64_t* d = c->descriptor.dims + batched;
  const int64_t depth = a->descriptor.dims[1 + batched];
  for (int64_t n = 0; n < (batched ? c->descriptor.dims[0] : 1); ++n)
    for (int64_t i = 0; i < d[0]; ++i)
      for (int64_t j = 0; j < d[1]; ++j) {
        const int64_t nb = WRONG == kBatchOneFactor ? 0 : n;
        float sum = 0;
        for (int64_t p = 0; p < depth; ++p)
          sum += batched ? *at3(a, n, i, p) * *at3(b, nb, p, j) : *at2(a, i, p) * *at2(b, p, j);
        *(batched ? at3(c, n, i, j) : at2(c, i, j)) = WRONG == kNoScale ? sum : factor * sum;
      }
}

static void convolve(const Memory* x, const Memory* w, const Memory* bias, const Memory* y,
                     const int64_t* strides, const int64_t* low) {
  const int64_t *yd = y->descriptor.dims, *xd = x->descriptor.dims, *wd = w->descriptor.dims;
  for (int64_t n = 0; n < yd[0]; ++n)
    for (int64_t o = 0; o < yd[1]; ++o)
      for (int64_t p = 0; p < yd[2]; ++p)
        for (int64_t q = 0; q < yd[3]; ++q) {
          if (WRONG == kConvLastPositionMissing && n == yd[0] - 1 && p == yd[2] - 1 &&
              q == yd[3] - 1)
            continue;
          float sum = bias == NULL || WRONG == kConvNoBias ? 0 : bias->data[o];
          for (int64_t r = 0; r < wd[2]; ++r)
            for (int64_t s = 0; s < wd[3]; ++s) {
              const int64_t h = p * strides[0] + r - low[0], v = q * strides[1] + s - low[1];
              if (h < 0 || h >= xd[2] || v < 0 || v >= xd[3]) continue;
              for (int64_t i = 0; i < wd[1]; ++i)
                sum += *at4(x, n, i, h, v) *
                       (WRONG == kConvTransposedFilter ? *at4(w, o, i, s, r) : *at4(w, o, i, r, s));
            }
          *at4(y, n, o, p, q) = sum;
        }
}

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

typedef struct {
  const Memory *x, *h, *c, *w, *u, *bias, *y, *last_h, *last_c;
} RnnOperands;

// bias + W x + U h of one gate; `reset` multiplies h, or U h as a whole where that is the mistake.
static float gate_sum(const RnnOperands* r, int64_t t, int64_t n, int gate, int64_t o,
                      const float* h, const float* reset) {
  float sum = WRONG == kGruNoBias ? 0 : *at(r->bias, 0, 0, gate, o, 0), recurrent = 0;
  const int64_t hidden = r->h->descriptor.dims[3];
  for (int64_t i = 0; i < r->x->descriptor.dims[2]; ++i)
    sum += *at3(r->x, t, n, i) * *at(r->w, 0, 0, i, gate, o);
  for (int64_t i = 0; i < hidden; ++i) {
    const float factor = reset == NULL || WRONG == kGruResetAfter ? 1 : reset[i];
    recurrent += factor * h[i] * *at(r->u, 0, 0, i, gate, o);
  }
  return sum + (reset != NULL && WRONG == kGruResetAfter ? reset[o] : 1) * recurrent;
}

static void lstm_step(const RnnOperands* r, int64_t t, int64_t n, const float* h, float* next,
                      float* c) {
  for (int64_t o = 0; o < r->h->descriptor.dims[3]; ++o) {
    const int third = WRONG == kLstmGateOrder ? 3 : 2, fourth = WRONG == kLstmGateOrder ? 2 : 3;
    const float i = sigmoid(gate_sum(r, t, n, 0, o, h, NULL)),
                f = sigmoid(gate_sum(r, t, n, 1, o, h, NULL)),
                g = tanhf(gate_sum(r, t, n, third, o, h, NULL)),
                out = sigmoid(gate_sum(r, t, n, fourth, o, h, NULL));
    const float cell = f * c[o] + i * g;
    if (WRONG != kLstmStaleCell || t == 0) c[o] = cell;
    next[o] = out * tanhf(cell);
  }
}

static void gru_step(const RnnOperands* r, int64_t t, int64_t n, const float* h, float* next) {
  const int64_t hidden = r->h->descriptor.dims[3];
  float* reset = malloc((size_t)hidden * sizeof(float));
  for (int64_t o = 0; o < hidden; ++o) reset[o] = sigmoid(gate_sum(r, t, n, 1, o, h, NULL));
  for (int64_t o = 0; o < hidden; ++o) {
    const float u = sigmoid(gate_sum(r, t, n, 0, o, h, NULL));
    next[o] = u * h[o] + (1 - u) * tanhf(gate_sum(r, t, n, 2, o, h, reset));
  }
  free(reset);
}

static void recurrent(const RnnOperands* r, int is_lstm) {
  const int64_t *d = r->y->descriptor.dims, hidden = d[2];
  float *h = malloc((size_t)hidden * sizeof(float)), *next = malloc((size_t)hidden * sizeof(float)),
        *c = malloc((size_t)hidden * sizeof(float));
  for (int64_t n = 0; n < d[1]; ++n) {
    for (int64_t o = 0; o < hidden; ++o) h[o] = *at(r->h, 0, 0, n, o, 0);
    for (int64_t o = 0; is_lstm && o < hidden; ++o) c[o] = *at(r->c, 0, 0, n, o, 0);
    for (int64_t t = 0; t < d[0]; ++t) {
      if (is_lstm)
        lstm_step(r, t, n, h, next, c);
      else
        gru_step(r, t, n, h, next);
      memcpy(h, next, (size_t)hidden * sizeof(float));
      for (int64_t o = 0; o < hidden; ++o) *at3(r->y, t, n, o) = h[o];
    }
    for (int64_t o = 0; o < hidden && WRONG != kRnnLastStateMissing; ++o) {
      *at(r->last_h, 0, 0, n, o, 0) = h[o];
      if (is_lstm) *at(r->last_c, 0, 0, n, o, 0) = c[o];
    }
  }
  free(h), free(next), free(c);
}

// Over the last dimension of plain operands.
static void softmax(const Memory* x, const Memory* y) {
  int64_t n = x->descriptor.dims[x->descriptor.ndims - 1], rows = count(&x->descriptor) / n;
  int64_t step = 1, row_step = n;
  if (WRONG == kSoftmaxOtherAxis) {
    const int64_t columns = n;
    n = rows, rows = columns, step = columns, row_step = 1;
  }
  for (int64_t i = 0; i < rows; ++i) {
    const float* in = x->data + i * row_step;
    float* out = y->data + i * row_step;
    float most = WRONG == kSoftmaxNoMaximum ? 0 : in[0], sum = 0;
    for (int64_t j = 0; j < n && WRONG != kSoftmaxNoMaximum; ++j)
      if (in[j * step] > most) most = in[j * step];
    for (int64_t j = 0; j < n; ++j) sum += out[j * step] = expf(in[j * step] - most);
    for (int64_t j = 0; j < n; ++j) out[j * step] /= sum;
  }
}

// A row added to each row of a matrix, in place.
static void add_row(const Memory* x, const Memory* row, const Memory* y) {
  const int64_t rows = x->descriptor.dims[0], n = x->descriptor.dims[1];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const int add = WRONG != kRowNotAdded && (WRONG != kRowAddedOnce || i == 0);
      y->data[i * n + j] = x->data[i * n + j] + (add ? row->data[j] : 0);
    }
}

static void layer_norm(const Memory* x, const float* scale, const float* shift, const Memory* y,
                       float epsilon) {
  const int64_t n = x->descriptor.dims[1], rows = x->descriptor.dims[0];
  for (int64_t i = 0; i < rows; ++i) {
    const float* of = x->data + (WRONG == kNormRowOff && i > 0 ? i - 1 : i) * n;
    float mean = 0, variance = 0;
    for (int64_t j = 0; j < n; ++j) mean += of[j] / (float)n;
    for (int64_t j = 0; j < n; ++j) variance += (of[j] - mean) * (of[j] - mean);
    variance /= (float)(WRONG == kNormSampleVariance ? n - 1 : n);
    const float sigma = sqrtf(variance + (WRONG == kNormEpsilon ? 2 : 1) * epsilon);
    for (int64_t j = 0; j < n; ++j)
      y->data[i * n + j] = (x->data[i * n + j] - mean) / sigma * scale[j] + shift[j];
  }
}
