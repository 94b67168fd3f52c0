// C = A * B on tensor cores: row-major, any m, n, k. What a good programmer gets without the vendor
// library: block tiles in shared memory that asynchronous copies fill some stages ahead, warp tiles
// in registers, mma.sync on them; no wgmma, TMA or hand-written SASS.
//
//   element   result   sum     one instruction   from
//   float16   float16  float   16x8x16           7.5 (7.0: wmma 16x16x16)
//   bfloat16  float    float   16x8x16           8.0
//   tf32      float    float   16x8x8            8.0
//   double    double   double  16x8x8            8.0
//
// Compiled with -D ARCH, ELEMENT, BLOCK_M, BLOCK_N, WARP_M, WARP_N, STAGES, and ALIGNED where rows
// of A and B start at multiples of 16 bytes (k and n are multiples of what fits in them); without
// it elements are copied one by one.

template <typename Element>
struct Format;
template <>
struct Format<float16> {
  typedef float Sum;
  typedef float16 Result;
  typedef unsigned Register;
  static const int kDepth = 16, kStep = 32, kPadA = 8, kPadB = 8;
};
template <>
struct Format<bfloat16> {
  typedef float Sum;
  typedef float Result;
  typedef unsigned Register;
  static const int kDepth = 16, kStep = 32, kPadA = 8, kPadB = 8;
};
template <>
struct Format<tf32> {
  typedef float Sum;
  typedef float Result;
  typedef unsigned Register;
  static const int kDepth = 8, kStep = 16, kPadA = 4, kPadB = 8;
};
template <>
struct Format<double> {
  typedef double Sum;
  typedef double Result;
  typedef double Register;
  static const int kDepth = 8, kStep = 16, kPadA = 4, kPadB = 4;
};

__device__ inline void store_as(float sum, float16& result) { result = to_float16(sum); }
__device__ inline void store_as(float sum, float& result) { result = sum; }
__device__ inline void store_as(double sum, double& result) { result = sum; }

// Tiles in shared memory. A row's padding puts the eight rows that are read at once into different
// banks. What lies beyond the matrices is zero, so that no product needs to know.
template <typename Element, int kM, int kN, int kThreads, bool kAligned>
struct Stage {
  static const int kK = Format<Element>::kStep;
  static const int kStrideA = kK + Format<Element>::kPadA;
  static const int kStrideB = kN + Format<Element>::kPadB;
  static const int kSize = kM * kStrideA + kK * kStrideB;  // elements

  template <int kRows, int kColumns, int kStride>
  __device__ static void fill(Element* tile, const Element* matrix, int rows, int columns, int row,
                              int column) {
    const int kVector = 16 / sizeof(Element), kPerRow = kColumns / kVector;
#pragma unroll
    for (int i = 0; i < kRows * kPerRow / kThreads; ++i) {
      const int vector = i * kThreads + threadIdx.x;
      const int r = row + vector / kPerRow, c = column + vector % kPerRow * kVector;
      Element* to = tile + vector / kPerRow * kStride + vector % kPerRow * kVector;
      const Element* from = matrix + static_cast<size_t>(r) * columns + c;
      if (kAligned) {
        const bool inside = r < rows && c < columns;
        copy_16_bytes(to, inside ? from : matrix, inside);
      } else {
#pragma unroll
        for (int v = 0; v < kVector; ++v)
          to[v] = r < rows && c + v < columns ? from[v] : Element();
      }
    }
  }

  __device__ static void load(Element* stage, const Element* a, const Element* b, int m, int n,
                              int k, int row, int column, int depth) {
    fill<kM, kK, kStrideA>(stage, a, m, k, row, depth);
    fill<kK, kN, kStrideB>(stage + kM * kStrideA, b, k, n, depth, column);
  }
};

#if ARCH >= 750
// Fragments of A: 16 rows, kDepth columns, at `tile`.
template <typename Element>
__device__ inline void load_a(Element, unsigned (&r)[4], const Element* tile, int stride) {
  const int lane = threadIdx.x % 32;
  load_matrices(r, tile + lane % 16 * stride + lane / 16 * (16 / sizeof(Element)));
}
// Fragments of B for two neighbouring products of eight columns each.
template <typename Element>
__device__ inline void load_b(Element, unsigned (&left)[2], unsigned (&right)[2],
                              const Element* tile, int stride) {
  const int lane = threadIdx.x % 32;
  unsigned r[4];
  load_matrices_transposed(r, tile + lane % 16 * stride + lane / 16 * 8);
  left[0] = r[0], left[1] = r[1], right[0] = r[2], right[1] = r[3];
}
#endif

