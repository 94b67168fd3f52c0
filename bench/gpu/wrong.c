/* A real library of NVIDIA's with one fault, to see whether a check on the device notices it. Linked to the real one: functions that
   are not here are the real one's. FAULT names the fault:
     last_term     cuBLAS: the last term of every sum is missing
     last_column   cuBLAS: the last column is not written
     idle          cuBLAS: only the first product is computed, later calls do nothing (results stay)
     factor        cuBLAS, cuBLASLt, cuDNN: results are 1 % too large
     tf32          cuBLAS: float32 is computed in TF32
     text          NVRTC: WRONG_FROM in the kernel's source is replaced by WRONG_TO
     short_copy    cudart: asynchronous copies lose their last 4 KiB
     no_last       NCCL: the last element is not reduced */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define REAL(name) (*(__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { none, last_term, last_column, idle, factor, tf32, text, short_copy, no_last };
static const int fault = FAULT;

static const float kFactor = 1.01f;
static const double kFactor64 = 1.01;

static int skips(void) {
  static int calls;
  return fault == idle && calls++ > 0;
}

#ifdef CUBLAS
int cublasSetMathMode(void* handle, int mode); /* the real one */

int cublasSgemm_v2(void* handle, int ta, int tb, int m, int n, int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                   const float* beta, float* c, int ldc) {
  if (skips()) return 0;
  if (fault == tf32) cublasSetMathMode(handle, 3);
  return REAL(cublasSgemm_v2)(handle, ta, tb, m, n - (fault == last_column), k - (fault == last_term), fault == factor ? &kFactor : alpha, a,
                              lda, b, ldb, beta, c, ldc);
}
int cublasDgemm_v2(void* handle, int ta, int tb, int m, int n, int k, const double* alpha, const double* a, int lda, const double* b, int ldb,
                   const double* beta, double* c, int ldc) {
  if (skips()) return 0;
  return REAL(cublasDgemm_v2)(handle, ta, tb, m, n - (fault == last_column), k - (fault == last_term),
                              fault == factor ? &kFactor64 : alpha, a, lda, b, ldb, beta, c, ldc);
}
int cublasGemmEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a, int type_a, int lda, const void* b,
                 int type_b, int ldb, const void* beta, void* c, int type_c, int ldc, int compute, int algorithm) {
  if (skips()) return 0;
  if (fault == tf32 && type_a == 0) compute = 77; /* CUBLAS_COMPUTE_32F_FAST_TF32 */
  return REAL(cublasGemmEx)(handle, ta, tb, m, n - (fault == last_column), k - (fault == last_term), fault == factor ? &kFactor : alpha, a,
                            type_a, lda, b, type_b, ldb, beta, c, type_c, ldc, compute, algorithm);
}
#endif

#ifdef CUBLASLT
int cublasLtMatmul(void* handle, void* descriptor, const void* alpha, const void* a, void* layout_a, const void* b, void* layout_b,
                   const void* beta, const void* c, void* layout_c, void* d, void* layout_d, const void* algorithm, void* workspace,
                   size_t bytes, void* stream) {
  return REAL(cublasLtMatmul)(handle, descriptor, &kFactor, a, layout_a, b, layout_b, beta, c, layout_c, d, layout_d, algorithm, workspace,
                              bytes, stream);
}
#endif

#ifdef CUDNN
int cudnnConvolutionForward(void* handle, const void* alpha, void* x_type, const void* x, void* w_type, const void* w, void* convolution,
                            int algorithm, void* workspace, size_t bytes, const void* beta, void* y_type, void* y) {
  return REAL(cudnnConvolutionForward)(handle, &kFactor, x_type, x, w_type, w, convolution, algorithm, workspace, bytes, beta, y_type, y);
}
#endif

#ifdef NVRTC
int nvrtcCreateProgram(void** program, const char* source, const char* name, int headers, const char* const* texts, const char* const* names) {
  const char *from = getenv("WRONG_FROM"), *to = getenv("WRONG_TO"), *at = strstr(source, from);
  if (at == NULL) abort(); /* the list of faults is older than the kernel */
  char* changed = calloc(1, strlen(source) + strlen(to) + 1);
  strcat(strncat(strncat(changed, source, at - source), to, strlen(to)), at + strlen(from));
  return REAL(nvrtcCreateProgram)(program, changed, name, headers, texts, names);
}
#endif

#ifdef CUDART
int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, void* stream) {
  return REAL(cudaMemcpyAsync)(to, from, bytes > 4096 ? bytes - 4096 : bytes, kind, stream);
}
#endif

#ifdef NCCL
int ncclAllReduce(const void* in, void* out, size_t count, int type, int operation, void* comm, void* stream) {
  return REAL(ncclAllReduce)(in, out, count - 1, type, operation, comm, stream);
}
#endif
