#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "kernels/reference/comparison.hpp"
#include "kernels/reference/rnn.hpp"

namespace stackx::kernels {
namespace {

using Values = std::vector<double>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double square(double x) { return x * x; }

struct Value {
  double value, error;  // error in units of 16u
};
Value sigmoid(Value x) {
  const double s = sigmoid(x.value);
  return {s, s * (1 - s) * x.error + s};
}
Value tanh(Value x) {
  const double t = std::tanh(x.value);
  return {t, (1 - t * t) * x.error + std::abs(t)};
}
Value operator*(Value x, Value y) {
  return {x.value * y.value, std::hypot(x.value * y.error, y.value * x.error)};
}
Value operator+(Value x, Value y) { return {x.value + y.value, std::hypot(x.error, y.error)}; }

// The sequences of `items`, step by step.
class Recurrence {
 public:
  Recurrence(const Rnn& problem, const RnnData& data, std::vector<std::size_t> items)
      : p_(problem),
        data_(data),
        items_(std::move(items)),
        width_(p_.gates() * p_.hidden),
        stored_(storage_share(data.y.element())),
        bias_(width_),
        norms_w_(width_),
        norms_u_(width_),
        sums_(items_.size(), Values(width_)),
        x_(items_.size(), Values(p_.input)),
        h_(items_.size(), Values(p_.hidden)),
        error_h_(h_),
        c_(h_),
        error_c_(h_) {
    data_.bias.read(0, 0, bias_);
    norms(data_.w, norms_w_);
    norms(data_.u, norms_u_);
    for (std::size_t s = 0; s < items_.size(); ++s) {
      data_.h.read(items_[s], 0, h_[s]);
      if (p_.cell == Cell::lstm) data_.c.read(items_[s], 0, c_[s]);
    }
  }

  void step(std::size_t t) {
    for (std::size_t s = 0; s < items_.size(); ++s) {
      data_.x.read(t * p_.batch + items_[s], 0, x_[s]);
      sums_[s] = bias_;
    }
    add_products(data_.w, x_, 0, width_);
    if (p_.cell == Cell::lstm) {
      add_products(data_.u, h_, 0, width_);
      for (std::size_t s = 0; s < items_.size(); ++s) lstm(s);
    } else {
      add_products(data_.u, h_, 0, 2 * p_.hidden);
      gru();
    }
  }

  const Values& h(std::size_t s) const { return h_[s]; }
  const Values& error_h(std::size_t s) const { return error_h_[s]; }
  const Values& c(std::size_t s) const { return c_[s]; }
  const Values& error_c(std::size_t s) const { return error_c_[s]; }

 private:
  static double rms(const Values& values) { return norm(values) / std::sqrt(values.size()); }
  static double norm(const Values& values) {
    double sum = 0;
    for (const double value : values) sum += square(value);
    return std::sqrt(sum);
  }
  void norms(const Matrix& weights, Values& out) const {
    Values row(width_);
    for (std::size_t i = 0; i < weights.rows(); ++i) {
      weights.read(i, 0, row);
      for (std::size_t j = 0; j < width_; ++j) out[j] += square(row[j]);
    }
    for (double& value : out) value = std::sqrt(value);
  }

  // sums[s][j] += the products of vectors[s] with the columns first..end of weights.
  void add_products(const Matrix& weights, const std::vector<Values>& vectors, std::size_t first,
                    std::size_t end) {
    Values row(end - first);
    for (std::size_t i = 0; i < weights.rows(); ++i) {
      weights.read(i, first, row);
      for (std::size_t s = 0; s < items_.size(); ++s) {
        const double factor = vectors[s][i];
        double* sums = sums_[s].data() + first;
        for (std::size_t j = 0; j < row.size(); ++j) sums[j] += factor * row[j];
      }
    }
  }

  struct Norms {  // of what a sum of sequence s is made of
    double x, h, error;
  };
  Norms norms_of(std::size_t s) const { return {norm(x_[s]), norm(h_[s]), rms(error_h_[s])}; }
  Value sum(std::size_t s, std::size_t gate, std::size_t o, const Norms& n) const {
    const std::size_t j = gate * p_.hidden + o;
    return {sums_[s][j], std::hypot(norms_w_[j] * n.x + norms_u_[j] * n.h + std::abs(bias_[j]),
                                    norms_u_[j] * n.error)};
  }
  void store(std::size_t s, std::size_t o, Value h) {
    h_[s][o] = h.value;
    error_h_[s][o] = h.error + (1 + stored_) * std::abs(h.value);
  }

