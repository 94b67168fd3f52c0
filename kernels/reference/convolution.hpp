// A convolution over two dimensions: its sizes, its work, and whether a result is right.
//
// A cross-correlation, as all frameworks define it: y[n,p,q,o] = bias[o] + the sum over r,s,i of
// x[n, p*stride+r-top, q*stride+s-left, i] * w[r,s,i,o], zero outside x. Inputs are made as NHWC
// and filters as HWIO, like those of kernels/python/conv2d.py, and brought into the library's
// layouts before anything is timed: every library and layout gets the same numbers.
//
// Padding: valid pads nothing; same pads so that out = ceil(size / stride), the odd zero at the
// end, as TensorFlow does. Work: 2 batch positions out_channels taps in_channels flop, taps on
// padding included (kernels/python/stackx_pi/work.py says why); bytes are inputs and result once
// each.
//
// The check: a convolution is the matrix product of the patches of x with the filters, and is
// checked as one, with the bound of product.hpp (one row of patches times one filter, 16u times
// their norms). A bias is a filter row met by a column of ones. The bound holds for direct
// algorithms; Winograd's errs more and is not asked for.
#pragma once

#include <string>
#include <vector>

#include "kernels/dtype.hpp"
#include "kernels/parameters.hpp"
#include "kernels/reference/matrix.hpp"
#include "kernels/reference/product.hpp"

namespace stackx::kernels {

struct Axis {                                        // one dimension of space
  std::size_t size, kernel, stride, low, high, out;  // low, high: zeros before and after
};
Axis make_axis(std::size_t size, std::size_t kernel, std::size_t stride, bool same);

struct Convolution {
  std::size_t batch, in_channels, out_channels;
  Axis rows, columns;
  Dtype dtype;
  bool bias;

  // Throws UsageError: a filter that does not fit, an int8 sum that is not exact.
  explicit Convolution(const Parameters& parameters, const std::vector<std::string>& dtypes);

  std::size_t positions() const { return batch * rows.out * columns.out; }
  std::size_t depth() const { return rows.kernel * columns.kernel * in_channels; }
  double flop() const;
  double bytes() const;
};

// Of the problem itself, without dtype, threads and how to measure.
std::vector<Parameter> convolution_parameters();

struct ConvolutionData {  // row-major; the last dimension named is `columns` of the Matrix
  Matrix x, w, bias, y;   // NHWC, HWIO, O (1 x 1 without bias), NHWC
  explicit ConvolutionData(const Convolution& problem);
  void fill(std::uint64_t seed);  // also poisons y
  double need() const { return x.need() + w.need() + bias.need() + y.need(); }
};

Check check_convolution(const Convolution& problem, const ConvolutionData& data, std::uint64_t seed,
                        double full_check_flop = kFullCheckFlop, Unit unit = Unit::scalar);
// The bytes that it takes beside the data.
double check_memory(const Convolution& problem);

}  // namespace stackx::kernels
