// A GPU's block of threads on the CPU: runs the text of kernels/cuda/source/*.cu as it is.
//
// Each thread of a block is a fiber (ucontext), one block at a time. A fiber runs until it meets a
// barrier or a warp-wide instruction, so a thread that should have waited and did not finds what
// is not there yet: shared memory is filled with NaN before each block, an asynchronous copy
// arrives only when it is waited for, and `reversed` runs the threads in the other order.
//
// The warp-wide instructions stand for those of kernels/cuda/source/warp.cu and were written from
// the tables of the PTX ISA ("Matrix Fragments for mma.m16n8k16", "... mma.m16n8k8", "ldmatrix",
// "cp.async", "cvt"), not from the kernels: element i of lane's fragment is at the row and column
// given there. The layout of wmma fragments is not documented, so here it is an arbitrary one.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "kernels/reference/matrix.hpp"

namespace emulation {

constexpr int kWarp = 32;
constexpr std::size_t kStack = 256 << 10;

struct PendingCopy {
  void* to;
  std::array<unsigned char, 16> bytes;
  int group;
};

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[kStack]};
  bool done = false, waiting = false;
  int groups = 0;
  std::vector<PendingCopy> copies;
};

struct Warp {
  int arrived = 0, generation = 0;
  std::array<std::array<unsigned char, 256>, kWarp> in, out;
};

// The block that runs. One at a time, in one thread: tests call run() from one thread only.
class Block {
 public:
  Block(int threads, std::size_t shared_bytes, bool reversed)
      : fibers_(threads), warps_(threads / kWarp), shared_(shared_bytes + 128), reversed_(reversed) {}

  static Block*& current() {
    static Block* block = nullptr;
    return block;
  }

  void run(const std::function<void()>& kernel, unsigned index) {
    current() = this;
    block_ = index;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 0; i + 4 <= shared_.size(); i += 4) std::memcpy(&shared_[i], &nan, 4);
    kernel_ = &kernel;
    for (Fiber& fiber : fibers_) {
      fiber.done = fiber.waiting = false;
      fiber.groups = 0;
      fiber.copies.clear();
      getcontext(&fiber.context);
      fiber.context.uc_stack = {fiber.stack.get(), 0, kStack};
      fiber.context.uc_link = &scheduler_;
      makecontext(&fiber.context, &enter, 0);
    }
    const int count = static_cast<int>(fibers_.size());
    for (int left = count, idle = 0; left > 0;) {
      bool progress = false;
      for (int i = 0; i < count; ++i) {
        thread_ = reversed_ ? count - 1 - i : i;
        Fiber& fiber = fibers_[thread_];
        if (fiber.done) continue;
        const int before = events_;
        swapcontext(&scheduler_, &fiber.context);
        if (fiber.done) --left;
        if (error_) std::rethrow_exception(error_);
        progress = progress || fiber.done || events_ != before;
      }
      idle = progress ? 0 : idle + 1;
      if (idle > 2) throw std::runtime_error("a barrier that not all threads reach");
    }
    current() = nullptr;
  }

  unsigned thread() const { return thread_; }
  unsigned index() const { return block_; }
  unsigned char* shared() {
    auto address = reinterpret_cast<std::uintptr_t>(shared_.data());
    return shared_.data() + (128 - address % 128) % 128;
  }

  void barrier() {
    ++events_;
    const int generation = generation_;
    if (++arrived_ == static_cast<int>(fibers_.size())) {
      arrived_ = 0;
      ++generation_;
      return;
    }
    while (generation_ == generation) yield();
  }

  // All lanes bring `in`; the last to come makes all lanes' `out` of them.
  template <typename In, typename Out, typename Make>
  Out together(const In& in, Make make) {
    static_assert(sizeof(In) <= 256 && sizeof(Out) <= 256);
    ++events_;
    Warp& warp = warps_[thread_ / kWarp];
    const int lane = thread_ % kWarp, generation = warp.generation;
    std::memcpy(warp.in[lane].data(), &in, sizeof(In));
    if (++warp.arrived == kWarp) {
      std::array<In, kWarp> ins;
      std::array<Out, kWarp> outs{};
      for (int i = 0; i < kWarp; ++i) std::memcpy(&ins[i], warp.in[i].data(), sizeof(In));
      make(ins, outs);
      for (int i = 0; i < kWarp; ++i) std::memcpy(warp.out[i].data(), &outs[i], sizeof(Out));
      warp.arrived = 0;
      ++warp.generation;
    } else {
      while (warp.generation == generation) yield();
    }
    Out out;
    std::memcpy(&out, warp.out[lane].data(), sizeof(Out));
    return out;
  }

  Fiber& fiber() { return fibers_[thread_]; }

 private:
  static void enter() {
    Block& block = *current();
    try {
      (*block.kernel_)();
    } catch (...) {  // an exception cannot leave its fiber
      block.error_ = std::current_exception();
    }
    block.fibers_[block.thread_].done = true;
  }

  void yield() {
    const int mine = thread_;
    swapcontext(&fibers_[mine].context, &scheduler_);
  }

  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  std::vector<unsigned char> shared_;
  bool reversed_;
  ucontext_t scheduler_;
  const std::function<void()>* kernel_ = nullptr;
  int thread_ = 0, arrived_ = 0, generation_ = 0, events_ = 0;
  unsigned block_ = 0;
  std::exception_ptr error_;
};

