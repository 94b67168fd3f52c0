// The references of convolution, recurrent layers, softmax, layer normalisation, attention and
// STREAM: what they let pass, and what not, where not everything is compared, too.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "kernels/reference/attention_check.hpp"
#include "kernels/reference/batched_check.hpp"
#include "kernels/reference/convolution.hpp"
#include "kernels/reference/rnn.hpp"
#include "kernels/reference/row_check.hpp"
#include "kernels/reference/stream_kernel.hpp"
#include "kernels/timing/team.hpp"

using namespace stackx::kernels;
using Words = std::vector<std::string>;

namespace {

Parameters parameters(std::vector<Parameter> known, const Words& words) {
  known.push_back({"dtype", "float32", ""});
  return Parameters(std::move(known), words);
}

float* floats(Matrix& matrix) { return static_cast<float*>(matrix.data()); }

double value(const Matrix& matrix, std::size_t i, std::size_t j) {
  double result = 0;
  matrix.read(i, j, std::span(&result, 1));
  return result;
}

void set(Matrix& matrix, std::size_t i, std::size_t j, double to) {
  const std::size_t at = i * matrix.columns() + j;
  if (matrix.element() == Element::float32) floats(matrix)[at] = static_cast<float>(to);
  if (matrix.element() == Element::bfloat16)
    static_cast<std::uint16_t*>(matrix.data())[at] = to_bfloat16(static_cast<float>(to));
  if (matrix.element() == Element::int32)
    static_cast<std::int32_t*>(matrix.data())[at] = static_cast<std::int32_t>(to);
}

// Another order of loops than a product of patches: every input adds to the outputs it reaches.
void scatter(const Convolution& p, ConvolutionData& data) {
  std::vector<double> y(p.positions() * p.out_channels);
  for (std::size_t i = 0; i < y.size() && p.bias; ++i)
    y[i] = value(data.bias, 0, i % p.out_channels);
  for (std::size_t n = 0; n < p.batch; ++n)
    for (std::size_t h = 0; h < p.rows.size; ++h)
      for (std::size_t w = 0; w < p.columns.size; ++w)
        for (std::size_t r = 0; r < p.rows.kernel; ++r)
          for (std::size_t s = 0; s < p.columns.kernel; ++s) {
            const auto top = static_cast<long>(h + p.rows.low) - static_cast<long>(r),
                       left = static_cast<long>(w + p.columns.low) - static_cast<long>(s);
            const auto step_h = static_cast<long>(p.rows.stride),
                       step_w = static_cast<long>(p.columns.stride);
            if (top < 0 || left < 0 || top % step_h != 0 || left % step_w != 0) continue;
            const auto i = static_cast<std::size_t>(top / step_h),
                       j = static_cast<std::size_t>(left / step_w);
            if (i >= p.rows.out || j >= p.columns.out) continue;
            const std::size_t at = (n * p.rows.out + i) * p.columns.out + j,
                              from = (n * p.rows.size + h) * p.columns.size + w,
                              tap = (r * p.columns.kernel + s) * p.in_channels;
            for (std::size_t c = 0; c < p.in_channels; ++c)
              for (std::size_t o = 0; o < p.out_channels; ++o)
                y[at * p.out_channels + o] += value(data.x, from, c) * value(data.w, tap + c, o);
          }
  for (std::size_t i = 0; i < y.size(); ++i)
    set(data.y, i / p.out_channels, i % p.out_channels, y[i]);
}

}  // namespace

TEST_CASE("a convolution is checked entry by entry, and by Freivalds where it is large",
          "[convolution]") {
  const Words words =
      GENERATE(Words{"batch=2", "height=6", "width=7", "in_channels=3", "out_channels=40", "bias=1",
                     "padding=same"},
               Words{"batch=1", "height=9", "width=8", "in_channels=4", "out_channels=35",
                     "stride=2", "kernel_w=2"},
               Words{"batch=1", "height=8", "width=8", "in_channels=5", "out_channels=30",
                     "stride=3", "padding=same", "kernel=5", "dtype=bfloat16"},
               Words{"batch=1", "height=7", "width=7", "in_channels=6", "out_channels=33",
                     "dtype=int8", "bias=1", "padding=same"});
  const Convolution problem(parameters(convolution_parameters(), words),
                            {"float32", "bfloat16", "int8"});
  ConvolutionData data(problem);
  data.fill(5);
  CHECK_FALSE(check_convolution(problem, data, 5).pass);  // nothing was computed
  scatter(problem, data);
  for (const double full : {kFullCheckFlop, 0.0}) {
    const Check check = check_convolution(problem, data, 5, full);
    INFO(words[1] << ": " << check.detail << " " << check.max_relative_error);
    CHECK(check.pass);
  }
  // One wrong entry anywhere, above Freivalds' tolerance, which is that of the row.
  for (std::size_t i = 0; i < data.y.rows(); i += 5) {
    const std::size_t j = i * 7 % problem.out_channels;
    const double right = value(data.y, i, j);
    set(data.y, i, j, right + 1);
    for (const double full : {kFullCheckFlop, 0.0}) {
      INFO(i << "," << j << " full " << full);
      CHECK_FALSE(check_convolution(problem, data, 5, full).pass);
    }
    set(data.y, i, j, right);
  }
}

