// C = A * B without tensor cores: row-major float or double, any m, n, k. Block tiles in shared
// memory, 8 x 8 (double: 8 x 4) sums a thread in registers, the next tile on its way in registers
// while this one is multiplied.
//
// Compiled with -D ELEMENT, and ALIGNED where rows of A and B start at multiples of 16 bytes.

template <typename Element, bool kAligned>
struct TiledProduct {
  static const int kVector = 16 / sizeof(Element);  // elements in one access
  static const int kM = 128, kN = 32 * kVector, kK = 8, kThreads = 256;
  static const int kRows = kM / 16, kColumns = kN / 16;  // of a thread's sums
  static const int kStrideA = kM + kVector;              // A lies transposed; fewer bank conflicts
  static const int kSize = kK * kStrideA + kK * kN;      // elements of a stage
  static const int kSharedBytes = 2 * kSize * static_cast<int>(sizeof(Element));
  static const int kLoadsA = kM * kK / kVector / kThreads, kLoadsB = kK * kN / kVector / kThreads;

  struct alignas(16) Vector {
    Element at[kVector];
  };

  __device__ static Vector load(const Element* matrix, int rows, int columns, int row, int column) {
    Vector vector;
    const Element* from = matrix + static_cast<size_t>(row) * columns + column;
    if (kAligned && row < rows && column < columns)
      return *reinterpret_cast<const Vector*>(from);
#pragma unroll
    for (int v = 0; v < kVector; ++v)
      vector.at[v] = !kAligned && row < rows && column + v < columns ? from[v] : Element(0);
    return vector;
  }

  // The tiles that begin at column `depth` of A and row `depth` of B, in registers.
  struct Tiles {
    Vector a[kLoadsA], b[kLoadsB];

    __device__ void fetch(const Element* matrix_a, const Element* matrix_b, int m, int n, int k,
                          int row, int column, int depth) {
#pragma unroll
      for (int i = 0; i < kLoadsA; ++i) {
        const int vector = i * kThreads + threadIdx.x;
        a[i] = load(matrix_a, m, k, row + vector / (kK / kVector),
                    depth + vector % (kK / kVector) * kVector);
      }
#pragma unroll
      for (int i = 0; i < kLoadsB; ++i) {
        const int vector = i * kThreads + threadIdx.x;
        b[i] = load(matrix_b, k, n, depth + vector / (kN / kVector),
                    column + vector % (kN / kVector) * kVector);
      }
    }

    __device__ void put(Element* stage) const {
#pragma unroll
      for (int i = 0; i < kLoadsA; ++i) {
        const int vector = i * kThreads + threadIdx.x;
#pragma unroll
        for (int v = 0; v < kVector; ++v)
          stage[(vector % (kK / kVector) * kVector + v) * kStrideA + vector / (kK / kVector)] =
              a[i].at[v];
      }
#pragma unroll
      for (int i = 0; i < kLoadsB; ++i)
        *reinterpret_cast<Vector*>(stage + kK * kStrideA + (i * kThreads + threadIdx.x) * kVector) =
            b[i];
    }
  };

  // A thread's rows and columns come in vectors that are 16 vectors apart.
  __device__ static int spread(int i, int thread) {
    return i / kVector * 16 * kVector + thread * kVector + i % kVector;
  }

  __device__ static void run(const Element* a, const Element* b, Element* c, int m, int n, int k) {
    DYNAMIC_SHARED(shared);
    Element* const stages = reinterpret_cast<Element*>(shared);
    const int block_rows = (m + kM - 1) / kM, block_columns = (n + kN - 1) / kN;
    const int group = 8 * block_columns, first = blockIdx.x / group * 8;
    const int height = block_rows - first < 8 ? block_rows - first : 8;
    const int row = (first + blockIdx.x % group % height) * kM;
    const int column = blockIdx.x % group / height * kN;
    const int y = threadIdx.x / 16, x = threadIdx.x % 16;

    Element sums[kRows][kColumns] = {};
    Tiles next;
    next.fetch(a, b, m, n, k, row, column, 0);
    next.put(stages);
    __syncthreads();
    for (int depth = 0, s = 0; depth < k; depth += kK, s ^= 1) {
      const bool more = depth + kK < k;
      if (more) next.fetch(a, b, m, n, k, row, column, depth + kK);
      const Element* stage = stages + s * kSize;
#pragma unroll
      for (int p = 0; p < kK; ++p) {
        Vector va[kRows / kVector], vb[kColumns / kVector];
#pragma unroll
        for (int i = 0; i < kRows / kVector; ++i)
          va[i] = *reinterpret_cast<const Vector*>(stage + p * kStrideA + spread(i * kVector, y));
#pragma unroll
        for (int j = 0; j < kColumns / kVector; ++j)
          vb[j] = *reinterpret_cast<const Vector*>(stage + kK * kStrideA + p * kN +
                                                   spread(j * kVector, x));
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
          for (int j = 0; j < kColumns; ++j)
            sums[i][j] += va[i / kVector].at[i % kVector] * vb[j / kVector].at[j % kVector];
      }
      if (more) next.put(stages + (s ^ 1) * kSize);
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i)
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        const int r = row + spread(i, y), q = column + spread(j, x);
        if (r < m && q < n) c[static_cast<size_t>(r) * n + q] = sums[i][j];
      }
  }
};

#ifdef ELEMENT
typedef TiledProduct<ELEMENT, ALIGNED> Product;
extern "C" __global__ void __launch_bounds__(Product::kThreads, sizeof(ELEMENT) == 4 ? 2 : 1)
    matmul(const ELEMENT* a, const ELEMENT* b, ELEMENT* c, int m, int n, int k) {
  Product::run(a, b, c, m, n, k);
}
#endif
