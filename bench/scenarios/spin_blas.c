// A system under test whose service times are known: a BLAS library that multiplies, and then waits busily until its
// service time is over. Times are the quantiles of a log-normal distribution, each once in PERIOD calls, in an order
// that the seed shuffles: two programs that make the same number of calls meet the same times, query by query.
//   SPIN_SKIP  calls before the first, as warm-ups, that take the mean
//   SPIN_MEAN_US, SPIN_SIGMA (of the logarithm), SPIN_SEED
//   SPIN_LOG   file that takes when each call began and ended, as two int64 of ns
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PERIOD = 1000 };
static int64_t service_ns[PERIOD], mean_ns;
static uint64_t skip, calls;
static FILE* spin_log;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1000000000LL * t.tv_sec + t.tv_nsec;
}

static double setting(const char* name, double fallback) {
  const char* text = getenv(name);
  return text ? atof(text) : fallback;
}

static double normal_quantile(double p) {  // by bisection: it runs once
  double low = -10, high = 10;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    if (0.5 * erfc(-middle / sqrt(2)) < p) low = middle; else high = middle;
  }
  return low;
}

__attribute__((constructor)) static void prepare(void) {
  const double mean = 1e3 * setting("SPIN_MEAN_US", 2000), sigma = setting("SPIN_SIGMA", 0.3);
  uint64_t state = (uint64_t)setting("SPIN_SEED", 1);
  mean_ns = (int64_t)mean;
  skip = (uint64_t)setting("SPIN_SKIP", 0);
  if (getenv("SPIN_LOG")) spin_log = fopen(getenv("SPIN_LOG"), "wb");
  for (int i = 0; i < PERIOD; ++i)
    service_ns[i] = (int64_t)(mean * exp(sigma * normal_quantile((i + 0.5) / PERIOD) - sigma * sigma / 2));
  for (int i = PERIOD - 1; i > 0; --i) {  // Fisher-Yates with Knuth's generator
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const int j = (int)((state >> 33) % (uint64_t)(i + 1));
    const int64_t other = service_ns[i];
    service_ns[i] = service_ns[j];
    service_ns[j] = other;
  }
}

void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float* a, int lda, const float* b,
                 int ldb, float beta, float* c, int ldc) {
  const int64_t begin = now(), service = calls < skip ? mean_ns : service_ns[(calls - skip) % PERIOD];
  ++calls;
  (void)order, (void)ta, (void)tb, (void)alpha, (void)beta;  // row-major, not transposed, 1 and 0
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int x = 0; x < k; ++x) sum += a[i * lda + x] * b[x * ldb + j];
      c[i * ldc + j] = sum;
    }
  int64_t end = now();
  while (end - begin < service) end = now();
  if (spin_log) {
    const int64_t both[2] = {begin, end};
    fwrite(both, sizeof both, 1, spin_log);
  }
}

__attribute__((destructor)) static void finish(void) {
  if (spin_log) fclose(spin_log);
}
