// What has no code for GPUs of its own and computes through a framework, in whatever build of that is there: transformers, of torch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

// The question with that framework beside all of it; nothing where something else that is known is asked, or a framework, too.
struct Through {
  std::string framework;  // "torch"
  std::vector<std::string> packages;
  Question question;
};
std::optional<Through> through_framework(const Knowledge& knowledge, const Question& question);

// What such a package's name says of it, where a framework was asked for beside: "" for any other.
std::string decided_by_framework(const Knowledge& knowledge, const std::string& name);

}  // namespace stackx::advisor
