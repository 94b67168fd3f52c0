// What packages load from the system and no installer brings: CUDA 11.2 and cuDNN 8.1 of tensorflow 2.10.0.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "advisor/facts/knowledge.hpp"
#include "specs/catalog/fact.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::advisor {

using SystemLibraries = std::map<std::string, std::string>;  // {"cuda": "11.2", "cudnn": "8.1"}, {"rocm": "7.2.3"}

// Of the package as it was chosen: without those that an extra brings (tensorflow[and-cuda], cupy-cuda12x[ctk], onnxruntime-gpu[cuda,cudnn]).
SystemLibraries loaded_from_system(const specs::Fact& fact, const std::string& name, const specs::Stack& chosen);

// The first release of cuDNN that has code for a GPU of NVIDIA's, from the stated one to the end of its major version: "8.6" where
// older ones are known to lack it, else the stated one; "": none has it. Nothing: no cuDNN among them, or nobody knows.
std::optional<std::string> first_cudnn(const Knowledge& knowledge, const SystemLibraries& libraries, const std::string& compute_capability,
                                       const std::string& machine);

// The same, in the least releases of their major versions that have code for that GPU: CUDA 11.8 for 11.2 on an H100.
SystemLibraries with_code_for(const Knowledge& knowledge, SystemLibraries libraries, const std::string& compute_capability,
                              const std::string& machine);

std::string library_in_words(const std::string& library);  // "cudnn" -> "cuDNN"
std::string in_words(const SystemLibraries& libraries);    // "CUDA 11.2 and cuDNN 8.1"

}  // namespace stackx::advisor
