// The layer by a BLAS: every product is the library's, those of the attention too, as a batch (in one call where the library
// has it, else a loop). A BLAS has no softmax: that is ours (softmax.hpp), the same whatever the library, and among the
// operations it is told by itself.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/layer/case.hpp"
#include "kernels/layer/softmax.hpp"

namespace stackx::kernels {
namespace {

class BlasLayer : public Operation {
 public:
  BlasLayer(const PiArguments& arguments, const Parameters& parameters, const Layer& layer)
      : path_(*arguments.library),
        component_(arguments.component),
        threads_(static_cast<int>(parameters.whole("threads", 1, 4096))),
        case_(layer, parameters) {}

  std::optional<Unsupported> load() override {
    library_ = open_library(path_);
    if (case_.layer().dtype != Dtype::float32)
      return fmt::format("{} has no {} attention: of a BLAS's layer float32 is measured", library_->info().kind,
                         to_string(case_.layer().dtype));
    const auto threads = library_->use_threads(threads_);
    if (!threads) return threads.error();
    if (*threads == threads_) return std::nullopt;
    return fmt::format("{} threads asked for, the library uses {}", threads_, *threads);
  }

  Need need() const override { return case_.need(case_.layer().bytes() + case_.layer().scores_bytes()); }

  std::optional<Unsupported> prepare() override {
    case_.make_data();
    for (auto& [product, a, b, c] : case_.data().products()) {
      if (std::string_view(product.name) == "o")
        if (auto refusal = add_attention()) return refusal;
      if (auto refusal = add(product.name, {Dtype::float32, a, b, c})) return refusal;
    }
    return std::nullopt;
  }

  void call() override {
    for (const auto& step : steps_) step();
  }
  Check check() override { return case_.check(Unit::scalar); }
  std::vector<std::span<const std::byte>> result() override { return case_.data().results(); }
  OperationWork work() const override { return case_.work(); }

  std::unique_ptr<Sampler> sampler(const Clock& clock) override {
    return case_.sampler(Operation::sampler(clock), [this, &clock] { return stamped_by(clock, steps_); });
  }

  void describe(nlohmann::json& document) const override {
    put_library(document, library_->info(), SharedObject(path_).path(), component_);
    if (const auto threads = library_->use_threads(threads_)) document["library"]["threads"] = *threads;
    if (!through_.empty()) document["library"]["function"] = through_;
    document["notes"].push_back("a BLAS has no softmax: that of the attention is stackx-pi's own");
    case_.describe(document);
  }

 private:
  std::optional<Unsupported> add(const std::string& name, const Product& product) {
    auto multiply = library_->prepare(product);
    if (!multiply) return multiply.error();
    steps_.push_back(std::move(multiply->call));
    if (name == "q" || name == "scores") through_ += (through_.empty() ? "" : "; ") + multiply->through;
    case_.add_operation(name);
    return std::nullopt;
  }

  std::optional<Unsupported> add_attention() {
    const Attention attention = case_.layer().attention();
    AttentionData& data = case_.data().attention();
    const std::size_t groups = attention.heads / attention.group;
    scores_.emplace(data.q.rows(), attention.sequence, Element::float32);
    if (auto refusal = add("scores", {Dtype::float32, data.q, data.k, *scores_, groups, true})) return refusal;
    steps_.push_back([this, attention] { attention_softmax(*scores_, attention, static_cast<std::size_t>(threads_)); });
    case_.add_operation("softmax");
    return add("values", {Dtype::float32, *scores_, data.v, data.o, groups});
  }

  std::string path_;
  std::optional<std::string> component_;
  int threads_;
  LayerCase case_;
  std::unique_ptr<Library> library_;
  std::optional<Matrix> scores_;
  std::vector<std::function<void()>> steps_;
  std::string through_;
};

}  // namespace

std::unique_ptr<Operation> layer_by_blas(const PiArguments& arguments, const Parameters& parameters, const Layer& layer) {
  return std::make_unique<BlasLayer>(arguments, parameters, layer);
}

}  // namespace stackx::kernels
