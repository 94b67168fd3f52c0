#include "advisor/recipes/container/cuda_image.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "advisor/recipes/parts.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::advisor {
namespace {

struct Tag {
  const char *cuda, *cudnn, *tag, *ubuntu;
};

// The wanted CUDA's minor release, cuDNN's first number.
constexpr std::array<Tag, 33> tags{{
    {"8.0", "6", "8.0-cudnn6-runtime", "16.04"},
    {"9.0", "7", "9.0-cudnn7-runtime", "16.04"},
    {"9.2", "7", "9.2-cudnn7-runtime", "18.04"},
    {"9.2", "7", "9.2-cudnn7-runtime", "16.04"},
    {"10.0", "7", "10.0-cudnn7-runtime", "18.04"},
    {"10.0", "7", "10.0-cudnn7-runtime", "16.04"},
    {"10.1", "7", "10.1-cudnn7-runtime", "18.04"},
    {"10.2", "7", "10.2-cudnn7-runtime", "18.04"},
    {"11.0", "8", "11.0.3-cudnn8-runtime", "20.04"},
    {"11.0", "8", "11.0.3-cudnn8-runtime", "18.04"},
    {"11.1", "8", "11.1.1-cudnn8-runtime", "20.04"},
    {"11.2", "8", "11.2.2-cudnn8-runtime", "20.04"},
    {"11.3", "8", "11.3.1-cudnn8-runtime", "20.04"},
    {"11.3", "8", "11.3.1-cudnn8-runtime", "18.04"},
    {"11.4", "8", "11.4.3-cudnn8-runtime", "20.04"},
    {"11.5", "8", "11.5.2-cudnn8-runtime", "20.04"},
    {"11.6", "8", "11.6.2-cudnn8-runtime", "20.04"},
    {"11.7", "8", "11.7.1-cudnn8-runtime", "22.04"},
    {"11.8", "8", "11.8.0-cudnn8-runtime", "22.04"},
    {"11.8", "8", "11.8.0-cudnn8-runtime", "20.04"},
    {"12.0", "8", "12.0.1-cudnn8-runtime", "22.04"},
    {"12.1", "8", "12.1.1-cudnn8-runtime", "22.04"},
    {"12.2", "8", "12.2.2-cudnn8-runtime", "22.04"},
    {"12.3", "9", "12.3.2-cudnn9-runtime", "22.04"},
    {"12.4", "9", "12.4.1-cudnn-runtime", "22.04"},
    {"12.6", "9", "12.6.3-cudnn-runtime", "24.04"},
    {"12.6", "9", "12.6.3-cudnn-runtime", "22.04"},
    {"12.8", "9", "12.8.1-cudnn-runtime", "24.04"},
    {"12.8", "9", "12.8.1-cudnn-runtime", "22.04"},
    {"12.9", "9", "12.9.1-cudnn-runtime", "24.04"},
    {"12.9", "9", "12.9.1-cudnn-runtime", "22.04"},
    {"13.0", "9", "13.0.1-cudnn-runtime", "24.04"},
    {"13.0", "9", "13.0.1-cudnn-runtime", "22.04"},
}};

// The Pythons in Ubuntu's main and universe (packages.ubuntu.com); the first is python3.
constexpr std::array<std::pair<const char*, const char*>, 9> pythons{{{"16.04", "3.5"},
                                                                      {"18.04", "3.6"},
                                                                      {"18.04", "3.7"},
                                                                      {"18.04", "3.8"},
                                                                      {"20.04", "3.8"},
                                                                      {"20.04", "3.9"},
                                                                      {"22.04", "3.10"},
                                                                      {"22.04", "3.11"},
                                                                      {"24.04", "3.12"}}};

bool has_python(std::string_view ubuntu, const std::string& python) {
  return std::ranges::any_of(
      pythons, [&](const auto& one) { return one.first == ubuntu && one.second == python; });
}

}  // namespace

std::optional<CudaImage> cuda_image(const std::string& cuda, const std::string& cudnn,
                                    const std::string& python) {
  const auto minor = specs::minor_release(python);
  for (const auto& tag : tags) {
    if (specs::minor_release(cuda) != tag.cuda) continue;
    if (!cudnn.empty() && specs::major_release(cudnn) != tag.cudnn) continue;
    if (!python.empty() && !has_python(tag.ubuntu, minor)) continue;
    CudaImage image{
        std::string("docker.io/nvidia/cuda:") + tag.tag + "-ubuntu" + tag.ubuntu, {}, ""};
    if (!python.empty()) {
      image.program = "python" + minor;
      image.system = {image.program, "python3-pip", "ca-certificates"};
    }
    return image;
  }
  return std::nullopt;
}

}  // namespace stackx::advisor
