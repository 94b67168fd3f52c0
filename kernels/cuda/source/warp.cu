// What the kernels ask of a warp, in inline PTX: copies that bypass registers, matrix loads from
// shared memory, products of fragments. NVRTC brings no header files along (neither mma.h nor
// cuda_fp16.h), so the element types are here too. kernels/cuda/products/own_kernel puts this text before a
// kernel's; the tests put an emulation in its place that follows the PTX ISA's tables.
//
// ARCH is ten times the compute capability that is compiled for: 700, 750, 800, ..., 1200.

struct float16 {
  unsigned short bits;
};
struct bfloat16 {
  unsigned short bits;
};
struct tf32 {  // a float that is rounded to 11 bits when it is multiplied
  float value;
};

#define DYNAMIC_SHARED(name) extern __shared__ __align__(128) unsigned char name[]

__device__ inline unsigned shared_address(const void* shared) {
  unsigned address;
  asm("{ .reg .u64 whole; cvta.to.shared.u64 whole, %1; cvt.u32.u64 %0, whole; }"
      : "=r"(address)
      : "l"(shared));
  return address;
}

__device__ inline float16 to_float16(float value) {
  float16 rounded;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded.bits) : "f"(value));
  return rounded;
}

// Copies 16 bytes from global to shared memory, or fills with zeros. Both aligned. Done when
// wait_for_copies() returned and a barrier followed.
__device__ inline void copy_16_bytes(void* shared, const void* global, bool inside) {
#if ARCH >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
               "l"(global), "r"(inside ? 16 : 0)
               : "memory");
#else
  *static_cast<uint4*>(shared) =
      inside ? *static_cast<const uint4*>(global) : make_uint4(0, 0, 0, 0);
#endif
}

__device__ inline void commit_copies() {
#if ARCH >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Until all but the last kPending groups are there.
template <int kPending>
__device__ inline void wait_for_copies() {
#if ARCH >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

#if ARCH >= 750
// Four 8x8 matrices of 16-bit elements; lane i gives the address of row i % 8 of matrix i / 8.
__device__ inline void load_matrices(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}
__device__ inline void load_matrices_transposed(unsigned (&r)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

// c += a * b with fragments as of mma.m16n8k16 (16-bit elements) and mma.m16n8k8 (tf32, double).
__device__ inline void multiply(float16, float (&c)[4], const unsigned (&a)[4],
                                const unsigned (&b)[2]) {
#if ARCH >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else  // Turing multiplies half as deep
  for (int half = 0; half < 2; ++half)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
}
#endif

#if ARCH >= 800
__device__ inline void multiply(bfloat16, float (&c)[4], const unsigned (&a)[4],
                                const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ inline void multiply(tf32, float (&c)[4], const unsigned (&a)[4],
                                const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Bits of a float, rounded to nearest; the multiplier itself would cut them off.
__device__ inline unsigned round_to_tf32(unsigned bits) {
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
  return rounded;
}

#if ARCH >= 900
__device__ inline void multiply(double, double (&c)[4], const double (&a)[4],
                                const double (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
#else  // Ampere's largest is 8x8x4: the upper and lower rows, each in two steps along k
__device__ inline void multiply(double, double (&c)[4], const double (&a)[4],
                                const double (&b)[2]) {
  for (int step = 0; step < 2; ++step)
    for (int lower = 0; lower < 2; ++lower)
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(c[2 * lower]), "+d"(c[2 * lower + 1])
          : "d"(a[2 * step + lower]), "d"(b[step]));
}
#endif
#endif

#if ARCH < 750
// Volta's wmma, whose fragments are the hardware's secret: 16x16x16, float16 in, float out.
__device__ inline void wmma_load_a(unsigned (&r)[8], const float16* tile, int stride) {
  asm volatile(
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], "
      "%9;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]),
        "=r"(r[7])
      : "r"(shared_address(tile)), "r"(stride)
      : "memory");
}
__device__ inline void wmma_load_b(unsigned (&r)[8], const float16* tile, int stride) {
  asm volatile(
      "wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], "
      "%9;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]),
        "=r"(r[7])
      : "r"(shared_address(tile)), "r"(stride)
      : "memory");
}
__device__ inline void wmma_multiply(float (&c)[8], const unsigned (&a)[8],
                                     const unsigned (&b)[8]) {
  asm("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
      "{%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, "
      "{%0, %1, %2, %3, %4, %5, %6, %7};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
        "+f"(c[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]),
        "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
}
__device__ inline void wmma_store(float* tile, const float (&c)[8], int stride) {
  asm volatile(
      "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, "
      "%9;" ::"r"(shared_address(tile)),
      "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]), "f"(c[4]), "f"(c[5]), "f"(c[6]), "f"(c[7]),
      "r"(stride)
      : "memory");
}
#endif
