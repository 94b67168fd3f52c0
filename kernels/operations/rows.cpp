// softmax and layer_norm: over the rows of a matrix, through oneDNN (kernels/reference/row_check.hpp says what they
// compute). Limited by memory: "work" has bytes, input and result once each, and no flop.
//
// int8 is not offered: 2.x has no such softmax or normalisation.
#include <nlohmann/json.hpp>

#include "kernels/onednn/operation.hpp"
#include "kernels/onednn/rows.hpp"
#include "kernels/pi.hpp"
#include "kernels/reference/row_check.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;
using onednn::Handle;

constexpr std::uint64_t kLargestRows = 1 << 24;

class RowOperation : public OnednnOperation {
 public:
  RowOperation(const Pi& pi, const PiArguments& arguments, const Parameters& parameters)
      : RowOperation(pi, arguments, parameters,
                     elements(*dtype_from(parameters.one_of("dtype", {"float32", "bfloat16"}))).a) {
  }

  std::vector<std::span<const std::byte>> result() override { return {y_.contents()}; }

  // The check holds a row of each in double; scale and shift are as long as a row.
  Need need() const override {
    constexpr double kRows = 8;
    return {.keys = {"rows", "columns", "dtype"},
            .arrays = x_.need() + y_.need(),
            .check = kRows * sizeof(double) * static_cast<double>(x_.columns())};
  }

  OperationWork work() const override {
    return {0, static_cast<double>(x_.bytes() + y_.bytes()), 1};
  }

 protected:
  Handle rows() {
    return engine().plain(x_.element(), {static_cast<std::int64_t>(x_.rows()),
                                         static_cast<std::int64_t>(x_.columns())});
  }
  Matrix x_, y_;

 private:
  RowOperation(const Pi& pi, const PiArguments& arguments, const Parameters& parameters,
               Element element)
      : OnednnOperation(pi, arguments, parameters),
        x_(parameters.whole("rows", 1, kLargestRows), parameters.whole("columns", 1, kLargestRows),
           element),
        y_(x_.rows(), x_.columns(), element) {}
};

class Softmax : public RowOperation {
 public:
  using RowOperation::RowOperation;
  std::optional<Unsupported> prepare() override {
    fill_softmax(x_, seed());
    y_.poison();
    const Handle descriptor = rows();
    return add(create_softmax(engine(), what(), descriptor, 1),
               {{onednn::kSource, engine().memory(descriptor, x_.data())},
                {onednn::kDestination, engine().memory(descriptor, y_.data())}});
  }
  Check check() override { return check_softmax(x_, y_); }
};

class LayerNorm : public RowOperation {
 public:
  LayerNorm(const Pi& pi, const PiArguments& arguments, const Parameters& parameters)
      : RowOperation(pi, arguments, parameters),
        scale_(1, x_.columns(), Element::float32),
        shift_(1, x_.columns(), Element::float32),
        both_(2, x_.columns(), Element::float32) {}

  std::optional<Unsupported> prepare() override {
    fill_layer_norm(x_, scale_, shift_, seed());
    y_.poison();
    const Handle descriptor = rows();
    const auto columns = static_cast<std::int64_t>(x_.columns());
    std::vector<onednn::Argument> operands{
        {onednn::kSource, engine().memory(descriptor, x_.data())},
        {onednn::kDestination, engine().memory(descriptor, y_.data())}};
    if (engine().is_v2()) {
      auto* both = static_cast<float*>(both_.data());
      std::copy_n(static_cast<const float*>(scale_.data()), columns, both);
      std::copy_n(static_cast<const float*>(shift_.data()), columns, both + columns);
      const Handle vectors = engine().plain(Element::float32, {2, columns});
      operands.push_back({onednn::kWeights, engine().memory(vectors, both)});
    } else {
      const Handle vector = engine().plain(Element::float32, {columns});
      operands.push_back({onednn::kScale, engine().memory(vector, scale_.data())});
      operands.push_back({onednn::kShift, engine().memory(vector, shift_.data())});
    }
    return add(create_layer_norm(engine(), what(), descriptor, kEpsilon), std::move(operands));
  }
  Check check() override { return check_layer_norm(x_, scale_, shift_, y_); }

 private:
  Matrix scale_, shift_, both_;
};

template <typename Kind>
json run_rows(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  const Parameters parameters(pi.parameters, arguments.words);
  Kind operation(pi, arguments, parameters);
  return run_operation(pi, parameters, operation, clock);
}

std::vector<Parameter> row_parameters() {
  return with_plan_parameters({{"rows", "1024", "rows, each on its own"},
                               {"columns", "1024", "elements of a row"},
                               {"dtype", "float32", "float32 or bfloat16, of input and result"},
                               {"threads", "1", "threads that the library may use"}});
}

}  // namespace

Pi softmax_pi() { return {"softmax", "softmax of rows by oneDNN", row_parameters(), run_rows<Softmax>}; }
Pi layer_norm_pi() {
  return {"layer_norm", "layer normalisation of rows by oneDNN", row_parameters(), run_rows<LayerNorm>};
}

}  // namespace stackx::kernels
