// NVIDIA's forward compatibility: on data-center GPUs the package cuda-compat lets a driver of some older branches run newer CUDA.
#pragma once

#include <optional>
#include <string>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::advisor {

// The release of cuda-compat with which the question's driver runs a build: "13.1"; nothing: none does, or it needs none.
std::optional<std::string> compat_release(const Knowledge& knowledge, const Question& question, const specs::GpuBuild& build);

std::string compat_package(std::string release);  // "13.1" -> "cuda-compat-13-1"

// What to say of a stack that the question's driver is too old for; "": forward compatibility does not help.
std::string forward_compatibility(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen);

}  // namespace stackx::advisor
