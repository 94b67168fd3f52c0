#include "kernels/reference/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <vector>

#include "kernels/parallel.hpp"
#include "kernels/reference/ulps.hpp"

namespace stackx::kernels {
namespace {

constexpr std::size_t kTile =
    256;                           // columns of B at a time: four rows of sums stay in the L1 cache
constexpr std::size_t kGroup = 4;  // rows of A at a time: each element of B is loaded once for four
constexpr std::size_t kBlock =
    128;  // terms summed before they join the total: the reference must err less than u
constexpr std::size_t kProbes = 32;     // vectors multiplied at a time
constexpr std::size_t kFreivalds = 20;  // of them random; the others pick columns
constexpr std::size_t kSampledRows = 12;
// A sum of n rounding errors of one sign each way exceeds this times their norm with 1e-17
// (Hoeffding).
constexpr double kRoundings = 9;

// sums[r][j] += a[r][p] * b[p][j]. The body is compiled once for each instruction set; which one
// runs is chosen at run time, since the program must start on any x86-64.
[[gnu::always_inline]] inline void multiply_tile_body(const double* const* a, std::size_t k,
                                                      const double* b, double* sums) {
  for (std::size_t first = 0; first < k; first += kBlock) {
    double block[kGroup * kTile] = {};
    for (std::size_t p = first; p < std::min(k, first + kBlock); ++p) {
      const double a0 = a[0][p], a1 = a[1][p], a2 = a[2][p], a3 = a[3][p];
      const double* row = b + p * kTile;
      for (std::size_t j = 0; j < kTile; ++j) {
        block[j] += a0 * row[j];
        block[kTile + j] += a1 * row[j];
        block[2 * kTile + j] += a2 * row[j];
        block[3 * kTile + j] += a3 * row[j];
      }
    }
    for (std::size_t i = 0; i < kGroup * kTile; ++i) sums[i] += block[i];
  }
}

// sums[v] += row[j] * probes[j][v].
[[gnu::always_inline]] inline void probe_row_body(const double* row, std::size_t count,
                                                  const double* probes, double* sums) {
  for (std::size_t first = 0; first < count; first += kBlock) {
    double block[kProbes] = {};
    for (std::size_t j = first; j < std::min(count, first + kBlock); ++j)
      for (std::size_t v = 0; v < kProbes; ++v) block[v] += row[j] * probes[j * kProbes + v];
    for (std::size_t v = 0; v < kProbes; ++v) sums[v] += block[v];
  }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void multiply_tile_avx512(const double* const* a, std::size_t k,
                                                     const double* b, double* sums) {
  multiply_tile_body(a, k, b, sums);
}
[[gnu::target("avx2,fma")]] void multiply_tile_avx2(const double* const* a, std::size_t k,
                                                    const double* b, double* sums) {
  multiply_tile_body(a, k, b, sums);
}
[[gnu::target("avx512f")]] void probe_row_avx512(const double* row, std::size_t count,
                                                 const double* probes, double* sums) {
  probe_row_body(row, count, probes, sums);
}
[[gnu::target("avx2,fma")]] void probe_row_avx2(const double* row, std::size_t count,
                                                const double* probes, double* sums) {
  probe_row_body(row, count, probes, sums);
}
#endif

void multiply_tile(const double* const* a, std::size_t k, const double* b, double* sums) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return multiply_tile_avx512(a, k, b, sums);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return multiply_tile_avx2(a, k, b, sums);
#endif
  multiply_tile_body(a, k, b, sums);
}

void probe_row(const double* row, std::size_t count, const double* probes, double* sums) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return probe_row_avx512(row, count, probes, sums);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return probe_row_avx2(row, count, probes, sums);
#endif
  probe_row_body(row, count, probes, sums);
}

double norm(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

// Some of 0..size-1, the first and last among them; all if there are no more than `count`.
std::vector<std::size_t> sample(std::size_t size, std::size_t count, std::uint64_t seed) {
  std::set<std::size_t> chosen;
  if (size <= count) {
    for (std::size_t i = 0; i < size; ++i) chosen.insert(i);
  } else {
    chosen = {0, size - 1};
    for (std::uint64_t i = 0; chosen.size() < count; ++i) chosen.insert(random_at(seed, i) % size);
  }
  return {chosen.begin(), chosen.end()};
}

class Checker {
 public:
  Checker(const Operand& a, const Operand& b, const Operand& c, const Tolerance& tolerance)
      : a_(a), b_(b), c_(c), m_(a.rows()), n_(b.columns()), k_(a.columns()), tolerance_(tolerance), precision_(precision_of(tolerance.stored)) {
    check_.bound = tolerance.sum;
    check_.pass = true;
    if (precision_) check_.max_ulps = 0;
  }

  void compare_rows(const std::vector<std::size_t>& rows) {
    std::vector<double> values(rows.size() * k_), norms(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::span<double> row(values.data() + r * k_, k_);
      a_.read(rows[r], 0, row);
      norms[r] = norm(row);
    }
    in_parallel((n_ + kTile - 1) / kTile, fewest(k_ * kTile), [&](std::size_t begin, auto end) {
      Worst worst;
      std::vector<double> tile(k_ * kTile);
      for (std::size_t t = begin; t < end; ++t) {
        const std::size_t first = t * kTile, width = std::min(kTile, n_ - first);
        std::vector<double> scales(kTile);
        for (std::size_t p = 0; p < k_; ++p) {
          b_.read(p, first, std::span(tile.data() + p * kTile, width));
          for (std::size_t j = 0; j < width; ++j)
            scales[j] += tile[p * kTile + j] * tile[p * kTile + j];
        }
        for (double& scale : scales) scale = std::sqrt(scale);
        for (std::size_t r = 0; r < rows.size(); r += kGroup)
          compare_group(worst, rows, values, norms, r, first, width, tile, scales);
      }
      add(worst);
    });
  }

  void compare_probes(std::uint64_t seed) {
    // Column v of `probes` is a random vector of +-1 or the unit vector of a sampled column.
    const std::vector<std::size_t> columns =
        sample(n_, kProbes - kFreivalds, random_at(seed, ~std::uint64_t{0}));
    std::vector<double> probes(n_ * kProbes);
    for (std::size_t j = 0; j < n_; ++j) {
      const std::uint64_t bits = random_at(random_at(seed, 1), j);
      for (std::size_t v = 0; v < kFreivalds; ++v)
        probes[j * kProbes + v] = (bits >> v) & 1 ? 1 : -1;
    }
    for (std::size_t v = 0; v < columns.size(); ++v)
      probes[columns[v] * kProbes + kFreivalds + v] = 1;

    std::vector<double> products(k_ * kProbes), scales(kProbes);
    double square = 0;
    in_parallel(k_, fewest(n_ * kProbes), [&](std::size_t begin, std::size_t end) {
      std::vector<double> row(n_), squares(kProbes);
      double sum = 0;
      for (std::size_t p = begin; p < end; ++p) {
        b_.read(p, 0, row);
        probe_row(row.data(), n_, probes.data(), products.data() + p * kProbes);
        for (const double value : row) sum += value * value;
        for (std::size_t v = kFreivalds; v < kProbes; ++v)
          squares[v] += std::pow(products[p * kProbes + v], 2);
      }
      const std::lock_guard lock(mutex_);
      square += sum;
      for (std::size_t v = 0; v < kProbes; ++v) scales[v] += squares[v];
    });
    const double norm_b = std::sqrt(square);
    for (std::size_t v = 0; v < kProbes; ++v)
      scales[v] = v < kFreivalds ? norm_b * (1 + own_error()) : std::sqrt(scales[v]);

    in_parallel(m_, fewest((k_ + n_) * kProbes), [&](std::size_t begin, std::size_t end) {
      Worst worst;
      std::vector<double> row(std::max(n_, k_));
      for (std::size_t i = begin; i < end; ++i)
        compare_row_with_probes(worst, i, row, probes, products, scales, columns, norm_b);
      add(worst);
    });
  }

  Check finish(std::string reference) {
    check_.reference = std::move(reference);
    if (check_.pass) check_.detail.clear();
    return check_;
  }

 private:
  // What summing n entries of C in double may add to Freivalds' difference, as a share of the
  // tolerance. It counts for float64 only, and there only if n is far above k; integers are summed
  // exactly.
  double own_error() const {
    if (check_.bound == 0) return 0;
    return kSafety * 0x1p-53 / check_.bound *
           std::sqrt(static_cast<double>(n_) / static_cast<double>(k_));
  }

  struct Worst {
    double error = 0, ulps = 0;
    bool pass = true;
    std::string detail;
  };

  // So few items of that much work that a thread is not worth it.
  static std::size_t fewest(std::size_t work) {
    return (std::size_t{1} << 26) / std::max<std::size_t>(work, 1) + 1;
  }

  void add(const Worst& worst) {
    const std::lock_guard lock(mutex_);
    if (worst.error >= check_.max_relative_error && !worst.pass) check_.detail = worst.detail;
    check_.max_relative_error = std::max(check_.max_relative_error, worst.error);
    if (precision_) check_.max_ulps = std::max(*check_.max_ulps, worst.ulps);
    check_.pass = check_.pass && worst.pass;
  }

  void compare_row_with_probes(Worst& worst, std::size_t i, std::vector<double>& row,
                               const std::vector<double>& probes,
                               const std::vector<double>& products,
                               const std::vector<double>& scales,
                               const std::vector<std::size_t>& columns, double norm_b) {
    double expected[kProbes] = {}, found[kProbes] = {};
    a_.read(i, 0, std::span(row.data(), k_));
    probe_row(row.data(), k_, products.data(), expected);
    const double length = norm(std::span<const double>(row.data(), k_));
    c_.read(i, 0, std::span(row.data(), n_));
    probe_row(row.data(), n_, probes.data(), found);
    // The row's own norm, but not that of a wrong row: random rows and columns make |a_i||B|/sqrt(k).
    const double most = 8 * length * norm_b / std::sqrt(static_cast<double>(k_));
    const double norm_c =
        tolerance_.result > 0 ? norm(std::span<const double>(row.data(), n_)) : 0;
    const double rounding =
        kRoundings * (tolerance_.result * (norm_c < most ? norm_c : most) +
                      tolerance_.least * std::sqrt(static_cast<double>(n_)));
    for (std::size_t v = 0; v < kFreivalds; ++v)
      note(worst, found[v], expected[v], length * scales[v], rounding,
           [&] { return fmt::format("row {} times a random vector", i); });
    for (std::size_t v = 0; v < columns.size(); ++v)
      // Read again: in `found`, a NaN elsewhere in the row would show in this column too.
      note_entry(worst, entry(i, columns[v]), expected[kFreivalds + v],
                 length * scales[kFreivalds + v], i, columns[v]);
  }

  void compare_group(Worst& worst, const std::vector<std::size_t>& rows, const std::vector<double>& values,
                     const std::vector<double>& norms, std::size_t r, std::size_t first,
                     std::size_t width, const std::vector<double>& tile,
                     const std::vector<double>& scales) {
    const std::size_t count = std::min(kGroup, rows.size() - r);
    const double* a[kGroup];
    for (std::size_t g = 0; g < kGroup; ++g)
      a[g] = values.data() + (r + std::min(g, count - 1)) * k_;
    double sums[kGroup * kTile] = {}, found[kTile];
    multiply_tile(a, k_, tile.data(), sums);
    for (std::size_t g = 0; g < count; ++g) {
      c_.read(rows[r + g], first, std::span(found, width));
      for (std::size_t j = 0; j < width; ++j)
        note_entry(worst, found[j], sums[g * kTile + j], norms[r + g] * scales[j], rows[r + g],
                   first + j);
    }
  }

  void note_entry(Worst& worst, double found, double expected, double scale, std::size_t i,
                  std::size_t j) {
    if (precision_) worst.ulps = std::max(worst.ulps, ulps_between(found, expected, *precision_));
    note(worst, found, expected, scale, std::max(tolerance_.result * std::abs(expected), tolerance_.least),
         [&] { return place(i, j); });
  }

  // `rounding` is what storing the result may add.
  template <typename Place>
  void note(Worst& worst, double found, double expected, double scale, double rounding,
            Place place) {
    const double difference = std::abs(found - expected);
    if (difference <= rounding) return;
    double relative =
        scale > 0 ? (difference - rounding) / scale : std::numeric_limits<double>::max();
    if (!std::isfinite(relative)) relative = std::numeric_limits<double>::max();  // JSON has no NaN
    const bool is_worst = relative > worst.error;
    worst.error = std::max(worst.error, relative);
    if (difference <= check_.bound * scale + rounding) return;
    worst.pass = false;
    if (is_worst)
      worst.detail = fmt::format("{} is {:.9g}, expected {:.9g}", place(), found, expected);
  }

  double entry(std::size_t i, std::size_t j) const {
    double value = 0;
    c_.read(i, j, std::span(&value, 1));
    return value;
  }
  static std::string place(std::size_t i, std::size_t j) { return fmt::format("c[{},{}]", i, j); }

  const Operand &a_, &b_, &c_;
  std::size_t m_, n_, k_;
  Tolerance tolerance_;
  std::optional<Precision> precision_;
  Check check_;
  std::mutex mutex_;
};

}  // namespace

Tolerance tolerance_of(Dtype dtype, std::size_t depth, Unit unit) {
  return tolerance_of(dtype, depth, unit, elements(dtype).c);
}

Tolerance tolerance_of(Dtype dtype, std::size_t depth, Unit unit, Element stored) {
  const double k = static_cast<double>(depth), root = std::sqrt(k), u = unit_roundoff(dtype);
  Tolerance tolerance{kSafety * u, 0};
  tolerance.stored = stored;
  const bool floats = stored != Element::int32 && dtype != Dtype::float64;
  if (unit == Unit::tensor_cores && floats) tolerance.sum += (dtype == Dtype::fp8 ? kCutFp8 : kCut) * root * u;
  if (dtype == Dtype::tf32) tolerance.sum += kTf32 * 0x1p-10 / root * (1 + 3 / root);
  if (stored == Element::float16) tolerance.result = 0x1p-11, tolerance.least = 0x1p-25;
  if (stored == Element::bfloat16) tolerance.result = 0x1p-8;
  return tolerance;
}

double check_memory(double rows, double columns, double depth, double full_check_flop) {
  const bool full = 2 * rows * columns * depth <= full_check_flop;
  const auto threads = [](double items) { return std::min(items, static_cast<double>(usable_cpus())); };
  const double compared = full ? rows : std::min(rows, static_cast<double>(kSampledRows)),
               tiles = threads(std::ceil(columns / kTile)),
               by_rows = compared * depth + tiles * depth * kTile,
               by_probes = (columns + depth) * kProbes + threads(std::max(rows, depth)) * std::max(columns, depth);
  return sizeof(double) * (full ? by_rows : std::max(by_rows, by_probes));
}

Check check_product(const Operand& a, const Operand& b, const Operand& c, Dtype dtype,
                    std::uint64_t seed, double full_check_flop) {
  return check_product(a, b, c, tolerance_of(dtype, a.columns(), Unit::scalar), seed,
                       full_check_flop);
}

Check check_product(const Operand& a, const Operand& b, const Operand& c, const Tolerance& tolerance,
                    std::uint64_t seed, double full_check_flop) {
  const double flop = 2.0 * static_cast<double>(a.rows()) * static_cast<double>(b.columns()) *
                      static_cast<double>(a.columns());
  const bool full = flop <= full_check_flop;
  Checker checker(a, b, c, tolerance);
  checker.compare_rows(sample(a.rows(), full ? a.rows() : kSampledRows, random_at(seed, 0)));
  if (full) return checker.finish("every entry in double");
  checker.compare_probes(seed);
  return checker.finish(fmt::format(
      "{} rows and {} columns in double, all entries by Freivalds with {} vectors",
      std::min(kSampledRows, a.rows()), std::min(kProbes - kFreivalds, b.columns()), kFreivalds));
}

}  // namespace stackx::kernels
