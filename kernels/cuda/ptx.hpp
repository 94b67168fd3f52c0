// The kernels of memory_bandwidth and launch_latency, as PTX text that the driver compiles for its
// device: these indicators need no NVRTC, and run the same code under every CUDA version.
//
// PTX 6.0 for compute capability 5.0 is taken by all drivers since CUDA 9 for all later devices.
// Written by hand, in the form nvcc gives such loops: 256 threads a block, and four 16-byte accesses
// in flight per thread, 4 KiB apart, so that each warp reads whole lines and the memory stays busy.
//
//   stackx_copy(a, b)         a[i] = b[i]               one tile of 2048 doubles a block
//   stackx_triad(a, b, c, s)  a[i] = b[i] + s * c[i]    "
//   stackx_write(a, s)        a[i] = s                  "
//   stackx_read(a, b, tiles)  a[thread] = sum of b[i] over every gridDim-th tile from its own on
//   stackx_count(a)           a[0] += 1 unless a is null: then it is an empty kernel
#pragma once

namespace stackx::kernels::cuda {

inline constexpr unsigned kBlock = 256;            // threads
inline constexpr unsigned kTile = 4 * 2 * kBlock;  // doubles a block handles at a time

inline constexpr const char* kPtx = R"(
.version 6.0
.target sm_50
.address_size 64

.visible .entry stackx_copy(.param .u64 a, .param .u64 b)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  .reg .f64 %fd<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd1, %r2, 16;
  mad.wide.u32 %rd1, %r1, 16384, %rd1;
  ld.param.u64 %rd2, [a];
  ld.param.u64 %rd3, [b];
  cvta.to.global.u64 %rd2, %rd2;
  cvta.to.global.u64 %rd3, %rd3;
  add.u64 %rd2, %rd2, %rd1;
  add.u64 %rd3, %rd3, %rd1;
  ld.global.v2.f64 {%fd0, %fd1}, [%rd3];
  ld.global.v2.f64 {%fd2, %fd3}, [%rd3+4096];
  ld.global.v2.f64 {%fd4, %fd5}, [%rd3+8192];
  ld.global.v2.f64 {%fd6, %fd7}, [%rd3+12288];
  st.global.v2.f64 [%rd2], {%fd0, %fd1};
  st.global.v2.f64 [%rd2+4096], {%fd2, %fd3};
  st.global.v2.f64 [%rd2+8192], {%fd4, %fd5};
  st.global.v2.f64 [%rd2+12288], {%fd6, %fd7};
  ret;
}

.visible .entry stackx_triad(.param .u64 a, .param .u64 b, .param .u64 c, .param .f64 s)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  .reg .f64 %fd<17>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd1, %r2, 16;
  mad.wide.u32 %rd1, %r1, 16384, %rd1;
  ld.param.u64 %rd2, [a];
  ld.param.u64 %rd3, [b];
  ld.param.u64 %rd4, [c];
  ld.param.f64 %fd16, [s];
  cvta.to.global.u64 %rd2, %rd2;
  cvta.to.global.u64 %rd3, %rd3;
  cvta.to.global.u64 %rd4, %rd4;
  add.u64 %rd2, %rd2, %rd1;
  add.u64 %rd3, %rd3, %rd1;
  add.u64 %rd4, %rd4, %rd1;
  ld.global.v2.f64 {%fd0, %fd1}, [%rd3];
  ld.global.v2.f64 {%fd2, %fd3}, [%rd3+4096];
  ld.global.v2.f64 {%fd4, %fd5}, [%rd3+8192];
  ld.global.v2.f64 {%fd6, %fd7}, [%rd3+12288];
  ld.global.v2.f64 {%fd8, %fd9}, [%rd4];
  ld.global.v2.f64 {%fd10, %fd11}, [%rd4+4096];
  ld.global.v2.f64 {%fd12, %fd13}, [%rd4+8192];
  ld.global.v2.f64 {%fd14, %fd15}, [%rd4+12288];
  fma.rn.f64 %fd0, %fd16, %fd8, %fd0;
  fma.rn.f64 %fd1, %fd16, %fd9, %fd1;
  fma.rn.f64 %fd2, %fd16, %fd10, %fd2;
  fma.rn.f64 %fd3, %fd16, %fd11, %fd3;
  fma.rn.f64 %fd4, %fd16, %fd12, %fd4;
  fma.rn.f64 %fd5, %fd16, %fd13, %fd5;
  fma.rn.f64 %fd6, %fd16, %fd14, %fd6;
  fma.rn.f64 %fd7, %fd16, %fd15, %fd7;
  st.global.v2.f64 [%rd2], {%fd0, %fd1};
  st.global.v2.f64 [%rd2+4096], {%fd2, %fd3};
  st.global.v2.f64 [%rd2+8192], {%fd4, %fd5};
  st.global.v2.f64 [%rd2+12288], {%fd6, %fd7};
  ret;
}

