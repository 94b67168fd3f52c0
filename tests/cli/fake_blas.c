/* A small OpenBLAS look-alike for tests: right (FAULT 0), a transposed operand (1), a crash (2), and a stated VERSION. */
#include <stdlib.h>

#ifndef FAULT
#define FAULT 0
#endif

char *openblas_get_config(void) { return "OpenBLAS " VERSION " NO_AFFINITY MAX_THREADS=1"; }
char *openblas_get_corename(void) { return "Plain"; }
void openblas_set_num_threads(int threads) { (void)threads; }
int openblas_get_num_threads(void) { return 1; }

void cblas_sgemm(int order, int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc) {
  (void)order, (void)transa, (void)transb;
  if (FAULT == 2) abort();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += a[i * lda + p] * (FAULT == 1 ? b[(j % k) * ldb + p % n] : b[p * ldb + j]);
      c[i * ldc + j] = alpha * sum + (beta != 0 ? beta * c[i * ldc + j] : 0);
    }
}
