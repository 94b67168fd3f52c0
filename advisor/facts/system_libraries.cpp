#include "advisor/facts/system_libraries.hpp"

namespace stackx::advisor {

SystemLibraries loaded_from_system(const specs::Fact& fact, const std::string& name, const specs::Stack& chosen) {
  if (chosen.components.contains(name + "+and-cuda")) return {};
  auto libraries = fact.system;
  std::erase_if(libraries, [&](const auto& one) { return chosen.components.contains(name + "+" + one.first); });
  return libraries;
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
