#include "kernels/onednn/operation.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace stackx::kernels {

using onednn::Engine;
using onednn::Tensor;

OnednnOperation::OnednnOperation(const Pi& pi, const PiArguments& arguments,
                                 const Parameters& parameters)
    : what_(fmt::format("{} {}", parameters.text("dtype"), pi.name)),
      component_(arguments.component),
      threads_(static_cast<int>(parameters.whole("threads", 1, 4096))),
      seed_(parameters.whole("seed", 0, ~std::uint64_t{0})) {
  if (!arguments.library)
    throw UsageError(fmt::format("{} needs --library PATH: the library to measure", pi.name));
  path_ = *arguments.library;
}

std::optional<Unsupported> OnednnOperation::load() {
  const SharedObject object(path_);
  if (!Engine::recognises(object)) {
    other_ = open_library(path_)->info();
    return fmt::format("{} has no {}: that takes oneDNN", other_.kind, what_);
  }
  engine_.emplace(object);
  const auto threads = engine_->use_threads(threads_);
  if (!threads) return threads.error();
  if (*threads != threads_)
    return fmt::format("{} threads asked for, the library uses {}", threads_, *threads);
  engine_->start();
  return std::nullopt;
}

std::optional<Unsupported> OnednnOperation::add(const onednn::PrimitiveOr& primitive,
                                                std::vector<onednn::Argument> arguments) {
  if (!primitive) return primitive.error();
  steps_.push_back({*primitive, std::move(arguments)});
  return std::nullopt;
}

std::unique_ptr<Tensor> OnednnOperation::packed(const onednn::Primitive& primitive, int argument,
                                                onednn::Handle plain, const Matrix& elements) {
  auto tensor =
      std::make_unique<Tensor>(*engine_, engine_->wanted(primitive, argument), elements.element());
  engine_->reorder(plain, engine_->memory(plain, elements.data()), tensor->descriptor(),
                   tensor->memory());
  return tensor;
}

void OnednnOperation::run_step(std::size_t index) const {
  engine_->execute(steps_[index]);
  engine_->wait();
}

void OnednnOperation::call() {
  for (const onednn::Step& step : steps_) engine_->execute(step);
  engine_->wait();
}

void OnednnOperation::describe(nlohmann::json& document) const {
  LibraryInfo info = engine_ ? engine_->info() : other_;
  for (const onednn::Step& step : steps_)
    info.core += (info.core.empty() ? "" : ", ") + step.primitive.implementation;
  put_library(document, info, SharedObject(path_).path(), component_);
  if (engine_) document["library"]["threads"] = threads_;
}

}  // namespace stackx::kernels
