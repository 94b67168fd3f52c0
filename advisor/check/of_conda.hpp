// What conda itself installs, in a question: as the package index calls it.
//
//   pytorch=2.1.2, pytorch-cuda=11.8     torch==2.1.2+cu118, where PyTorch's index for that CUDA has it
//
// Conda's builds are others than the index's, so what is found of these is a hint. It is asked where a file has nothing else, and where
// conda brings the framework that pip's packages compute with: pip leaves it as it is. Rejected: judging pip's packages alone, which
// then seem to take the newest torch of the index, that nobody named.
#pragma once

#include <string>
#include <vector>

#include "advisor/check/question.hpp"
#include "advisor/facts/knowledge.hpp"

namespace stackx::advisor {

struct OfConda {
  std::string file;
  std::string cuda;  // "11.8", that its builds are for; "": it does not say
  std::vector<specs::PlacedDependency> meant;
};

// Into the question, where that needs it.
void ask_of_the_index(const OfConda& conda, const Knowledge& knowledge, Question& question);

}  // namespace stackx::advisor
