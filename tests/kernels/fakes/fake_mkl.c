// The part of MKL's interface that stackx-pi uses, row-major only, as Intel documents it.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int threads = 4, dynamic = 1;

typedef struct {
  int major, minor, update;
  char *status, *build, *processor, *platform;
} Version;

void MKL_Get_Version(Version* v) {
  *v = (Version){2031, 0, 7, "Product", "20310101", "a fake processor", "a fake platform"};
}
void MKL_Get_Version_String(char* text, int length) {
  strncpy(
      text,
      "Intel(R) oneAPI Math Kernel Library Version 2031.7.1-Product Build 20310101 for a test   ",
      (size_t)length);
}
void MKL_Set_Dynamic(int on) { dynamic = on; }
void MKL_Set_Num_Threads(int count) { threads = count; }
int MKL_Get_Max_Threads(void) { return dynamic ? 1 : threads; }

static float from_bf16(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

void cblas_sgemm(int layout, int ta, int tb, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  if (layout != 101 || ta != 111 || tb != 111 || beta != 0) abort();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += a[i * lda + p] * b[p * ldb + j];
      c[i * ldc + j] = alpha * sum;
    }
}

void cblas_gemm_bf16bf16f32(int layout, int ta, int tb, int m, int n, int k, float alpha,
                            const uint16_t* a, int lda, const uint16_t* b, int ldb, float beta,
                            float* c, int ldc) {
  if (layout != 101 || ta != 111 || tb != 111 || beta != 0) abort();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += from_bf16(a[i * lda + p]) * from_bf16(b[p * ldb + j]);
      c[i * ldc + j] = alpha * sum;
    }
}

// Row-major: A unsigned, B signed.
void cblas_gemm_s8u8s32(int layout, int ta, int tb, int offset_c, int m, int n, int k, float alpha,
                        const void* a, int lda, int8_t ao, const void* b, int ldb, int8_t bo,
                        float beta, int32_t* c, int ldc, const int32_t* co) {
  if (layout != 101 || ta != 111 || tb != 111 || offset_c != 173 || beta != 0 || alpha != 1)
    abort();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int32_t sum = *co;
      for (int p = 0; p < k; ++p)
        sum += (((const uint8_t*)a)[i * lda + p] + ao) * (((const int8_t*)b)[p * ldb + j] + bo);
      c[i * ldc + j] = sum;
    }
}
