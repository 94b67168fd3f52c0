// Releases that hold code for the GPU of a question.
#pragma once

#include <string>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::advisor {

// False where every release of the package that is known is built for other GPUs: no version of it helps.
bool some_release_has_code(const Knowledge& knowledge, const std::string& package, const Question& question);

// The newest release that is not known to be built for other GPUs; null: all are. Builds of other indexes count if `any_build`.
const specs::PackageRelease* newest_with_code(const Knowledge& knowledge, const specs::Package& package, const Question& question,
                                              bool any_build);

// That release is not known to be built for other GPUs, and somebody has seen it.
bool has_code_for(const Knowledge& knowledge, const std::string& package, const specs::PackageRelease& release, const Question& question);

// jax[cuda12] of some releases brings none from the index: its part for GPUs is on JAX's own.
bool lacks_plugin(const Knowledge& knowledge, const Question& question, const specs::Stack& stack, const std::string& package);

// onnxruntime on any GPU: whatever its release, nothing of it is used there.
bool is_for_cpus(const Knowledge& knowledge, const Question& question, const specs::Stack& stack, const std::string& package);

}  // namespace stackx::advisor
