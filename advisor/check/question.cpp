#include "advisor/check/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "specs/version/version_text.hpp"

namespace stackx::advisor {

std::string as_written(std::string name) {
  const auto is_capital = [](unsigned char c) { return std::isupper(c) != 0; };
  if (std::ranges::any_of(name, is_capital)) return name;
  auto begin = std::ranges::find_if_not(name, [](unsigned char c) { return std::isdigit(c) != 0; });
  const bool counted = begin != name.begin() && begin != name.end() && *begin == 'x' && begin + 1 != name.end();
  begin = counted ? begin + 1 : name.begin();
  std::transform(begin, name.end(), begin, [](unsigned char c) { return std::toupper(c); });
  return name;
}

const PyTorchIndex::Labels& PyTorchIndex::labels_for(const std::string& package) const {
  const auto found = own.find(package);
  return found == own.end() ? labels : found->second;
}

PyTorchIndex::Labels PyTorchIndex::all_labels() const {
  auto all = labels;
  for (const auto& [package, of_it] : own) all.insert(of_it.begin(), of_it.end());
  return all;
}

void Question::set_python(const std::string& text) {
  python = specs::minor_release(text);
  const bool of_numbers = text.find_first_not_of("0123456789.") == text.npos;  // 3.15.0rc1 is no release
  python_release = python == text || !of_numbers ? "" : text;
}

const std::string& Question::release_of(const std::string& series) const {
  return series == python && !python_release.empty() ? python_release : series;
}

bool is_known_vendor(const AskedGpu& gpu) {
  constexpr std::array known{"nvidia", "amd", "google", "intel", "aws", "habana"};
  return std::ranges::find(known, gpu.vendor) != known.end();
}

std::vector<std::string> places_of(const AskedGpu& gpu) {
  return gpu.jetson ? std::vector<std::string>{"jetson"} : std::vector{gpu.architecture, gpu.vendor};
}

const char* kind_in_words(const AskedGpu& gpu) {
  return gpu.vendor == "google" ? "TPU" : gpu.vendor == "aws" || gpu.vendor == "habana" ? "accelerator" : "GPU";
}

std::string gpu_in_words(const AskedGpu& gpu) {
  std::string code;
  if (!gpu.compute_capability.empty()) {
    code = "sm_" + gpu.compute_capability;
    std::erase(code, '.');
  } else {
    code = gpu.vendor == "intel" || gpu.vendor == "aws" ? gpu.architecture : gpu.gfx;
  }
  const auto name = as_written(gpu.asked);
  return code.empty() ? name : fmt::format("{} ({})", name, code);
}

}  // namespace stackx::advisor