inline Block& block() { return *Block::current(); }

// threadIdx and blockIdx.
struct ThreadIndex {
  struct X {
    operator unsigned() const { return block().thread(); }
  } x;
};
struct BlockIndex {
  struct X {
    operator unsigned() const { return block().index(); }
  } x;
};

inline void launch(int blocks, int threads, std::size_t shared_bytes, bool reversed,
                   const std::function<void()>& kernel) {
  Block block(threads, shared_bytes, reversed);
  for (int i = 0; i < blocks; ++i) block.run(kernel, static_cast<unsigned>(i));
}

}  // namespace emulation

// ---- What CUDA C++ has and C++ has not ----------------------------------------------------------
#define __device__
#define DYNAMIC_SHARED(name) unsigned char* name = emulation::block().shared()
static constexpr emulation::ThreadIndex threadIdx;
static constexpr emulation::BlockIndex blockIdx;
inline void __syncthreads() { emulation::block().barrier(); }
inline void __syncwarp() {
  emulation::block().together<int, int>(0, [](const auto&, auto&) {});
}
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }

// ---- What stands for kernels/cuda/source/warp.cu ------------------------------------------------
struct float16 {
  unsigned short bits;
};
struct bfloat16 {
  unsigned short bits;
};
struct tf32 {
  float value;
};

namespace emulation {

inline void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

inline float value_of(float16, unsigned bits) {
  return stackx::kernels::from_float16(static_cast<std::uint16_t>(bits));
}
inline float value_of(bfloat16, unsigned bits) { return std::bit_cast<float>(bits << 16); }
// The multiplier cuts off the 13 lowest bits of a float's fraction.
inline float value_of(tf32, unsigned bits) { return std::bit_cast<float>(bits & ~0x1fffu); }

template <typename Sum, typename Register>
struct Operands {
  Sum c[4];
  Register a[4], b[2];
};
template <typename Sum>
struct Result {
  Sum c[4];
};

// "Accumulators (C or D)": row = groupID for c0, c1, groupID + 8 for c2, c3;
// col = threadID_in_group * 2 + (i & 1).
inline int row_of_c(int lane, int i) { return (lane >> 2) + (i < 2 ? 0 : 8); }
inline int column_of_c(int lane, int i) { return lane % 4 * 2 + (i & 1); }

template <typename Sum, int kDepth>
void multiply_and_spread(const double (&a)[16][kDepth], const double (&b)[kDepth][8],
                         const auto& ins, auto& outs) {
  for (int lane = 0; lane < kWarp; ++lane)
    for (int i = 0; i < 4; ++i) {
      double sum = ins[lane].c[i];
      for (int p = 0; p < kDepth; ++p)
        sum += a[row_of_c(lane, i)][p] * b[p][column_of_c(lane, i)];
      outs[lane].c[i] = static_cast<Sum>(sum);
    }
}

// mma.m16n8k16, .f16 and .bf16. A: row = groupID for a_i with 0 <= i < 2 or 4 <= i < 6, groupID + 8
// otherwise; col = threadID_in_group * 2 + (i & 1), + 8 for i >= 4. B: row = threadID_in_group * 2 +
// (i & 1), + 8 for i >= 2; col = groupID. Two elements a register, the first in the lower half.
template <typename Element>
void mma_16x8x16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  Operands<float, unsigned> in;
  std::copy_n(c, 4, in.c), std::copy_n(a, 4, in.a), std::copy_n(b, 2, in.b);
  const auto out = block().together<Operands<float, unsigned>, Result<float>>(
      in, [](const auto& ins, auto& outs) {
        double whole_a[16][16], whole_b[16][8];
        for (int lane = 0; lane < kWarp; ++lane) {
          const int group = lane >> 2, within = lane % 4;
          for (int i = 0; i < 8; ++i) {
            const int row = i < 2 || (4 <= i && i < 6) ? group : group + 8;
            const int column = within * 2 + (i & 1) + (i >= 4 ? 8 : 0);
            whole_a[row][column] =
                value_of(Element(), ins[lane].a[i / 2] >> (16 * (i & 1)) & 0xffff);
          }
          for (int i = 0; i < 4; ++i)
            whole_b[within * 2 + (i & 1) + (i >= 2 ? 8 : 0)][group] =
                value_of(Element(), ins[lane].b[i / 2] >> (16 * (i & 1)) & 0xffff);
        }
        multiply_and_spread<float, 16>(whole_a, whole_b, ins, outs);
      });
  std::copy_n(out.c, 4, c);
}

