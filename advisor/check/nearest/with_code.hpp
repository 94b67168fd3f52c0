// Releases that hold code for the GPU of a question.
#pragma once

#include <string>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

// False where every release of the package that is known is built for other GPUs: no version of it helps.
bool some_release_has_code(const Knowledge& knowledge, const std::string& package, const Question& question);

// The newest release that is not known to be built for other GPUs; null: all are. Builds of other indexes count if `any_build`.
const specs::PackageRelease* newest_with_code(const Knowledge& knowledge, const specs::Package& package, const Question& question,
                                              bool any_build);

}  // namespace stackx::advisor
