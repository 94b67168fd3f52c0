// The line that installs an answer, as typed in a shell: pip install "jax[cuda12]==0.6.2" nvidia-cudnn-cu12==9.10.2.21
//
// What is compiled when it is installed needs torch there by then, which pip's isolation would hide:
//   pip install torch==2.15.0 packaging && pip install --no-build-isolation flash-attn==2.8.3.post2
// A build that is on PyTorch's own index only is asked for with its local part, and that index beside the usual one:
//   pip install torch==2.14.1+cu126 transformers --extra-index-url https://download.pytorch.org/whl/cu126
// What is on a page of links alone (jax[cuda11-pip] with its jaxlib) is asked for with that page: -f https://...
// pip looks into all of its indexes, and only PyTorch's has a +cu126, so the line means one build. uv takes a package
// from the first index that has any version of it, and PyTorch's has some of NumPy's, Pillow's and others': the same
// line works as `uv pip install ... --index-strategy unsafe-best-match`; a project of uv names the index for torch
// alone (uv_recipe). Rejected: --index-url, since PyTorch's index has what torch requires and nothing else (no
// transformers), and that in few versions; `torch==2.14.1` without the local part, of which pip takes the default
// index's build where PyTorch's has none for this Python or processor, and says nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "advisor/recipes/pinned.hpp"

namespace stackx::advisor {

std::string install_line(const Pinned& pinned);
std::string install_first(const Pinned& pinned);  // its first command: what must be there before anything is compiled
// "torch==2.14.1+cu126", "numpy<2"; `compiled`: beside which packages one is compiled, by its name; `indexes`: addresses that no version
// names.
std::string install_line(const std::vector<std::string>& requirements, const std::map<std::string, std::vector<std::string>>& compiled = {},
                         const std::vector<std::string>& indexes = {});

}  // namespace stackx::advisor
