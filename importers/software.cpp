#include "importers/software.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "importers/words.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::importers {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 40> names{{
    {"cuda", "cuda"},
    {"cuda toolkit", "cuda"},
    {"cuda driver", "nvidia_driver"},
    {"cudadriver", "nvidia_driver"},
    {"nvidia driver", "nvidia_driver"},
    {"gpu driver", "nvidia_driver"},
    {"cudnn", "cudnn"},
    {"cublas", "cublas"},
    {"nccl", "nccl"},
    {"trt", "tensorrt"},
    {"tensorrt", "tensorrt"},
    {"dali", "dali"},
    {"openmpi", "openmpi"},
    {"open mpi", "openmpi"},
    {"mofed", "mofed"},
    {"rocm", "rocm"},
    {"miopen", "miopen"},
    {"mkl", "mkl"},
    {"intel mkl", "mkl"},
    {"mkldnn", "mkldnn"},
    {"mkl-dnn", "mkldnn"},
    {"onednn", "onednn"},
    {"intel mpi", "intel_mpi"},
    {"gcc", "gcc"},
    {"gcc version", "gcc"},
    {"icc", "icc"},
    {"glibc", "glibc"},
    {"python", "python"},
    {"horovod", "horovod"},
    {"numpy", "numpy"},
    {"scipy", "scipy"},
    {"synapseai", "synapseai"},
    {"pod-sw", "pod-sw"},
    {"v-ipu", "v-ipu"},
    {"openblas", "openblas"},
    {"tensorflow", "tensorflow"},
    {"pytorch", "torch"},
    {"torch", "torch"},
    {"mxnet", "mxnet"},
    {"apache mxnet", "mxnet"},
}};

// Letters, digits, dots, dashes and underscores: "cuda_version", "v2019.0.3", "MKL-DNN".
std::vector<std::string_view> words_in(std::string_view text) {
  const auto is_part = [](char c) {
    return specs::is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '+';
  };
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end > at) words.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return words;
}

}  // namespace

std::string component_of(std::string_view name) {
  std::string plain = specs::lowered(specs::trim(name).text);
  for (const std::string_view ending : {"_version", " version", "-version", "_ver"})
    if (plain.ends_with(ending)) plain.resize(plain.size() - ending.size());
  std::ranges::replace(plain, '_', ' ');
  for (const auto& [written, component] : names)
    if (plain == written) return std::string(component);
  return "";
}

std::string plain_version(std::string_view text) {
  text = specs::trim(text).text;
  while (!text.empty() && (text[0] == '(' || text[0] == '=')) text.remove_prefix(1);
  if (text.size() > 1 && (text[0] == 'v' || text[0] == 'V') && specs::is_digit(text[1]))
    text.remove_prefix(1);
  const auto good = [](char c) {
    return specs::is_alphanumeric(c) || c == '.' || c == '-' || c == '+' || c == '_';
  };
  const auto end = std::ranges::find_if_not(text, good);
  std::string version(text.begin(), end);
  while (!version.empty() && !specs::is_alphanumeric(version.back())) version.pop_back();
  return !version.empty() && specs::is_digit(version[0]) && version.size() <= 64 ? version : "";
}

std::map<std::string, std::string> versions_in(std::string_view text) {
  const auto words = words_in(text.substr(0, 16 << 10));
  std::map<std::string, std::set<std::string>> found;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto version = plain_version(words[i]);
    if (version.empty()) continue;
    std::string component;  // the longest name that ends before the version
    for (std::size_t length = std::min<std::size_t>(3, i); length > 0 && component.empty();
         --length) {
      std::string name;
      for (std::size_t k = i - length; k < i; ++k) (name += name.empty() ? "" : " ") += words[k];
      component = component_of(name);
    }
    if (!component.empty()) found[component].insert(version);
  }
  std::map<std::string, std::string> versions;
  for (const auto& [component, set] : found)
    if (set.size() == 1) versions[component] = *set.begin();
  return versions;
}

std::map<std::string, std::string> framework_version(std::string_view text) {
  const auto words = words_in(text.substr(0, 1 << 10));
  if (words.size() < 2) return {};
  const auto component = component_of(words[0]);
  const auto version = plain_version(words[1]);
  const bool package = component == "tensorflow" || component == "torch" || component == "mxnet";
  // "PyTorch 20.06" is a container: no framework had such a version.
  const auto major = number_of(version.substr(0, version.find('.')));
  if (!package || version.empty() || !major || *major >= 10) return {};
  return {{component, version}};
}

}  // namespace stackx::importers
