// What the packages that an installer takes have on the GPU, beside what the resolver judges: which hold code for it, which are
// built for CPUs or need a plugin, and of which nobody states for which GPUs they are built.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

struct OnGpu {
  std::vector<std::string> used;      // "torch 2.4.0": holds code for it
  std::vector<std::string> for_cpus;  // sentences: what cannot use it
  std::vector<std::string> unknown;   // sentences
  std::vector<std::string> notes;
};

// The question names a GPU.
OnGpu on_gpu(const Knowledge& knowledge, const Question& question, const specs::Stack& chosen);

}  // namespace stackx::advisor
