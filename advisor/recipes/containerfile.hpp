// A stack and its workload as a Containerfile, for those who want to build or read it without stackx.
//
//   FROM        the image's OCI reference; of a suite, Debian's own image of it; without an image, that of the stack's
//               Python
//   RUN         exec forms only: system packages with apt-get, Python packages with pip, hashes required
//   ENV         what settings export
//   COPY        the PIs from the build context (the directory that holds stackx's python/, or stackx-pi)
//   ENTRYPOINT  the PI with its parameters
// The requirements are written by the image's Python from arguments: here-documents would be shorter, but Debian 12's
// podman cannot read them. No shell reads anything; what stands in quotes is JSON, except in ENV, where `$`, `"` and `\`
// are escaped and values with control characters go to the entry point instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "specs/catalog/catalog.hpp"
#include "specs/catalog/stack.hpp"
#include "specs/project/workload.hpp"

namespace stackx::advisor {

// Another base than the stack's own, for stacks whose packages an image brings or whose files no catalog knows.
struct ContainerBase {
  std::string image;                  // OCI reference
  std::vector<std::string> system;    // packages for apt-get
  std::string program;                // its Python; "" for none: the PI is stackx-pi
  std::vector<std::string> packages;  // for pip, pinned, without hashes; into the Python's own site-packages
};

struct ContainerText {
  std::string script;  // text of a Python program to run as the PI; "" for the PIs of stackx
  std::string head;    // comment lines in place of stack and workload
  std::optional<ContainerBase> base;
};

// Throws Error(bad_input) for stacks that no Containerfile can say (something at a path of this machine).
std::string containerfile(const specs::Stack& stack, const specs::Workload& workload,
                          const specs::Catalog& catalog, const ContainerText& text = {});

}  // namespace stackx::advisor
