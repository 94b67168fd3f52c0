#include "kernels/reference/convolution.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/reference/operand.hpp"

namespace stackx::kernels {
namespace {

constexpr std::uint64_t kLargestConvolution = 1 << 20;
constexpr double kMostPatchElements = 0x1p26;  // that a full check holds: 512 MiB

std::size_t kernel_side(const Parameters& parameters, const char* key) {
  return parameters.whole(parameters.text(key) == "kernel" ? "kernel" : key, 1, kLargestConvolution);
}

Axis axis(const Parameters& parameters, const char* size_key, const char* kernel_key) {
  const std::size_t size = parameters.whole(size_key, 1, kLargestConvolution);
  const std::size_t kernel = kernel_side(parameters, kernel_key);
  const bool same = parameters.one_of("padding", {"valid", "same"}) == "same";
  if (!same && kernel > size)
    throw UsageError(fmt::format("{}={}: larger than {}={}; a filter must fit with padding=valid",
                                 parameters.text(kernel_key) == "kernel" ? "kernel" : kernel_key,
                                 kernel, size_key, size));
  return make_axis(size, kernel, parameters.whole("stride", 1, kLargestConvolution), same);
}

// Row n,p,q: what the filters see there, taps in the order r, s, i; then a one if there is a bias.
class Patches : public Operand {
 public:
  Patches(const Convolution& problem, const Matrix& x) : p_(problem), x_(x) {}
  std::size_t rows() const override { return p_.positions(); }
  std::size_t columns() const override { return p_.depth() + (p_.bias ? 1 : 0); }

  void read(std::size_t row, std::size_t first, std::span<double> out) const override {
    const std::size_t q = row % p_.columns.out, p = row / p_.columns.out % p_.rows.out,
                      n = row / p_.columns.out / p_.rows.out, channels = p_.in_channels;
    for (std::size_t done = 0; done < out.size();) {
      const std::size_t at = first + done;
      if (at == p_.depth()) {
        out[done++] = 1;
        continue;
      }
      const std::size_t tap = at / channels, channel = at % channels;
      const auto part = out.subspan(done, std::min(channels - channel, out.size() - done));
      // Below zero it wraps round and is larger than any size.
      const std::size_t h = p * p_.rows.stride + tap / p_.columns.kernel - p_.rows.low,
                        w = q * p_.columns.stride + tap % p_.columns.kernel - p_.columns.low;
      if (h < p_.rows.size && w < p_.columns.size)
        x_.read((n * p_.rows.size + h) * p_.columns.size + w, channel, part);
      else
        std::fill(part.begin(), part.end(), 0.0);
      done += part.size();
    }
  }

 private:
  const Convolution& p_;
  const Matrix& x_;
};

class Filters : public Operand {
 public:
  Filters(const Convolution& problem, const Matrix& w, const Matrix& bias)
      : p_(problem), w_(w), bias_(bias) {}
  std::size_t rows() const override { return p_.depth() + (p_.bias ? 1 : 0); }
  std::size_t columns() const override { return p_.out_channels; }
  void read(std::size_t row, std::size_t first, std::span<double> out) const override {
    if (row == p_.depth()) return bias_.read(0, first, out);
    w_.read(row, first, out);
  }

 private:
  const Convolution& p_;
  const Matrix &w_, &bias_;
};

bool is_large(const Convolution& p) {
  return static_cast<double>(p.positions()) * static_cast<double>(p.depth()) > kMostPatchElements;
}

}  // namespace

Axis make_axis(std::size_t size, std::size_t kernel, std::size_t stride, bool same) {
  if (!same) return {size, kernel, stride, 0, 0, (size - kernel) / stride + 1};
  const std::size_t out = (size + stride - 1) / stride, covered = (out - 1) * stride + kernel;
  const std::size_t total = covered > size ? covered - size : 0;
  return {size, kernel, stride, total / 2, total - total / 2, out};
}

std::vector<Parameter> convolution_parameters() {
  return {
      {"batch", "8", "inputs convolved in one call"},
      {"height", "56", "rows of the input"},
      {"width", "56", "columns of the input"},
      {"kernel", "3", "rows and columns of a filter"},
      {"kernel_h", "kernel", "rows of a filter, if not `kernel`"},
      {"kernel_w", "kernel", "columns of a filter, if not `kernel`"},
      {"in_channels", "64", "channels of the input"},
      {"out_channels", "64", "filters, channels of the result"},
      {"stride", "1", "step between output positions, in every dimension"},
      {"padding", "valid", "valid (none) or same (zeros: the result has size / stride positions)"},
      {"bias", "0", "1: a number is added to every channel of the result"}};
}

Convolution::Convolution(const Parameters& parameters, const std::vector<std::string>& dtypes)
    : batch(parameters.whole("batch", 1, kLargestConvolution)),
      in_channels(parameters.whole("in_channels", 1, kLargestConvolution)),
      out_channels(parameters.whole("out_channels", 1, kLargestConvolution)),
      rows(axis(parameters, "height", "kernel_h")),
      columns(axis(parameters, "width", "kernel_w")),
      dtype(*dtype_from(parameters.one_of("dtype", dtypes))),
      bias(parameters.whole("bias", 0, 1) == 1) {
  if (dtype == Dtype::int8 && depth() > kLargestInt8Depth)
    throw UsageError(fmt::format("{} taps times channels: an int8 sum is exact up to {}", depth(),
                                 kLargestInt8Depth));
}

double Convolution::flop() const {
  return 2.0 * static_cast<double>(positions()) * static_cast<double>(out_channels) *
         static_cast<double>(depth());
}

double Convolution::bytes() const {
  const auto of = [](Element element, std::size_t count) {
    return static_cast<double>(size_of(element)) * static_cast<double>(count);
  };
  const Elements types = elements(dtype);
  return of(types.a, batch * rows.size * columns.size * in_channels) +
         of(types.b, depth() * out_channels) + of(types.c, positions() * out_channels);
}

ConvolutionData::ConvolutionData(const Convolution& p)
    : x(p.batch * p.rows.size * p.columns.size, p.in_channels, elements(p.dtype).a),
      w(p.depth(), p.out_channels, elements(p.dtype).b),
      bias(1, p.bias ? p.out_channels : 1, elements(p.dtype).c),
      y(p.positions(), p.out_channels, elements(p.dtype).c) {}

void ConvolutionData::fill(std::uint64_t seed) {
  x.fill_random(3 * seed);
  w.fill_random(3 * seed + 1);
  bias.fill_random(3 * seed + 2);
  y.poison();
}

double check_memory(const Convolution& p) {
  return check_memory(static_cast<double>(p.positions()), static_cast<double>(p.out_channels), static_cast<double>(p.depth()) + p.bias,
                      is_large(p) ? 0 : kFullCheckFlop);
}

Check check_convolution(const Convolution& problem, const ConvolutionData& data, std::uint64_t seed,
                        double full_check_flop, Unit unit) {
  const Patches patches(problem, data.x);
  const Filters filters(problem, data.w, data.bias);
  if (is_large(problem)) full_check_flop = 0;
  Check check =
      check_product(patches, filters, data.y, tolerance_of(problem.dtype, problem.depth(), unit),
                    seed, full_check_flop);
  check.reference += "; rows are positions, columns are channels";
  return check;
}

}  // namespace stackx::kernels