TEST_CASE("padding and strides give the sizes that frameworks give", "[convolution]") {
  // size, kernel, stride, same -> out, low, high; from TensorFlow's documentation of SAME.
  const auto [size, kernel, stride, same, out, low, high] = GENERATE(
      table<std::size_t, std::size_t, std::size_t, bool, std::size_t, std::size_t, std::size_t>(
          {{5, 3, 1, true, 5, 1, 1},
           {6, 3, 2, true, 3, 0, 1},
           {5, 2, 1, true, 5, 0, 1},
           {7, 1, 3, true, 3, 0, 0},
           {224, 7, 2, true, 112, 2, 3},
           {5, 3, 1, false, 3, 0, 0},
           {6, 3, 2, false, 2, 0, 0}}));
  const Axis axis = make_axis(size, kernel, stride, same);
  CHECK(axis.out == out);
  CHECK(axis.low == low);
  CHECK(axis.high == high);
}

TEST_CASE("what is wrong with a convolution is said", "[convolution]") {
  const auto known = convolution_parameters();
  const std::vector<std::string> dtypes{"float32", "int8"};
  CHECK_THROWS_WITH(Convolution(parameters(known, {"kernel_w=60"}), dtypes),
                    Catch::Contains("kernel_w=60: larger than width=56"));
  CHECK_THROWS_AS(Convolution(parameters(known, {"stride=0"}), dtypes), UsageError);
  CHECK_THROWS_WITH(Convolution(parameters(known, {"in_channels=20000", "dtype=int8"}), dtypes),
                    Catch::Contains("exact up to"));
}

TEST_CASE("where not all sequences are compared, the range of the others is", "[rnn]") {
  const Rnn problem(Cell::lstm, parameters(rnn_parameters(), {"batch=6", "time_steps=3",
                                                              "input_size=4", "hidden_size=5"}));
  RnnData data(problem);
  data.fill(1);
  for (Matrix* result : {&data.y, &data.last_h, &data.last_c})
    for (std::size_t i = 0; i < result->rows(); ++i)
      for (std::size_t j = 0; j < result->columns(); ++j) set(*result, i, j, 0);
  // First and last are compared and wrong; a value outside [-1, 1] in between is seen as well.
  const Check check = check_rnn(problem, data, 1, 0);
  CHECK_FALSE(check.pass);
  CHECK_THAT(check.reference, Catch::Contains("2 of 6 sequences"));
  CHECK_THAT(check_rnn(problem, data, 1).reference, Catch::Contains("every entry"));
  set(data.y, 6 + 2, 3, 1.5);
  const Check beyond = check_rnn(problem, data, 1, 0);
  CHECK_THAT(beyond.detail, Catch::Contains("y[8,3] is 1.5"));
}

TEST_CASE("softmax and layer normalisation in either type pass, and fail by one entry", "[rows]") {
  const Element element = GENERATE(Element::float32, Element::bfloat16);
  Matrix x(9, 300, element), y(9, 300, element), scale(1, 300, Element::float32),
      shift(1, 300, Element::float32);
  // Sums from the small to the large, and by the textbook: other orders than the reference's.
  fill_softmax(x, 3);
  std::set<double> tops;
  for (std::size_t i = 0; i < 9; ++i) {
    std::multiset<double> sorted;
    for (std::size_t j = 0; j < 300; ++j) sorted.insert(value(x, i, j));
    long double sum = 0;
    for (const double one : sorted) sum += std::exp(static_cast<long double>(one));
    for (std::size_t j = 0; j < 300; ++j)
      set(y, i, j, static_cast<double>(std::exp(static_cast<long double>(value(x, i, j))) / sum));
    tops.insert(*sorted.rbegin());
  }
  CHECK(*tops.rbegin() > 89);  // a float's exp overflows there
  CHECK(check_softmax(x, y).pass);
  const double right = value(y, 4, 7);
  set(y, 4, 7, right * 1.02);
  CHECK_FALSE(check_softmax(x, y).pass);

  fill_layer_norm(x, scale, shift, 3);
  for (std::size_t i = 0; i < 9; ++i) {
    double sum = 0, squares = 0;
    for (std::size_t j = 300; j-- > 0;) {
      sum += value(x, i, j);
      squares += value(x, i, j) * value(x, i, j);
    }
    const double mean = sum / 300,
                 sigma = std::sqrt(squares / 300 - mean * mean + static_cast<double>(kEpsilon));
    for (std::size_t j = 0; j < 300; ++j)
      set(y, i, j, (value(x, i, j) - mean) / sigma * value(scale, 0, j) + value(shift, 0, j));
  }
  const Check check = check_layer_norm(x, scale, shift, y);
  INFO(check.detail);
  CHECK(check.pass);
  set(y, 8, 299, value(y, 8, 299) + 0.1);
  CHECK_FALSE(check_layer_norm(x, scale, shift, y).pass);
  y.poison();
  CHECK_FALSE(check_softmax(x, y).pass);
}