// mma.m16n8k8, .tf32 and .f64. A: row = groupID for a0, a2, groupID + 8 for a1, a3;
// col = threadID_in_group for a0, a1, + 4 for a2, a3. B: row = threadID_in_group for b0, + 4 for b1;
// col = groupID.
template <typename Sum, typename Register, typename Value>
void mma_16x8x8(Sum (&c)[4], const Register (&a)[4], const Register (&b)[2], Value value) {
  Operands<Sum, Register> in;
  std::copy_n(c, 4, in.c), std::copy_n(a, 4, in.a), std::copy_n(b, 2, in.b);
  const auto out = block().together<Operands<Sum, Register>, Result<Sum>>(
      in, [&](const auto& ins, auto& outs) {
        double whole_a[16][8], whole_b[8][8];
        for (int lane = 0; lane < kWarp; ++lane) {
          const int group = lane >> 2, within = lane % 4;
          for (int i = 0; i < 4; ++i)
            whole_a[i == 0 || i == 2 ? group : group + 8][i < 2 ? within : within + 4] =
                value(ins[lane].a[i]);
          for (int i = 0; i < 2; ++i) whole_b[within + 4 * i][group] = value(ins[lane].b[i]);
        }
        multiply_and_spread<Sum, 8>(whole_a, whole_b, ins, outs);
      });
  std::copy_n(out.c, 4, c);
}

// ldmatrix .m8n8 .x4 .b16: threads 8j to 8j+7 hold the addresses of the rows of matrix j. Thread t
// gets from each matrix row t / 4, elements 2 (t % 4) and the next; with .trans the matrix is read
// in column-major order.
inline void ldmatrix(unsigned (&r)[4], const void* row, bool transposed) {
  require(reinterpret_cast<std::uintptr_t>(row) % 16 == 0, "ldmatrix: a row that is not aligned");
  struct Out {
    unsigned r[4];
  };
  const auto out = block().together<const void*, Out>(row, [&](const auto& rows, auto& outs) {
    for (int j = 0; j < 4; ++j) {
      std::uint16_t matrix[8][8];
      for (int i = 0; i < 8; ++i) std::memcpy(matrix[i], rows[8 * j + i], 16);
      for (int t = 0; t < kWarp; ++t) {
        const int line = t / 4, first = t % 4 * 2;
        const unsigned low = transposed ? matrix[first][line] : matrix[line][first];
        const unsigned high = transposed ? matrix[first + 1][line] : matrix[line][first + 1];
        outs[t].r[j] = low | high << 16;
      }
    }
  });
  std::copy_n(out.r, 4, r);
}

// An arbitrary but fixed place of element i of a lane in a 16 x 16 matrix.
inline int scattered(int lane, int i) { return (i * kWarp + lane) * 37 % 256; }

}  // namespace emulation

inline float16 to_float16(float value) { return {stackx::kernels::to_float16(value)}; }

