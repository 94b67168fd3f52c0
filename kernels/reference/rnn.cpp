#include "kernels/reference/rnn.hpp"

#include <cmath>

#include "kernels/reference/comparison.hpp"

namespace stackx::kernels {
namespace {

constexpr std::uint64_t kLargestLayer = 1 << 20;

}  // namespace

std::vector<Parameter> rnn_parameters() {
  return {{"batch", "16", "sequences"},
          {"time_steps", "32", "steps of each sequence"},
          {"input_size", "256", "features of each step"},
          {"hidden_size", "256", "units of the layer"}};
}

Rnn::Rnn(Cell cell, const Parameters& parameters)
    : cell(cell),
      dtype(*dtype_from(parameters.one_of("dtype", {"float32", "bfloat16"}))),
      time(parameters.whole("time_steps", 1, kLargestLayer)),
      batch(parameters.whole("batch", 1, kLargestLayer)),
      input(parameters.whole("input_size", 1, kLargestLayer)),
      hidden(parameters.whole("hidden_size", 1, kLargestLayer)) {}

double Rnn::flop_of_one() const {
  return 2.0 * static_cast<double>(time) * static_cast<double>(gates() * hidden) *
         static_cast<double>(input + hidden);
}

RnnData::RnnData(const Rnn& p)
    : x(p.time * p.batch, p.input, elements(p.dtype).a),
      w(p.input, p.gates() * p.hidden, elements(p.dtype).a),
      u(p.hidden, p.gates() * p.hidden, elements(p.dtype).a),
      bias(1, p.gates() * p.hidden, Element::float32),
      h(p.batch, p.hidden, elements(p.dtype).a),
      c(p.cell == Cell::lstm ? p.batch : 1, p.cell == Cell::lstm ? p.hidden : 1, Element::float32),
      y(p.time * p.batch, p.hidden, elements(p.dtype).a),
      last_h(p.batch, p.hidden, elements(p.dtype).a),
      last_c(c.rows(), c.columns(), Element::float32) {}

void RnnData::fill(std::uint64_t seed) {
  std::uint64_t next = 8 * seed;
  for (Matrix* input : {&x, &w, &u, &bias, &h, &c}) input->fill_random(next++);
  // A power of two: bfloat16 values stay what they are.
  const float factor = std::exp2(-std::round(std::log2(static_cast<float>(u.rows())) / 2));
  for (Matrix* weights : {&w, &u, &bias})
    transform(*weights, factor, [](std::size_t) { return 0.0f; });
  for (Matrix* result : {&y, &last_h, &last_c}) result->poison();
}

double RnnData::bytes() const {
  double sum = 0;
  for (const Matrix* m : {&x, &w, &u, &bias, &h, &c, &y, &last_h, &last_c})
    sum += m->need();
  return sum;
}

}  // namespace stackx::kernels
