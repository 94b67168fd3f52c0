// NVIDIA's own images of CUDA with cuDNN: docker.io/nvidia/cuda:10.0-cudnn7-runtime-ubuntu18.04.
//
// Only tags that are known to have existed and whose Ubuntu has the Python that is wanted. About half of them were looked
// up as the bases of public Containerfiles (read 2026-11-22); the others follow NVIDIA's way of naming them and were not. An image holds the newest cuDNN of its major version that there was for that
// CUDA, so its cuDNN is the stack's in the first number only. NVIDIA removes images of toolkits past their end of life.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace stackx::advisor {

struct CudaImage {
  std::string reference;
  std::vector<std::string> system;  // Ubuntu packages that bring the Python and its pip
  std::string program;              // "python3.6"; "" where no Python was asked for
};

// Versions as stacks have them ("10.0.130", "7.6.5"); `python` "" for none.
std::optional<CudaImage> cuda_image(const std::string& cuda, const std::string& cudnn,
                                    const std::string& python);

}  // namespace stackx::advisor
