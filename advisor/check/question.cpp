#include "advisor/check/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace stackx::advisor {

// As it was typed, if with capitals ("GeForce RTX 3080"); else "h100" is H100, and "8xh100" 8xH100.
static std::string as_written(std::string name) {
  const auto is_capital = [](unsigned char c) { return std::isupper(c) != 0; };
  if (std::ranges::any_of(name, is_capital)) return name;
  auto begin = std::ranges::find_if_not(name, [](unsigned char c) { return std::isdigit(c) != 0; });
  const bool counted = begin != name.begin() && begin != name.end() && *begin == 'x' && begin + 1 != name.end();
  begin = counted ? begin + 1 : name.begin();
  std::transform(begin, name.end(), begin, [](unsigned char c) { return std::toupper(c); });
  return name;
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
