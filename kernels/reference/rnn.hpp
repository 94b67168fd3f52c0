// A recurrent layer, LSTM or GRU: its sizes, data, work, and whether a result is right.
//
//   LSTM  i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b), each with its own W, U, b;
//         c' = f c + i g, h' = o tanh(c').   Gates lie in the order i, f, g, o.
//   GRU   u, r = sigmoid(W x + U h + b), o = tanh(W x + U (r h) + b); h' = u h + (1 - u) o.
//         Gates lie in the order u, r, o. (cuDNN's and PyTorch's GRU applies r after U.)
// Operands: x time x batch x input, h batch x hidden, c in float32, W input x gates x hidden, U
// hidden x gates x hidden, b gates x hidden in float32. x, h, c are uniform in [-1, 1); W, U and b
// are scaled by about 1/sqrt(hidden), as frameworks initialise them: the recurrence then is stable,
// and rounding errors neither grow over the steps nor hide a wrong gate.
//
// Work: 2 time batch gates hidden (input + hidden) flop, those of the matrix products.
//
// Reference: the equations in double, for as many sequences of the batch as 2^30 flop allow (first
// and last always); the elements of the others must lie in [-1, 1]. Tolerance, entry by entry:
// 16u E, u = 2^-24. E follows the errors through the equations to first order, as if those of
// different origin were independent:
//   a sum W x + U h + b    E = |w||x| + |u||h| + |b| (product.hpp), and |u| rms(E of h)
//   sigmoid, tanh          E = derivative times E of the argument, and the value (rounding)
//   products, sums         the root of the sum of squares
//   h stored in bfloat16   2^14 |h| more: four times its roundoff 2^-8 (also r h of the GRU)
// A missing bias, gates in a wrong order or a stale state are off by 1e-2 and more; 16u E is about
// 1e-5 in float32 and 1e-2 in bfloat16 (for 512 units).
#pragma once

#include "kernels/dtype.hpp"
#include "kernels/parameters.hpp"
#include "kernels/reference/matrix.hpp"
#include "kernels/reference/product.hpp"

namespace stackx::kernels {

enum class Cell { lstm, gru };

struct Rnn {
  Cell cell;
  Dtype dtype;
  std::size_t time, batch, input, hidden;

  Rnn(Cell cell, const Parameters& parameters);
  std::size_t gates() const { return cell == Cell::lstm ? 4 : 3; }
  double flop_of_one() const;  // of one sequence
};
std::vector<Parameter> rnn_parameters();

struct RnnData {
  Matrix x, w, u, bias, h, c;  // c is 1 x 1 in a GRU; see above for the rest
  Matrix y, last_h, last_c;    // h after each step; h and c after the last
  explicit RnnData(const Rnn& problem);
  void fill(std::uint64_t seed);  // also poisons the results
  double bytes() const;           // inputs and results once each
};

Check check_rnn(const Rnn& problem, const RnnData& data, std::uint64_t seed,
                double full_check_flop = kFullCheckFlop);
// The bytes that it takes beside the data.
double check_memory(const Rnn& problem);

}  // namespace stackx::kernels