#if ARCH >= 800
__device__ inline void load_a(tf32, unsigned (&r)[4], const tf32* tile, int stride) {
  const int lane = threadIdx.x % 32;
  // 8x4 floats are 8x8 halves of floats to the instruction.
  load_matrices(r, tile + lane % 16 * stride + lane / 16 * 4);
#pragma unroll
  for (int i = 0; i < 4; ++i) r[i] = round_to_tf32(r[i]);
}
__device__ inline void load_b(tf32, unsigned (&left)[2], unsigned (&right)[2], const tf32* tile,
                              int stride) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const tf32* row = tile + (lane % 4 + 4 * i) * stride + lane / 4;
    left[i] = round_to_tf32(__float_as_uint(row[0].value));
    right[i] = round_to_tf32(__float_as_uint(row[8].value));
  }
}
__device__ inline void load_a(double, double (&r)[4], const double* tile, int stride) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    r[i] = tile[(lane / 4 + i % 2 * 8) * stride + lane % 4 + i / 2 * 4];
}
__device__ inline void load_b(double, double (&left)[2], double (&right)[2], const double* tile,
                              int stride) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const double* row = tile + (lane % 4 + 4 * i) * stride + lane / 4;
    left[i] = row[0];
    right[i] = row[8];
  }
}
#endif

#if ARCH >= 750
// A warp's share of the block: kRows x kColumns products of 16 x 8.
template <typename Element, int kRows, int kColumns>
struct WarpTile {
  typedef typename Format<Element>::Sum Sum;
  typedef typename Format<Element>::Result Result;
  typedef typename Format<Element>::Register Register;
  Sum sums[kRows][kColumns][4];

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < kRows * kColumns * 4; ++i)
      sums[i / (kColumns * 4)][i / 4 % kColumns][i % 4] = 0;
  }

  __device__ void add(const Element* a, int stride_a, const Element* b, int stride_b) {
    Register ra[kRows][4], rb[kColumns][2];
#pragma unroll
    for (int i = 0; i < kRows; ++i) load_a(Element(), ra[i], a + i * 16 * stride_a, stride_a);
#pragma unroll
    for (int j = 0; j < kColumns; j += 2)
      load_b(Element(), rb[j], rb[j + 1], b + j * 8, stride_b);
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int j = 0; j < kColumns; ++j) multiply(Element(), sums[i][j], ra[i], rb[j]);
  }

  // To C, whose element (row, column) is the tile's first.
  template <bool kAligned>
  __device__ void store(Result* c, int m, int n, int row, int column, unsigned char*) const {
    struct alignas(2 * sizeof(Result)) Pair {
      Result first, second;
    };
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < kRows * 2; ++i)
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        const int r = row + i * 8 + lane / 4, s = column + j * 8 + lane % 4 * 2;
        if (r >= m || s >= n) continue;
        Result* to = c + static_cast<size_t>(r) * n + s;
        Pair pair;
        store_as(sums[i / 2][j][i % 2 * 2], pair.first);
        store_as(sums[i / 2][j][i % 2 * 2 + 1], pair.second);
        if (kAligned) {
          *reinterpret_cast<Pair*>(to) = pair;
        } else {
          to[0] = pair.first;
          if (s + 1 < n) to[1] = pair.second;
        }
      }
  }
};
#else
// The same by wmma: kRows x kColumns / 2 products of 16 x 16.
template <typename Element, int kRows, int kColumns>
struct WarpTile {
  typedef typename Format<Element>::Result Result;
  float sums[kRows][kColumns / 2][8];

  __device__ void clear() {
#pragma unroll
    for (int i = 0; i < kRows * kColumns * 4; ++i)
      sums[i / (kColumns * 4)][i / 8 % (kColumns / 2)][i % 8] = 0;
  }

