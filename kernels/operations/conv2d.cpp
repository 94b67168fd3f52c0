// conv2d: a convolution over two dimensions through oneDNN, or cuDNN (cuda/cudnn_conv2d.hpp) where
// --library is that. Parameters, work and the mathematics are those of kernels/python/conv2d.py, so
// that one workload runs on all (kernels/reference/convolution.hpp).
//
// layout=default lets oneDNN choose where x and y lie, too (blocked by 16 channels, as a rule), as
// between the layers of a network; channels_last and channels_first hold them in NHWC and NCHW.
// Filters are always packed before anything is timed. dnnl_convolution_direct: no Winograd, whose
// errors would need another bound. bfloat16 gives float32 and int8 (u8 times s8) int32, as matmul.
#include <nlohmann/json.hpp>

#include "kernels/cuda/cudnn_conv2d.hpp"
#include "kernels/onednn/operation.hpp"
#include "kernels/pi.hpp"
#include "kernels/reference/convolution.hpp"
#include "kernels/timing/scenario.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;
using onednn::Dims;
using onednn::Handle;
using onednn::Tensor;

constexpr int kDirect = 1;  // dnnl_convolution_direct

class Conv2d : public OnednnOperation {
 public:
  Conv2d(const Pi& pi, const PiArguments& arguments, const Parameters& parameters,
         const Convolution& problem)
      : OnednnOperation(pi, arguments, parameters),
        problem_(problem),
        layout_(parameters.one_of("layout", {"default", "channels_last", "channels_first"})),
        data_(problem) {}

  // Twice: as we made them, and in the layout that is measured.
  Need need() const override {
    return {.keys = {"batch", "height", "width", "in_channels", "out_channels", "dtype"},
            .arrays = 2 * data_.need(),
            .check = check_memory(problem_)};
  }

  std::optional<Unsupported> prepare() override {
    data_.fill(seed());
    const Elements types = elements(problem_.dtype);
    const auto &rows = problem_.rows, &columns = problem_.columns;
    const Dims x_dims{whole(problem_.batch), whole(problem_.in_channels), whole(rows.size),
                      whole(columns.size)},
        y_dims{whole(problem_.batch), whole(problem_.out_channels), whole(rows.out),
               whole(columns.out)},
        w_dims{whole(problem_.out_channels), whole(problem_.in_channels), whole(rows.kernel),
               whole(columns.kernel)};
    const Dims w_strides{1, w_dims[0], w_dims[3] * w_dims[1] * w_dims[0], w_dims[1] * w_dims[0]};
    const Handle x_plain = engine().strided(types.a, x_dims, channels_last(x_dims)),
                 w_plain = engine().strided(types.b, w_dims, w_strides),
                 bias = problem_.bias ? engine().plain(types.c, {w_dims[0]}) : nullptr;
    y_plain_ = engine().strided(types.c, y_dims, channels_last(y_dims));

    const auto primitive = create(activation(types.a, x_dims), engine().any(types.b, w_dims), bias,
                                  activation(types.c, y_dims));
    if (!primitive) return primitive.error();
    x_ = packed(*primitive, onednn::kSource, x_plain, data_.x);
    w_ = packed(*primitive, onednn::kWeights, w_plain, data_.w);
    y_ = std::make_unique<Tensor>(engine(), engine().wanted(*primitive, onednn::kDestination),
                                  types.c);
    y_->elements().poison();
    std::vector<onednn::Argument> operands{{onednn::kSource, x_->memory()},
                                           {onednn::kWeights, w_->memory()},
                                           {onednn::kDestination, y_->memory()}};
    if (bias != nullptr)
      operands.push_back({onednn::kBias, engine().memory(bias, data_.bias.data())});
    return add(primitive, std::move(operands));
  }

  Check check() override {
    fetch();
    return check_convolution(problem_, data_, seed());
  }

  std::vector<std::span<const std::byte>> result() override {
    fetch();
    return {data_.y.contents()};
  }

  OperationWork work() const override { return {problem_.flop(), problem_.bytes(), 1}; }

 private:
  void fetch() {
    engine().reorder(y_->descriptor(), y_->memory(), y_plain_, engine().memory(y_plain_, data_.y.data()));
  }
  static Dims channels_last(const Dims& d) {  // of dimensions N, C, H, W
    return {d[1] * d[2] * d[3], 1, d[3] * d[1], d[1]};
  }
  Handle activation(Element element, const Dims& dims) {
    if (layout_ == "channels_last") return engine().strided(element, dims, channels_last(dims));
    return layout_ == "channels_first" ? engine().plain(element, dims)
                                       : engine().any(element, dims);
  }

  onednn::PrimitiveOr create(Handle x, Handle w, Handle bias, Handle y) {
    const auto &rows = problem_.rows, &columns = problem_.columns;
    const Dims strides{whole(rows.stride), whole(columns.stride)}, dilates{0, 0},
        low{whole(rows.low), whole(columns.low)};
    // oneDNN wants exactly what the last position covers; valid may leave rows at the end unused.
    const auto high = [](const Axis& axis) {
      return whole((axis.out - 1) * axis.stride + axis.kernel) - whole(axis.size + axis.low);
    };
    const Dims after{high(rows), high(columns)};
    if (engine().is_v2())
      return engine().create_v2(what(), "dnnl_convolution_forward_desc_init", nullptr,
                                onednn::kForwardInference, kDirect, x, w, bias, y, strides.data(),
                                low.data(), after.data());
    return engine().create_v3(what(), "dnnl_convolution_forward_primitive_desc_create", nullptr,
                              onednn::kForwardInference, kDirect, x, w, bias, y, strides.data(),
                              dilates.data(), low.data(), after.data());
  }

  Convolution problem_;
  std::string layout_;
  ConvolutionData data_;
  Handle y_plain_ = nullptr;
  std::unique_ptr<Tensor> x_, w_, y_;
};

json run_conv2d(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  if (arguments.library && cuda::is_cudnn(*arguments.library))
    return cuda::run_cudnn_conv2d(pi, arguments, clock);
  std::vector<Parameter> known = pi.parameters;
  for (const Parameter& other : cuda::cudnn_parameters())
    std::erase_if(known, [&](const Parameter& one) { return one.key == other.key; });
  const Parameters parameters(std::move(known), arguments.words);
  const Convolution problem(parameters, {"float32", "bfloat16", "int8"});
  Conv2d conv2d(pi, arguments, parameters, problem);
  return run_operation(pi, parameters, conv2d, clock);
}

}  // namespace

Pi conv2d_pi() {
  std::vector<Parameter> own = convolution_parameters();
  own.insert(
      own.end(),
      {{"layout", "default", "default (the library's choice), channels_last or channels_first"},
       {"dtype", "float32",
        "float32, bfloat16 (result float32), int8 (result int32); cuDNN: float32, float64, tf32, "
        "float16"},
       {"threads", "1", "threads that the library may use"}});
  const std::vector<Parameter> cudnn = cuda::cudnn_parameters();
  own.insert(own.end(), cudnn.begin(), cudnn.end());
  return {"conv2d", "convolution over two dimensions by oneDNN or cuDNN",
          with_scenario_parameters(with_plan_parameters(own)), run_conv2d};
}

}  // namespace stackx::kernels
