// Indexes of builds that the default index does not have, which the local part of a version names, or the package.
//
//   torch 2.14.1+cu126     PyTorch's: each CUDA, ROCm or processor build of a release is on one of its own
//                          (pytorch.org/get-started/previous-versions)
//                          (torch 1.8.2, of long-term support: below whl/lts/1.8; pytorch.org/blog/announcing-lts)
//   vllm 0.31.0+rocm723    vLLM's: each ROCm build of a release is on one of its own, with the torch that it is pinned to,
//                          2.13.0+git733fca1, and what else is built for it (docs.vllm.ai, Installation, AMD ROCm)
//   torch-neuronx, neuronx-cc  AWS's; the default index has empty packages of these names (PyPI: torch-neuronx 1.0, neuronx-cc 1.0.post1)
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace stackx::specs {

// Where everybody's packages are, and where installers look without being told.
inline constexpr const char* usual_index = "https://pypi.org/simple";

struct BuildIndex {
  std::string name;  // as a project's files call it: "pytorch-cu126", "vllm-rocm723"
  std::string url;
  bool whole = false;  // what these builds require is there alone (ROCm's triton-rocm, Intel's triton-xpu): it is not for them only

  auto operator<=>(const BuildIndex&) const = default;
};

// Nothing for what the default index has, and for builds of which nobody says where they are.
std::optional<BuildIndex> build_index(const std::string& package, const std::string& version);

// A page of links to builds that no index lists, pip's -f: JAX's, of jaxlib 0.4.24+cuda11.cudnn86 and of the extras of jax that
// required one up to 0.4.29 ("cuda11-pip"; metadata of jax on the default index). "" for anything else.
std::string links_page(const std::string& package, const std::string& extra, const std::string& version);
// By its addresses of now and before.
bool is_usual_index(std::string_view url);

// "https://download.pytorch.org/whl/cu118" -> "cu118"; "" for another address, and for that of nightly builds.
std::string pytorch_label(std::string_view url);

}  // namespace stackx::specs
