/* A small OpenBLAS look-alike for tests: right (FAULT 0), a transposed operand (1), a crash (2), a stated VERSION; it does
   its work SLOW times. */
#include <stdlib.h>

#ifndef FAULT
#define FAULT 0
#endif
#ifndef SLOW
#define SLOW 1
#endif

char *openblas_get_config(void) { return "OpenBLAS " VERSION " NO_AFFINITY MAX_THREADS=1"; }
char *openblas_get_corename(void) { return "Plain"; }
void openblas_set_num_threads(int threads) { (void)threads; }
int openblas_get_num_threads(void) { return 1; }

static void cblas_sgemm_once(int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                             float *c, int ldc) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += a[i * lda + p] * (FAULT == 1 ? b[(j % k) * ldb + p % n] : b[p * ldb + j]);
      c[i * ldc + j] = alpha * sum + (beta != 0 ? beta * c[i * ldc + j] : 0);
    }
}

void cblas_sgemm(int order, int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc) {
  (void)order, (void)transa, (void)transb;
  if (FAULT == 2) abort();
  volatile int again = SLOW; /* so that no compiler does it once */
  while (again-- > 1) cblas_sgemm_once(m, n, k, alpha, a, lda, b, ldb, 0, c, ldc);
  cblas_sgemm_once(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