  __device__ void add(const Element* a, int stride_a, const Element* b, int stride_b) {
    unsigned ra[kRows][8], rb[8];
#pragma unroll
    for (int i = 0; i < kRows; ++i) wmma_load_a(ra[i], a + i * 16 * stride_a, stride_a);
#pragma unroll
    for (int j = 0; j < kColumns / 2; ++j) {
      wmma_load_b(rb, b + j * 16, stride_b);
#pragma unroll
      for (int i = 0; i < kRows; ++i) wmma_multiply(sums[i][j], ra[i], rb);
    }
  }

  // By way of shared memory, 1 KiB a warp: the fragments' layout is not known.
  template <bool kAligned>
  __device__ void store(Result* c, int m, int n, int row, int column, unsigned char* shared) const {
    const int lane = threadIdx.x % 32;
    float* scratch = reinterpret_cast<float*>(shared) + threadIdx.x / 32 * 256;
    __syncthreads();  // all have read the last tiles
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int j = 0; j < kColumns / 2; ++j) {
        wmma_store(scratch, sums[i][j], 16);
        __syncwarp();
        for (int e = lane; e < 256; e += 32) {
          const int r = row + i * 16 + e / 16, s = column + j * 16 + e % 16;
          if (r < m && s < n) store_as(scratch[e], c[static_cast<size_t>(r) * n + s]);
        }
        __syncwarp();
      }
  }
};
#endif

template <typename Element, int kM, int kN, int kWarpM, int kWarpN, int kStages, bool kAligned>
struct TensorProduct {
  static const int kWarpColumns = kN / kWarpN, kThreads = kM / kWarpM * kWarpColumns * 32;
  typedef Stage<Element, kM, kN, kThreads, kAligned> Tiles;
  static const int kSharedBytes = kStages * Tiles::kSize * static_cast<int>(sizeof(Element));

  __device__ static void run(const Element* a, const Element* b,
                             typename Format<Element>::Result* c, int m, int n, int k) {
    DYNAMIC_SHARED(shared);
    Element* const stages = reinterpret_cast<Element*>(shared);

    // Blocks that run at the same time share tiles in the L2 cache: eight block rows at a time,
    // column after column.
    const int block_rows = (m + kM - 1) / kM, block_columns = (n + kN - 1) / kN;
    const int group = 8 * block_columns, first = blockIdx.x / group * 8;
    const int height = block_rows - first < 8 ? block_rows - first : 8;
    const int row = (first + blockIdx.x % group % height) * kM;
    const int column = blockIdx.x % group / height * kN;

    const int warp = threadIdx.x / 32;
    const int warp_row = warp / kWarpColumns * kWarpM, warp_column = warp % kWarpColumns * kWarpN;
    const int steps = (k + Tiles::kK - 1) / Tiles::kK;

    WarpTile<Element, kWarpM / 16, kWarpN / 8> tile;
    tile.clear();
    for (int s = 0; s < kStages - 1; ++s) {
      if (s < steps)
        Tiles::load(stages + s * Tiles::kSize, a, b, m, n, k, row, column, s * Tiles::kK);
      commit_copies();
    }
    for (int s = 0; s < steps; ++s) {
      wait_for_copies<kStages - 2>();
      __syncthreads();  // this stage is there, and all have done with the one that is filled next
      const int ahead = s + kStages - 1;
      if (ahead < steps)
        Tiles::load(stages + ahead % kStages * Tiles::kSize, a, b, m, n, k, row, column,
                    ahead * Tiles::kK);
      commit_copies();
      const Element* stage = stages + s % kStages * Tiles::kSize;
#pragma unroll
      for (int q = 0; q < Tiles::kK; q += Format<Element>::kDepth)
        tile.add(stage + warp_row * Tiles::kStrideA + q, Tiles::kStrideA,
                 stage + kM * Tiles::kStrideA + q * Tiles::kStrideB + warp_column,
                 Tiles::kStrideB);
    }
    tile.template store<kAligned>(c, m, n, row + warp_row, column + warp_column, shared);
  }
};

#ifdef ELEMENT
typedef TensorProduct<ELEMENT, BLOCK_M, BLOCK_N, WARP_M, WARP_N, STAGES, ALIGNED> Product;
extern "C" __global__ void __launch_bounds__(Product::kThreads)
    matmul(const ELEMENT* a, const ELEMENT* b, Format<ELEMENT>::Result* c, int m, int n, int k) {
  Product::run(a, b, c, m, n, k);
}
#endif
