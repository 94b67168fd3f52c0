// The layer by oneDNN: a matmul for each product, and for the attention matmul, softmax, matmul, as `attention` has them, with the
// scale as a post-operation of the first; in between the causal mask of a prompt, an operation of its own.
//
// Operands are plain, as in `matmul`; the heads that share keys are rows of one product of the batch.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/layer/case.hpp"
#include "kernels/layer/mask.hpp"
#include "kernels/onednn/matmul.hpp"
#include "kernels/onednn/operation.hpp"
#include "kernels/onednn/rows.hpp"

namespace stackx::kernels {
namespace {

using onednn::Handle;

class OnednnLayer : public OnednnOperation {
 public:
  OnednnLayer(const Pi& pi, const PiArguments& arguments, const Parameters& parameters, const Layer& layer)
      : OnednnOperation(pi, arguments, parameters), case_(layer, parameters) {}

  std::optional<Unsupported> load() override {
    if (auto refusal = OnednnOperation::load()) return refusal;
    const Dtype dtype = case_.layer().dtype;
    if (dtype == Dtype::float32 || dtype == Dtype::bfloat16) return std::nullopt;
    return fmt::format("{} is measured on GPUs only", to_string(dtype));
  }

  Need need() const override {
    const Layer& layer = case_.layer();
    return case_.need(layer.bytes() + 2 * layer.scores_bytes() + layer.mask_bytes());  // scores and probabilities
  }

  std::optional<Unsupported> prepare() override {
    case_.make_data();
    auto& products = case_.data().products();
    for (auto& operands : products) {
      const std::string name = operands.product.name;
      if (name == "o")
        if (auto refusal = add_attention()) return refusal;
      if (auto refusal = add_product(operands)) return refusal;
    }
    return std::nullopt;
  }

  Check check() override { return case_.check(Unit::scalar); }
  std::vector<std::span<const std::byte>> result() override { return case_.data().results(); }
  OperationWork work() const override { return case_.work(); }

  std::unique_ptr<Sampler> sampler(const Clock& clock) override {
    std::vector<std::function<void()>> steps;
    for (std::size_t i = 0; i < added_; ++i) steps.push_back([this, i] { run_step(i); });
    return case_.sampler(OnednnOperation::sampler(clock),
                         [&clock, steps = std::move(steps)] { return stamped_by(clock, steps); });
  }

  void describe(nlohmann::json& document) const override {
    OnednnOperation::describe(document);
    case_.describe(document);
  }

 private:
  std::optional<Unsupported> add_named(const std::string& name, const onednn::PrimitiveOr& primitive,
                                       std::vector<onednn::Argument> arguments) {
    auto refusal = add(primitive, std::move(arguments));
    if (refusal) return refusal;
    case_.add_operation(name);
    ++added_;
    return std::nullopt;
  }

  std::optional<Unsupported> add_product(LayerData::Operands& operands) {
    const auto describe = [&](const Matrix& matrix) {
      return engine().plain(matrix.element(), {whole(matrix.rows()), whole(matrix.columns())});
    };
    const Handle a = describe(operands.a), b = describe(operands.b), c = describe(operands.c);
    const auto primitive = create_matmul(engine(), what(), a, b, c);
    if (!primitive) return primitive.error();  // without memory of descriptors that are refused
    return add_named(operands.product.name, primitive,
                     {{onednn::kSource, engine().memory(a, operands.a.data())},
                      {onednn::kWeights, engine().memory(b, operands.b.data())},
                      {onednn::kDestination, engine().memory(c, operands.c.data())}});
  }

  std::optional<Unsupported> add_attention() {
    const Attention attention = case_.layer().attention();
    AttentionData& data = case_.data().attention();
    const std::int64_t groups = whole(attention.heads / attention.group), rows = whole(attention.group * attention.queries),
                       keys = whole(attention.sequence), size = whole(attention.size);
    const Element type = attention.element;
    scores_.emplace(data.q.rows(), attention.sequence, type);
    probabilities_.emplace(data.q.rows(), attention.sequence, type);
    const Handle queries = engine().plain(type, {groups, rows, size}), kept = engine().plain(type, {groups, keys, size}),
                 transposed = engine().strided(type, {groups, size, keys}, {keys * size, 1, size}),
                 square = engine().plain(type, {groups, rows, keys});
    const Handle scores = engine().memory(square, scores_->data()),
                 probabilities = engine().memory(square, probabilities_->data());
    const Handle scale = engine().scaled_by(1 / std::sqrt(static_cast<float>(attention.size)));
    auto refusal = add_named("scores", create_matmul(engine(), what(), queries, transposed, square, scale),
                             {{onednn::kSource, engine().memory(queries, data.q.data())},
                              {onednn::kWeights, engine().memory(transposed, data.k.data())},
                              {onednn::kDestination, scores}});
    if (!refusal && attention.causal) refusal = add_mask(attention, groups, rows * keys);
    if (!refusal)
      refusal = add_named("softmax", create_softmax(engine(), what(), square, 2),
                          {{onednn::kSource, scores}, {onednn::kDestination, probabilities}});
    if (!refusal)
      refusal = add_named("values", create_matmul(engine(), what(), square, kept, queries),
                          {{onednn::kSource, probabilities},
                           {onednn::kWeights, engine().memory(kept, data.v.data())},
                           {onednn::kDestination, engine().memory(queries, data.o.data())}});
    return refusal;
  }

  // The scores of a group as one row, to which the mask is another.
  std::optional<Unsupported> add_mask(const Attention& attention, std::int64_t groups, std::int64_t scores_of_one) {
    mask_.emplace(causal_mask(attention));
    const Handle rows = engine().plain(attention.element, {groups, scores_of_one}),
                 row = engine().plain(attention.element, {1, scores_of_one});
    const auto primitive = create_add_row(engine(), what(), rows, row);
    if (!primitive) return primitive.error();
    const Handle scores = engine().memory(rows, scores_->data());
    return add_named("mask", primitive,
                     {{onednn::kSource, scores},
                      {onednn::kAddend, engine().memory(row, mask_->data())},
                      {onednn::kDestination, scores}});
  }

  LayerCase case_;
  std::optional<Matrix> scores_, probabilities_, mask_;
  std::size_t added_ = 0;
};

}  // namespace

std::unique_ptr<Operation> layer_by_onednn(const Pi& pi, const PiArguments& arguments, const Parameters& parameters,
                                           const Layer& layer) {
  return std::make_unique<OnednnLayer>(pi, arguments, parameters, layer);
}

}  // namespace stackx::kernels
