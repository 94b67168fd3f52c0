// torchvision and torchaudio as PyTorch's own indexes have them: for each build of torch (2.1.0+cu118) one of theirs (0.16.0+cu118),
// compiled beside it and for it alone. What they state is what the plain release states, but for the torch, whose build they need:
// beside another CUDA's torch they stop at the import. Source: pytorch.org/get-started/previous-versions, which lists them together.
// Inferred: nobody here has seen those indexes. Of a release that asks for a range of torch (torchvision 0.29) the range stays.
#pragma once

#include <string>
#include <vector>

#include "specs/package/package.hpp"

namespace stackx::advisor {

bool is_torch_companion(const std::string& name);
// What PyTorch's indexes have builds of: torch itself, too.
inline constexpr const char* of_pytorch[] = {"torch", "torchvision", "torchaudio"};
bool is_of_pytorch(const std::string& name);
// These and xformers, which is there in builds of its own: with a label as far as 0.0.27, without one since.
bool is_on_pytorch_indexes(const std::string& name);

// The builds that `companion` lacks.
std::vector<specs::PackageRelease> companion_builds(const specs::Package& companion, const specs::Package& torch);

}  // namespace stackx::advisor
