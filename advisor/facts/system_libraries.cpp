#include "advisor/facts/system_libraries.hpp"

namespace stackx::advisor {

SystemLibraries loaded_from_system(const specs::Fact& fact, const std::string& name, const specs::Stack& chosen) {
  return chosen.components.contains(name + "+and-cuda") ? SystemLibraries{} : fact.system;
}

std::string library_in_words(const std::string& library) {
  return library == "cuda" ? "CUDA" : library == "cudnn" ? "cuDNN" : library == "rocm" ? "ROCm" : library;
}

std::string in_words(const SystemLibraries& libraries) {
  std::string words;
  for (const auto& [library, version] : libraries) words += (words.empty() ? "" : " and ") + library_in_words(library) + " " + version;
  return words;
}

}  // namespace stackx::advisor