TEST_CASE("attention passes row by row and entry by entry", "[attention]") {
  const Attention problem{3, 20, 8, GENERATE(Element::float32, Element::bfloat16)};
  AttentionData data(problem);
  data.fill(2);
  for (std::size_t row = 0; row < 60; ++row) {  // without maximum, sums along the other way
    const std::size_t first = row / 20 * 20;
    double sum = 0;
    std::array<double, 8> out{};
    for (std::size_t j = first + 20; j-- > first;) {
      double score = 0;
      for (std::size_t d = 8; d-- > 0;) score += value(data.k, j, d) * value(data.q, row, d);
      const double p = std::exp(score / std::sqrt(8.0));
      sum += p;
      for (std::size_t d = 0; d < 8; ++d) out[d] += p * value(data.v, j, d);
    }
    for (std::size_t d = 0; d < 8; ++d) set(data.o, row, d, out[d] / sum);
  }
  CHECK(check_attention(problem, data, 1).pass);
  CHECK(check_attention(problem, data, 1, 0).pass);
  const double right = value(data.o, 39, 3);
  set(data.o, 39, 3, right + 0.2);  // the last row of a head is always compared
  CHECK_FALSE(check_attention(problem, data, 1).pass);
  CHECK_FALSE(check_attention(problem, data, 1, 0).pass);
  set(data.o, 39, 3, right);
  for (std::size_t row = 0; row < 60; ++row) {
    const double before = value(data.o, row, 0);
    set(data.o, row, 0, 2);  // out of range, wherever it is
    CHECK_FALSE(check_attention(problem, data, 1, 0).pass);
    set(data.o, row, 0, before);
  }
}

TEST_CASE("each product of a batch is checked", "[reference]") {
  Matrix a(6, 4, Element::float32), b(12, 5, Element::float32), c(6, 5, Element::float32);
  a.fill_random(1);
  b.fill_random(2);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      double sum = 0;
      for (std::size_t p = 0; p < 4; ++p) sum += value(a, i, p) * value(b, i / 2 * 4 + p, j);
      set(c, i, j, sum);
    }
  CHECK(check_products(a, b, c, 3, Dtype::float32, 1).pass);
  for (std::size_t i = 0; i < 6; ++i) {
    const double right = value(c, i, 2);
    set(c, i, 2, right + 1e-3);
    const Check check = check_products(a, b, c, 3, Dtype::float32, 1);
    CHECK_FALSE(check.pass);
    CHECK_THAT(check.detail, Catch::Contains("product " + std::to_string(i / 2)));
    set(c, i, 2, right);
  }
}

TEST_CASE("every loop of STREAM is right, by either kind of stores", "[stream]") {
  const auto kernel =
      GENERATE(StreamKernel::copy, StreamKernel::scale, StreamKernel::add, StreamKernel::triad);
  for (const Stores stores : {Stores::regular, Stores::streaming})
    for (const std::size_t n : {1, 2, 7, 1000}) {
      Matrix arrays[3] = {
          {1, n, Element::float64}, {1, n, Element::float64}, {1, n, Element::float64}};
      const auto of = [&](int i) { return std::span(static_cast<double*>(arrays[i].data()), n); };
      for (std::size_t i = 0; i < n; ++i) {
        of(1)[i] = stream_input(stream_key(7, 0), i);
        of(2)[i] = stream_input(stream_key(7, 1), i);
      }
      const auto run = [&](double scalar) {
        arrays[0].poison();
        run_stream(kernel, stores, scalar, {of(0), of(1), of(2)});
        return check_stream(kernel, {of(0), of(1), of(2)}, 7);
      };
      CHECK(run(kStreamScalar).pass);
      const bool scaled = kernel == StreamKernel::scale || kernel == StreamKernel::triad;
      CHECK(run(kStreamScalar + 1e-9).pass == !scaled);  // a wrong scalar, where there is one
      CHECK(run(kStreamScalar).pass);
      of(0)[n / 2] = std::nan("");
      CHECK_FALSE(check_stream(kernel, {of(0), of(1), of(2)}, 7).pass);
      CHECK(run(kStreamScalar).pass);
      of(2)[n - 1] += 1e-9;  // an input overwritten
      const Check check = check_stream(kernel, {of(0), of(1), of(2)}, 7);
      CHECK_FALSE(check.pass);
      CHECK_THAT(check.detail, Catch::Contains("c[" + std::to_string(n - 1) + "]"));
    }
}

TEST_CASE("a team runs every thread once a call and ends", "[stream]") {
  for (const std::size_t size : {1, 3}) {
    Team team(std::vector<int>(size, allowed_cpus().at(0)));
    CHECK(team.size() == size);
    std::vector<int> calls(size);
    for (int i = 0; i < 20; ++i) team.run([&](std::size_t thread) { ++calls[thread]; });
    CHECK(calls == std::vector<int>(size, 20));
  }
}
