// An operation made of oneDNN primitives: what conv2d, lstm, gru, softmax, layer_norm and attention
// share. A derived class describes its operands in prepare() and adds steps; a call runs them in
// order and waits once.
//
// What is timed is what a framework runs per call: the primitives alone. Weights are brought into
// the layout that the library wants (format "any") before, once; activations stay as they are
// unless an operation says otherwise. "library.core" is the implementation of each step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/onednn/engine.hpp"
#include "kernels/operation.hpp"

namespace stackx::kernels {

// Sizes as oneDNN takes them.
inline std::int64_t whole(std::size_t value) { return static_cast<std::int64_t>(value); }

class OnednnOperation : public Operation {
 public:
  // Throws UsageError without a library.
  OnednnOperation(const Pi& pi, const PiArguments& arguments, const Parameters& parameters);

  std::optional<Unsupported> load() override;
  void call() override;
  void describe(nlohmann::json& document) const override;

 protected:
  onednn::Engine& engine() { return *engine_; }
  const std::string& what() const { return what_; }  // "bfloat16 lstm", for refusals
  std::uint64_t seed() const { return seed_; }

  // Adds the step, or says why there is none.
  std::optional<Unsupported> add(const onednn::PrimitiveOr& primitive,
                                 std::vector<onednn::Argument> arguments);

  // One of the steps added, complete when it returns.
  void run_step(std::size_t index) const;

  // A copy of plain elements in the layout that the primitive wants for that argument.
  std::unique_ptr<onednn::Tensor> packed(const onednn::Primitive& primitive, int argument,
                                         onednn::Handle plain, const Matrix& elements);

 private:
  std::string path_, what_;
  std::optional<std::string> component_;
  int threads_;
  std::uint64_t seed_;
  LibraryInfo other_;  // of a library that is not oneDNN
  std::optional<onednn::Engine> engine_;
  std::vector<onednn::Step> steps_;
};

}  // namespace stackx::kernels