  void lstm(std::size_t s) {
    const Norms n = norms_of(s);
    for (std::size_t o = 0; o < p_.hidden; ++o) {
      const Value i = sigmoid(sum(s, 0, o, n)), f = sigmoid(sum(s, 1, o, n)),
                  g = tanh(sum(s, 2, o, n)), out = sigmoid(sum(s, 3, o, n));
      const Value c = f * Value{c_[s][o], error_c_[s][o]} + i * g;
      c_[s][o] = c.value;
      error_c_[s][o] = c.error + std::abs(c.value);
      store(s, o, out * tanh({c.value, error_c_[s][o]}));
    }
  }

  void gru() {
    std::vector<Values> reset = h_;
    std::vector<std::vector<Value>> update(items_.size());
    std::vector<Norms> of;
    for (std::size_t s = 0; s < items_.size(); ++s) {
      const Norms n = norms_of(s);
      of.push_back(n);
      Values errors(p_.hidden);
      for (std::size_t o = 0; o < p_.hidden; ++o) {
        update[s].push_back(sigmoid(sum(s, 0, o, n)));
        const Value rh = sigmoid(sum(s, 1, o, n)) * Value{h_[s][o], error_h_[s][o]};
        reset[s][o] = rh.value;
        errors[o] = rh.error + (1 + stored_) * std::abs(rh.value);
      }
      of.back().h = norm(reset[s]);
      of.back().error = rms(errors);
    }
    add_products(data_.u, reset, 2 * p_.hidden, width_);
    for (std::size_t s = 0; s < items_.size(); ++s)
      for (std::size_t o = 0; o < p_.hidden; ++o) {
        const Value u = update[s][o], rest{1 - u.value, u.error};
        store(s, o, u * Value{h_[s][o], error_h_[s][o]} + rest * tanh(sum(s, 2, o, of[s])));
      }
  }

  const Rnn& p_;
  const RnnData& data_;
  std::vector<std::size_t> items_;
  std::size_t width_;
  double stored_;
  Values bias_, norms_w_, norms_u_;
  std::vector<Values> sums_, x_, h_, error_h_, c_, error_c_;
};

std::vector<std::size_t> chosen(std::size_t batch, double most, std::uint64_t seed) {
  std::vector<std::size_t> items;
  const auto count = static_cast<std::size_t>(std::max(most, 2.0));
  if (batch <= count) {
    for (std::size_t i = 0; i < batch; ++i) items.push_back(i);
    return items;
  }
  items = {0, batch - 1};
  for (std::uint64_t i = 0; items.size() < count; ++i) {
    const std::size_t item = random_at(seed, i) % batch;
    if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
  }
  return items;
}

}  // namespace

double check_memory(const Rnn& p) {
  const double items = std::min(static_cast<double>(p.batch), std::max(kFullCheckFlop / p.flop_of_one(), 2.0)),
               gates = static_cast<double>(p.gates()), hidden = static_cast<double>(p.hidden);
  constexpr double kOfHidden = 8;  // h, c, their errors; of a GRU's step also what it resets and updates
  return sizeof(double) * (items + 1) * ((gates + kOfHidden) * hidden + static_cast<double>(p.input));
}

Check check_rnn(const Rnn& p, const RnnData& data, std::uint64_t seed, double full_check_flop) {
  const auto items = chosen(p.batch, full_check_flop / p.flop_of_one(), random_at(seed, 0));
  Recurrence recurrence(p, data, items);
  Comparison comparison(kSafety * 0x1p-24, data.y.element());
  Values found(p.hidden);
  const auto compare = [&](const Matrix& result, const char* name, std::size_t row,
                           const Values& expected, const Values& errors) {
    result.read(row, 0, found);
    for (std::size_t o = 0; o < p.hidden; ++o)
      comparison.note(found[o], expected[o], errors[o],
                      [&] { return fmt::format("{}[{},{}]", name, row, o); });
  };
  for (std::size_t t = 0; t < p.time; ++t) {
    recurrence.step(t);
    for (std::size_t s = 0; s < items.size(); ++s)
      compare(data.y, "y", t * p.batch + items[s], recurrence.h(s), recurrence.error_h(s));
  }
  for (std::size_t s = 0; s < items.size(); ++s) {
    compare(data.last_h, "h", items[s], recurrence.h(s), recurrence.error_h(s));
    if (p.cell == Cell::lstm)
      compare(data.last_c, "c", items[s], recurrence.c(s), recurrence.error_c(s));
  }
  if (items.size() == p.batch)
    return std::move(comparison).finish("every entry of every step in double");
  for (std::size_t row = 0; row < p.time * p.batch; ++row) {
    data.y.read(row, 0, found);
    for (std::size_t o = 0; o < p.hidden; ++o)
      comparison.note_range(found[o], 1, [&] { return fmt::format("y[{},{}]", row, o); });
  }
  return std::move(comparison)
      .finish(fmt::format("{} of {} sequences in double, the range of the others", items.size(),
                          p.batch));
}

}  // namespace stackx::kernels