inline void copy_16_bytes(void* shared, const void* global, bool inside) {
  emulation::require(reinterpret_cast<std::uintptr_t>(shared) % 16 == 0 &&
                         reinterpret_cast<std::uintptr_t>(global) % 16 == 0,
                     "cp.async: an address that is not aligned");
  emulation::PendingCopy copy{shared, {}, emulation::block().fiber().groups};
  if (inside) std::memcpy(copy.bytes.data(), global, 16);
  emulation::block().fiber().copies.push_back(copy);
}
inline void commit_copies() { ++emulation::block().fiber().groups; }
template <int kPending>
inline void wait_for_copies() {
  emulation::Fiber& fiber = emulation::block().fiber();
  std::erase_if(fiber.copies, [&](const emulation::PendingCopy& copy) {
    if (copy.group >= fiber.groups - kPending) return false;
    std::memcpy(copy.to, copy.bytes.data(), 16);
    return true;
  });
}

inline void load_matrices(unsigned (&r)[4], const void* row) { emulation::ldmatrix(r, row, false); }
inline void load_matrices_transposed(unsigned (&r)[4], const void* row) {
  emulation::ldmatrix(r, row, true);
}
inline void multiply(float16, float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  emulation::mma_16x8x16<float16>(c, a, b);
}
inline void multiply(bfloat16, float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  emulation::mma_16x8x16<bfloat16>(c, a, b);
}
inline void multiply(tf32, float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  emulation::mma_16x8x8(c, a, b, [](unsigned bits) { return emulation::value_of(tf32(), bits); });
}
inline void multiply(double, double (&c)[4], const double (&a)[4], const double (&b)[2]) {
  emulation::mma_16x8x8(c, a, b, [](double value) { return value; });
}
// cvt.rna: to nearest, ties away from zero.
inline unsigned round_to_tf32(unsigned bits) { return (bits + 0x1000) & ~0x1fffu; }

inline void wmma_load(unsigned (&r)[8], const float16* tile, int stride) {
  emulation::require(reinterpret_cast<std::uintptr_t>(tile) % 32 == 0 && stride % 8 == 0,
                     "wmma.load: alignment");
  const int lane = static_cast<int>(emulation::block().thread() % 32);
  for (int i = 0; i < 8; ++i) {
    const int place = emulation::scattered(lane, i);
    r[i] = tile[place / 16 * stride + place % 16].bits;
  }
  __syncwarp();
}
inline void wmma_load_a(unsigned (&r)[8], const float16* tile, int stride) {
  wmma_load(r, tile, stride);
}
inline void wmma_load_b(unsigned (&r)[8], const float16* tile, int stride) {
  wmma_load(r, tile, stride);
}
inline void wmma_multiply(float (&c)[8], const unsigned (&a)[8], const unsigned (&b)[8]) {
  struct In {
    float c[8];
    unsigned a[8], b[8];
  } in;
  struct Out {
    float c[8];
  };
  std::copy_n(c, 8, in.c), std::copy_n(a, 8, in.a), std::copy_n(b, 8, in.b);
  const auto out =
      emulation::block().together<In, Out>(in, [](const auto& ins, auto& outs) {
        double a[256], b[256];
        for (int lane = 0; lane < 32; ++lane)
          for (int i = 0; i < 8; ++i) {
            const int place = emulation::scattered(lane, i);
            a[place] = emulation::value_of(float16(), ins[lane].a[i]);
            b[place] = emulation::value_of(float16(), ins[lane].b[i]);
          }
        for (int lane = 0; lane < 32; ++lane)
          for (int i = 0; i < 8; ++i) {
            const int place = emulation::scattered(lane, i);
            double sum = ins[lane].c[i];
            for (int p = 0; p < 16; ++p) sum += a[place / 16 * 16 + p] * b[p * 16 + place % 16];
            outs[lane].c[i] = static_cast<float>(sum);
          }
      });
  std::copy_n(out.c, 8, c);
}
inline void wmma_store(float* tile, const float (&c)[8], int stride) {
  const int lane = static_cast<int>(emulation::block().thread() % 32);
  for (int i = 0; i < 8; ++i) {
    const int place = emulation::scattered(lane, i);
    tile[place / 16 * stride + place % 16] = c[i];
  }
}