.visible .entry stackx_write(.param .u64 a, .param .f64 s)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  .reg .f64 %fd<2>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd1, %r2, 16;
  mad.wide.u32 %rd1, %r1, 16384, %rd1;
  ld.param.u64 %rd2, [a];
  ld.param.f64 %fd0, [s];
  cvta.to.global.u64 %rd2, %rd2;
  add.u64 %rd2, %rd2, %rd1;
  st.global.v2.f64 [%rd2], {%fd0, %fd0};
  st.global.v2.f64 [%rd2+4096], {%fd0, %fd0};
  st.global.v2.f64 [%rd2+8192], {%fd0, %fd0};
  st.global.v2.f64 [%rd2+12288], {%fd0, %fd0};
  ret;
}

.visible .entry stackx_read(.param .u64 a, .param .u64 b, .param .u32 tiles)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f64 %fd<16>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r5, %nctaid.x;
  ld.param.u32 %r4, [tiles];
  ld.param.u64 %rd2, [a];
  ld.param.u64 %rd3, [b];
  cvta.to.global.u64 %rd2, %rd2;
  cvta.to.global.u64 %rd3, %rd3;
  shl.b32 %r3, %r1, 8;
  add.u32 %r3, %r3, %r2;
  mul.wide.u32 %rd1, %r3, 8;
  add.u64 %rd2, %rd2, %rd1;
  mov.f64 %fd8, 0d0000000000000000;
  mov.f64 %fd9, 0d0000000000000000;
  mov.f64 %fd10, 0d0000000000000000;
  mov.f64 %fd11, 0d0000000000000000;
next_tile:
  setp.ge.u32 %p1, %r1, %r4;
  @%p1 bra done;
  mul.wide.u32 %rd1, %r2, 16;
  mad.wide.u32 %rd1, %r1, 16384, %rd1;
  add.u64 %rd4, %rd3, %rd1;
  ld.global.v2.f64 {%fd0, %fd1}, [%rd4];
  ld.global.v2.f64 {%fd2, %fd3}, [%rd4+4096];
  ld.global.v2.f64 {%fd4, %fd5}, [%rd4+8192];
  ld.global.v2.f64 {%fd6, %fd7}, [%rd4+12288];
  add.f64 %fd0, %fd0, %fd1;
  add.f64 %fd2, %fd2, %fd3;
  add.f64 %fd4, %fd4, %fd5;
  add.f64 %fd6, %fd6, %fd7;
  add.f64 %fd8, %fd8, %fd0;
  add.f64 %fd9, %fd9, %fd2;
  add.f64 %fd10, %fd10, %fd4;
  add.f64 %fd11, %fd11, %fd6;
  add.u32 %r1, %r1, %r5;
  bra next_tile;
done:
  add.f64 %fd8, %fd8, %fd9;
  add.f64 %fd10, %fd10, %fd11;
  add.f64 %fd8, %fd8, %fd10;
  st.global.f64 [%rd2], %fd8;
  ret;
}

.visible .entry stackx_count(.param .u64 a)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [a];
  setp.eq.u64 %p1, %rd1, 0;
  @%p1 bra empty;
  cvta.to.global.u64 %rd1, %rd1;
  red.global.add.u32 [%rd1], 1;
empty:
  ret;
}
)";

}  // namespace stackx::kernels::cuda
