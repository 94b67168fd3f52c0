// attention: scaled dot product attention of all heads of a batch, softmax(Q K' / sqrt(d)) V.
//
// Three oneDNN primitives, as a framework without fused attention runs them: batched matmul with
// the scale as a post-operation, softmax, batched matmul. oneDNN has no fused public primitive (its
// graph interface may fuse, in 3.x only), so this is what 2.x and 3.x can be compared by. Operands
// are plain; K is read transposed. In bfloat16 scores and probabilities are bfloat16, too.
#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/onednn/matmul.hpp"
#include "kernels/onednn/operation.hpp"
#include "kernels/onednn/rows.hpp"
#include "kernels/pi.hpp"
#include "kernels/reference/attention_check.hpp"
#include "kernels/timing/scenario.hpp"

namespace stackx::kernels {
namespace {

using nlohmann::json;
using onednn::Handle;

constexpr std::uint64_t kLargestAttention = 1 << 16;

Attention problem_from(const Parameters& parameters) {
  return {parameters.whole("batch", 1, kLargestAttention) * parameters.whole("heads", 1, kLargestAttention),
          parameters.whole("sequence", 1, kLargestAttention),
          parameters.whole("head_size", 1, kLargestAttention),
          elements(*dtype_from(parameters.one_of("dtype", {"float32", "bfloat16"}))).a};
}

class AttentionOperation : public OnednnOperation {
 public:
  AttentionOperation(const Pi& pi, const PiArguments& arguments, const Parameters& parameters)
      : OnednnOperation(pi, arguments, parameters),
        problem_(problem_from(parameters)),
        data_(problem_),
        scores_(problem_.heads * problem_.sequence, problem_.sequence, problem_.element),
        probabilities_(scores_.rows(), scores_.columns(), problem_.element) {}

  Need need() const override {
    return {.keys = {"batch", "heads", "sequence", "head_size", "dtype"},
            .arrays = data_.need() + scores_.need() + probabilities_.need(),
            .check = check_memory(problem_)};
  }

  std::optional<Unsupported> prepare() override {
    data_.fill(seed());
    const auto heads = static_cast<std::int64_t>(problem_.heads),
               sequence = static_cast<std::int64_t>(problem_.sequence),
               size = static_cast<std::int64_t>(problem_.size);
    const Element type = problem_.element;
    const Handle plain = engine().plain(type, {heads, sequence, size}),
                 transposed =
                     engine().strided(type, {heads, size, sequence}, {sequence * size, 1, size}),
                 square = engine().plain(type, {heads, sequence, sequence});
    const Handle scores = engine().memory(square, scores_.data()),
                 probabilities = engine().memory(square, probabilities_.data());
    const Handle scale = engine().scaled_by(1 / std::sqrt(static_cast<float>(size)));
    auto refusal = add(create_matmul(engine(), what(), plain, transposed, square, scale),
                       {{onednn::kSource, engine().memory(plain, data_.q.data())},
                        {onednn::kWeights, engine().memory(transposed, data_.k.data())},
                        {onednn::kDestination, scores}});
    if (!refusal)
      refusal = add(create_softmax(engine(), what(), square, 2),
                    {{onednn::kSource, scores}, {onednn::kDestination, probabilities}});
    if (!refusal)
      refusal = add(create_matmul(engine(), what(), square, plain, plain),
                    {{onednn::kSource, probabilities},
                     {onednn::kWeights, engine().memory(plain, data_.v.data())},
                     {onednn::kDestination, engine().memory(plain, data_.o.data())}});
    return refusal;
  }

  Check check() override { return check_attention(problem_, data_, seed()); }
  std::vector<std::span<const std::byte>> result() override { return {data_.o.contents()}; }

  // The two products; bytes of Q, K, V and O once each.
  OperationWork work() const override {
    const double rows = static_cast<double>(data_.q.rows());
    return {4 * rows * static_cast<double>(problem_.sequence) * static_cast<double>(problem_.size),
            4 * static_cast<double>(data_.q.bytes()), 1};
  }

 private:
  Attention problem_;
  AttentionData data_;
  Matrix scores_, probabilities_;
};

json run_attention(const Pi& pi, const PiArguments& arguments, const Clock& clock) {
  const Parameters parameters(pi.parameters, arguments.words);
  AttentionOperation attention(pi, arguments, parameters);
  return run_operation(pi, parameters, attention, clock);
}

}  // namespace

Pi attention_pi() {
  return {"attention", "scaled dot product attention by oneDNN: matmul, softmax, matmul",
          with_scenario_parameters(
              with_plan_parameters({{"batch", "8", "sequences"},
                                    {"heads", "8", "heads of each"},
                                    {"sequence", "128", "positions, of queries and keys alike"},
                                    {"head_size", "64", "features of a head"},
                                    {"dtype", "float32", "float32 or bfloat16"},
                                    {"threads", "1", "threads that the library may use"}})),
          run_attention};
}

}  // namespace stackx::kernels
