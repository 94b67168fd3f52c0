#include "kernels/reference/attention_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "kernels/reference/comparison.hpp"

namespace stackx::kernels {
namespace {

using Values = std::vector<double>;

Values rows_of(const Matrix& matrix, std::size_t first, std::size_t count) {
  Values values(count * matrix.columns());
  for (std::size_t i = 0; i < count; ++i)
    matrix.read(first + i, 0, std::span(values).subspan(i * matrix.columns(), matrix.columns()));
  return values;
}

double dot(const double* a, const double* b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// The keys and values of one head in double, and the rows asked for of the heads that read them.
class Keys {
 public:
  Keys(const Attention& problem, const AttentionData& data, std::size_t index)
      : p_(problem),
        data_(data),
        k_(rows_of(data.k, index * p_.sequence, p_.sequence)),
        v_(rows_of(data.v, index * p_.sequence, p_.sequence)),
        root_(std::sqrt(static_cast<double>(p_.size))),
        stored_(p_.tf32 ? storage_share(Element::float16) : storage_share(problem.element)) {
    for (std::size_t j = 0; j < p_.sequence; ++j)
      longest_ = std::max(longest_, dot(key(j), key(j), p_.size));
    longest_ = std::sqrt(longest_);
  }

  void compare(std::size_t head, std::size_t query, Comparison& comparison) const {
    const std::size_t row = head * p_.queries + query, seen = p_.seen_by(query);
    const Values q = rows_of(data_.q, row, 1), found = rows_of(data_.o, row, 1);
    Values p(seen), weight(seen);
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t j = 0; j < seen; ++j) {
      p[j] = dot(q.data(), key(j), p_.size) / root_;
      weight[j] = 1 + std::sqrt(dot(q.data(), q.data(), p_.size)) * longest_ / root_ +
                  stored_ * (std::abs(p[j]) + 1);
      most = std::max(most, p[j]);
    }
    for (double& value : p) sum += value = std::exp(value - most);
    Values expected(p_.size), square(p_.size);
    for (std::size_t j = 0; j < seen; ++j) {
      p[j] /= sum;
      for (std::size_t i = 0; i < p_.size; ++i) {
        const double term = p[j] * v_[j * p_.size + i];
        expected[i] += term;
        square[i] += std::pow(term * weight[j], 2);
      }
    }
    for (std::size_t i = 0; i < p_.size; ++i)
      comparison.note(found[i], expected[i],
                      std::sqrt(square[i]) + (1 + stored_) * std::abs(expected[i]),
                      [&] { return fmt::format("o[{},{}]", row, i); });
  }

 private:
  const double* key(std::size_t j) const { return k_.data() + j * p_.size; }
  const Attention& p_;
  const AttentionData& data_;
  Values k_, v_;
  double root_, stored_, longest_ = 0;
};

std::set<std::size_t> chosen(std::size_t size, std::size_t count, std::uint64_t seed) {
  std::set<std::size_t> rows{0, size - 1};
  for (std::size_t i = 0; count >= size && i < size; ++i) rows.insert(i);
  for (std::uint64_t i = 0; rows.size() < std::min(count, size); ++i)
    rows.insert(random_at(seed, i) % size);
  return rows;
}

}  // namespace

AttentionData::AttentionData(const Attention& p)
    : q(p.heads * p.queries, p.size, p.element),
      k(p.heads / p.group * p.sequence, p.size, p.element),
      v(k.rows(), p.size, p.element),
      o(q.rows(), p.size, p.element) {}

void AttentionData::fill(std::uint64_t seed) {
  std::uint64_t next = 4 * seed;
  for (Matrix* input : {&q, &k, &v}) input->fill_random(next++);
  o.poison();
}

double check_memory(const Attention& p) {
  const double keys = static_cast<double>(p.sequence), size = static_cast<double>(p.size);
  return sizeof(double) * (2 * keys * size + 2 * keys + 5 * size);
}

Check check_attention(const Attention& p, const AttentionData& data, std::uint64_t seed,
                      double full_check_flop) {
  const double flop_of_row = 4.0 * static_cast<double>(p.sequence * p.size);
  const auto count =
      static_cast<std::size_t>(full_check_flop / static_cast<double>(p.heads) / flop_of_row);
  Comparison comparison(kSafety * 0x1p-24, p.element);
  Values row(p.size);
  std::optional<Keys> keys;
  for (std::size_t head = 0; head < p.heads; ++head) {
    if (head % p.group == 0) keys.emplace(p, data, head / p.group);
    for (const std::size_t i : chosen(p.queries, count, random_at(seed, head)))
      keys->compare(head, i, comparison);
    for (std::size_t i = head * p.queries; i < (head + 1) * p.queries; ++i) {
      data.o.read(i, 0, row);
      for (std::size_t j = 0; j < p.size; ++j)
        comparison.note_range(row[j], 1.01, [&] { return fmt::format("o[{},{}]", i, j); });
    }
  }
  if (count >= p.queries) return std::move(comparison).finish("every entry in double");
  return std::move(comparison)
      .finish(fmt::format("{} rows of each head in double, the range of the others",
                          std::max<std::size_t>(count, std::min<std::size_t>(2, p.queries))));
}

}  // namespace stackx::kernels
