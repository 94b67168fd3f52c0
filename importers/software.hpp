// Versions out of what people write about their software:
//   {"cuda_version": "11.3.58", "cuda_driver_version": "465.19.01"}
//   "cuda 11.0, cudnn 8.0.1, cublas 11.0, gcc 7.5.0"
//   "CentOS 7.5 / python 3.6.5 / cuda_version 9.2.148.1 / MKL (v2019.0.3)"
//
// Only a known name with one version behind it is stated; the rest is left to the details, as
// written. A component with two different versions in one text is left out: which one ran is not
// known.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace stackx::importers {

// The component that a name stands for ("CUDA Driver" is nvidia_driver), "" if it is not known.
std::string component_of(std::string_view name);

// "v2019.0.3", "(7.5.0)" -> without the decoration; "" for what does not begin with a digit then.
std::string plain_version(std::string_view text);

std::map<std::string, std::string> versions_in(std::string_view text);

// "TensorFlow 1.14", "PyTorch 1.6.0", "MXNet 1.6.0": the package and its version. Nothing for
// containers' releases ("MXNet NVIDIA Release 21.05") and other prose.
std::map<std::string, std::string> framework_version(std::string_view text);

}  // namespace stackx::importers
