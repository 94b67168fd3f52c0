// lstm and gru: one recurrent layer, left to right, through oneDNN's LSTM and (vanilla) GRU
// primitives. kernels/reference/rnn.hpp says what they compute.
//
// x, h, c and the results lie plainly (time, batch, features), as frameworks hold them; W and U are
// packed into the layout that oneDNN wants before anything is timed. Inference: no workspace is
// kept for a backward pass. int8 is not offered: it needs quantisation parameters, which would make
// the result depend on how they were calibrated.
#include <nlohmann/json.hpp>

#include "kernels/onednn/operation.hpp"
#include "kernels/pi.hpp"
#include "kernels/reference/rnn.hpp"
#include "kernels/timing/scenario.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;
using onednn::Handle;
using onednn::Tensor;

constexpr int kLeftToRightV2 = 0, kLeftToRightV3 = 1;  // dnnl_unidirectional_left2right
constexpr unsigned kNoFlags = 0;
constexpr Handle kNone = nullptr;

class Recurrent : public OnednnOperation {
 public:
  Recurrent(const Pi& pi, const PiArguments& arguments, const Parameters& parameters,
            const Rnn& problem)
      : OnednnOperation(pi, arguments, parameters), problem_(problem), data_(problem) {}

  Need need() const override {
    return {.keys = {"batch", "time_steps", "input_size", "hidden_size", "dtype"},
            .arrays = data_.bytes() + data_.w.need() + data_.u.need(),  // the weights once more, packed
            .check = check_memory(problem_)};
  }

  std::optional<Unsupported> prepare() override {
    data_.fill(seed());
    describe_operands();
    const bool lstm = problem_.cell == Cell::lstm;
    const auto primitive = lstm ? create_lstm() : create_gru();
    if (!primitive) return primitive.error();
    packed_w_ = packed(*primitive, onednn::kWeights, w_, data_.w);
    packed_u_ = packed(*primitive, onednn::kWeightsIter, u_, data_.u);
    std::vector<onednn::Argument> operands{
        {onednn::kSource, engine().memory(x_, data_.x.data())},
        {onednn::kSourceIter, engine().memory(h_, data_.h.data())},
        {onednn::kWeights, packed_w_->memory()},
        {onednn::kWeightsIter, packed_u_->memory()},
        {onednn::kBias, engine().memory(bias_, data_.bias.data())},
        {onednn::kDestination, engine().memory(y_, data_.y.data())},
        {onednn::kDestinationIter, engine().memory(h_, data_.last_h.data())}};
    if (lstm) {
      operands.push_back({onednn::kSourceIterC, engine().memory(c_, data_.c.data())});
      operands.push_back({onednn::kDestinationIterC, engine().memory(c_, data_.last_c.data())});
    }
    return add(primitive, std::move(operands));
  }

  Check check() override { return check_rnn(problem_, data_, seed()); }
  std::vector<std::span<const std::byte>> result() override {
    if (problem_.cell == Cell::gru) return {data_.y.contents(), data_.last_h.contents()};
    return {data_.y.contents(), data_.last_h.contents(), data_.last_c.contents()};
  }

  OperationWork work() const override {
    return {static_cast<double>(problem_.batch) * problem_.flop_of_one(), data_.bytes(), 1};
  }

 private:
  // Dimensions: time, batch, features; or layers, directions, then what the operand has.
  void describe_operands() {
    const auto time = whole(problem_.time), batch = whole(problem_.batch),
               input = whole(problem_.input), hidden = whole(problem_.hidden),
               gates = whole(problem_.gates());
    const Element type = elements(problem_.dtype).a;
    x_ = engine().plain(type, {time, batch, input});
    y_ = engine().plain(type, {time, batch, hidden});
    h_ = engine().plain(type, {1, 1, batch, hidden});
    c_ = engine().plain(Element::float32, {1, 1, batch, hidden});
    w_ = engine().plain(type, {1, 1, input, gates, hidden});
    u_ = engine().plain(type, {1, 1, hidden, gates, hidden});
    any_w_ = engine().any(type, {1, 1, input, gates, hidden});
    any_u_ = engine().any(type, {1, 1, hidden, gates, hidden});
    bias_ = engine().plain(Element::float32, {1, 1, gates, hidden});
  }

  onednn::PrimitiveOr create_lstm() {
    if (engine().is_v2())
      return engine().create_v2(what(), "dnnl_lstm_forward_desc_init", nullptr,
                                onednn::kForwardInference, kLeftToRightV2, x_, h_, c_, any_w_,
                                any_u_, bias_, y_, h_, c_, kNoFlags);
    return engine().create_v3(what(), "dnnl_lstm_forward_primitive_desc_create", nullptr,
                              onednn::kForwardInference, kLeftToRightV3, x_, h_, c_, any_w_, any_u_,
                              kNone, kNone, bias_, y_, h_, c_, kNoFlags);
  }

  onednn::PrimitiveOr create_gru() {
    if (engine().is_v2())
      return engine().create_v2(what(), "dnnl_gru_forward_desc_init", nullptr,
                                onednn::kForwardInference, kLeftToRightV2, x_, h_, any_w_, any_u_,
                                bias_, y_, h_, kNoFlags);
    return engine().create_v3(what(), "dnnl_gru_forward_primitive_desc_create", nullptr,
                              onednn::kForwardInference, kLeftToRightV3, x_, h_, any_w_, any_u_,
                              bias_, y_, h_, kNoFlags);
  }

  Rnn problem_;
  RnnData data_;
  Handle x_ = nullptr, y_ = nullptr, h_ = nullptr, c_ = nullptr, w_ = nullptr, u_ = nullptr,
         any_w_ = nullptr, any_u_ = nullptr, bias_ = nullptr;
  std::unique_ptr<Tensor> packed_w_, packed_u_;
};

template <Cell cell>
json run_recurrent(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  const Parameters parameters(pi.parameters, arguments.words);
  Recurrent layer(pi, arguments, parameters, Rnn(cell, parameters));
  return run_operation(pi, parameters, layer, clock);
}

std::vector<Parameter> recurrent_parameters() {
  std::vector<Parameter> own = rnn_parameters();
  own.insert(own.end(), {{"dtype", "float32", "float32, bfloat16 (bias and c in float32)"},
                         {"threads", "1", "threads that the library may use"}});
  return with_scenario_parameters(with_plan_parameters(own));
}

}  // namespace

Pi lstm_pi() {
  return {"lstm", "a layer of long short-term memory by oneDNN", recurrent_parameters(), run_recurrent<Cell::lstm>};
}
Pi gru_pi() {
  return {"gru", "a layer of gated recurrent units by oneDNN", recurrent_parameters(), run_recurrent<Cell::gru>};
}

}  // namespace stackx::kernels
