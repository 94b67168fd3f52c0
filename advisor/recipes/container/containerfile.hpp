// A stack and its workload as a Containerfile, for those who want to build or read it without stackx.
//
//   FROM        the image's OCI reference; of a suite, Debian's own image of it; without an image, that of the stack's
//               Python
//   RUN         exec forms only: system packages with apt-get, Python packages with pip, hashes required
//   ENV         what settings export
//   COPY        the PIs from the build context (the directory that holds stackx's python/, or stackx-pi)
//   ENTRYPOINT  the PI with its parameters
// A base's glibc is at least that of what is brought into it: stackx-pi needs Debian 12's, so where NVIDIA's image of
// an old CUDA has less, CUDA is copied from there into Debian (libraries run on newer glibcs, not on older ones). The
// requirements are written by the image's Python from arguments: here-documents would be shorter, but Debian 12's
// podman cannot read them. No shell reads anything; what stands in quotes is JSON, except in ENV, where `$`, `"` and
// `\` are escaped and values with control characters go to the entry point instead.
#pragma once

#include <string>

#include "advisor/recipes/container/container_steps.hpp"

namespace stackx::advisor {

// Throws Error(bad_input) for stacks that no Containerfile can say (something at a path of this machine).
std::string containerfile(const specs::Stack& stack, const specs::Workload& workload,
                          const specs::Catalog& catalog, const ContainerText& text = {});

}  // namespace stackx::advisor
