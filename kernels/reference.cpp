#include "kernels/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

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
  Checker(const Matrix& a, const Matrix& b, const Matrix& c, double bound)
      : a_(a), b_(b), c_(c), m_(a.rows()), n_(b.columns()), k_(a.columns()) {
    check_.bound = bound;
    check_.pass = true;
  }

  void compare_rows(const std::vector<std::size_t>& rows) {
    std::vector<double> values(rows.size() * k_), norms(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::span<double> row(values.data() + r * k_, k_);
      a_.read(rows[r], 0, row);
      norms[r] = norm(row);
    }
    std::vector<double> tile(k_ * kTile);
    for (std::size_t first = 0; first < n_; first += kTile) {
      const std::size_t width = std::min(kTile, n_ - first);
      std::vector<double> scales(kTile);
      for (std::size_t p = 0; p < k_; ++p) {
        b_.read(p, first, std::span(tile.data() + p * kTile, width));
        for (std::size_t j = 0; j < width; ++j)
          scales[j] += tile[p * kTile + j] * tile[p * kTile + j];
      }
      for (double& scale : scales) scale = std::sqrt(scale);
      for (std::size_t r = 0; r < rows.size(); r += kGroup)
        compare_group(rows, values, norms, r, first, width, tile, scales);
    }
  }

  void compare_probes(std::uint64_t seed) {
    // Column v of `probes` is a random vector of +-1 or the unit vector of a sampled column.
    const auto columns = sample(n_, kProbes - kFreivalds, random_at(seed, 1));
    std::vector<double> probes(n_ * kProbes);
    for (std::size_t j = 0; j < n_; ++j) {
      const std::uint64_t bits = random_at(random_at(seed, 2), j);
      for (std::size_t v = 0; v < kFreivalds; ++v)
        probes[j * kProbes + v] = (bits >> v) & 1 ? 1 : -1;
    }
    for (std::size_t v = 0; v < columns.size(); ++v)
      probes[columns[v] * kProbes + kFreivalds + v] = 1;

    std::vector<double> products(k_ * kProbes), row(std::max(n_, k_)), scales(kProbes);
    double square = 0;
    for (std::size_t p = 0; p < k_; ++p) {
      const std::span<double> values(row.data(), n_);
      b_.read(p, 0, values);
      probe_row(row.data(), n_, probes.data(), products.data() + p * kProbes);
      for (const double value : values) square += value * value;
      for (std::size_t v = kFreivalds; v < kProbes; ++v)
        scales[v] += std::pow(products[p * kProbes + v], 2);
    }
    for (std::size_t v = 0; v < kProbes; ++v)
      scales[v] = std::sqrt(v < kFreivalds ? square : scales[v]);
    for (std::size_t v = 0; v < kFreivalds; ++v) scales[v] *= 1 + own_error();

    for (std::size_t i = 0; i < m_; ++i) {
      double expected[kProbes] = {}, found[kProbes] = {};
      a_.read(i, 0, std::span(row.data(), k_));
      probe_row(row.data(), k_, products.data(), expected);
      const double length = norm(std::span<const double>(row.data(), k_));
      c_.read(i, 0, std::span(row.data(), n_));
      probe_row(row.data(), n_, probes.data(), found);
      for (std::size_t v = 0; v < kFreivalds; ++v)
        note(found[v], expected[v], length * scales[v],
             [&] { return fmt::format("row {} times a random vector", i); });
      for (std::size_t v = 0; v < columns.size(); ++v)
        // Read again: in `found`, a NaN elsewhere in the row would show in this column too.
        note(entry(i, columns[v]), expected[kFreivalds + v], length * scales[kFreivalds + v],
             [&] { return place(i, columns[v]); });
    }
  }

  Check finish(std::string reference) && {
    check_.reference = std::move(reference);
    if (check_.pass) check_.detail.clear();
    return std::move(check_);
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

  void compare_group(const std::vector<std::size_t>& rows, const std::vector<double>& values,
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
        note(found[j], sums[g * kTile + j], norms[r + g] * scales[j],
             [&] { return place(rows[r + g], first + j); });
    }
  }

  template <typename Place>
  void note(double found, double expected, double scale, Place place) {
    const double difference = std::abs(found - expected);
    if (difference == 0) return;
    double relative = scale > 0 ? difference / scale : std::numeric_limits<double>::max();
    if (!std::isfinite(relative)) relative = std::numeric_limits<double>::max();  // JSON has no NaN
    const bool worst = relative > check_.max_relative_error;
    check_.max_relative_error = std::max(check_.max_relative_error, relative);
    if (difference <= check_.bound * scale) return;
    check_.pass = false;
    if (worst)
      check_.detail = fmt::format("{} is {:.9g}, expected {:.9g}", place(), found, expected);
  }

  double entry(std::size_t i, std::size_t j) const {
    double value = 0;
    c_.read(i, j, std::span(&value, 1));
    return value;
  }
  static std::string place(std::size_t i, std::size_t j) { return fmt::format("c[{},{}]", i, j); }

  const Matrix &a_, &b_, &c_;
  std::size_t m_, n_, k_;
  Check check_;
};

}  // namespace

Check check_product(const Matrix& a, const Matrix& b, const Matrix& c, Dtype dtype,
                    std::uint64_t seed, double full_check_flop) {
  const double flop = 2.0 * static_cast<double>(a.rows()) * static_cast<double>(b.columns()) *
                      static_cast<double>(a.columns());
  const bool full = flop <= full_check_flop;
  Checker checker(a, b, c, kSafety * unit_roundoff(dtype));
  checker.compare_rows(sample(a.rows(), full ? a.rows() : kSampledRows, random_at(seed, 0)));
  if (full) return std::move(checker).finish("every entry in double");
  checker.compare_probes(seed);
  return std::move(checker).finish(fmt::format(
      "{} rows and {} columns in double, all entries by Freivalds with {} vectors",
      std::min(kSampledRows, a.rows()), std::min(kProbes - kFreivalds, b.columns()), kFreivalds));
}

}  // namespace stackx::kernels
