// What packages load from the system and no installer brings: CUDA 11.2 and cuDNN 8.1 of tensorflow 2.10.0.
#pragma once

#include <map>
#include <string>

#include "specs/catalog/fact.hpp"
#include "specs/catalog/stack.hpp"

namespace stackx::advisor {

using SystemLibraries = std::map<std::string, std::string>;  // {"cuda": "11.2", "cudnn": "8.1"}, {"rocm": "7.2.3"}

// Of the package as it was chosen: without those that an extra brings (tensorflow[and-cuda], onnxruntime-gpu[cuda,cudnn]).
SystemLibraries loaded_from_system(const specs::Fact& fact, const std::string& name, const specs::Stack& chosen);

std::string library_in_words(const std::string& library);  // "cudnn" -> "cuDNN"
std::string in_words(const SystemLibraries& libraries);    // "CUDA 11.2 and cuDNN 8.1"

}  // namespace stackx::advisor
