#include "advisor/check/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace stackx::advisor {

std::string gpu_in_words(const AskedGpu& gpu) {
  std::string code;
  if (!gpu.compute_capability.empty()) {
    code = "sm_" + gpu.compute_capability;
    std::erase(code, '.');
  } else {
    code = gpu.gfx;
  }
  std::string name = gpu.asked;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return code.empty() ? name : fmt::format("{} ({})", name, code);
}

}  // namespace stackx::advisor
