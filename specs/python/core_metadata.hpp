// Core metadata: what a distribution states about itself, in a wheel's METADATA or a source archive's PKG-INFO, in
// headers like an e-mail's.
//
//   Name: torch
//   Requires-Dist: sympy==1.13.1; python_version >= "3.9"
//   Provides-Extra: opt-einsum
//
// Names of headers in any case; a line that begins with white space goes on with the one before; an empty line begins the
// description. A header that may stand once counts where it stands last. Bytes that are no UTF-8 become U+FFFD, which no
// requirement holds. Nothing is judged here: a name may be none, a requirement not PEP 508.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

struct CoreMetadata {
  std::string name = {}, version = {};  // as stated; "" where it does not say
  std::string requires_python = {};     // printable()
  std::vector<std::string> requires_dist = {}, provides_extra = {};
  bool final_in_source = false;  // from metadata 2.2 on, where Requires-Dist is not `Dynamic` (PEP 643): every build requires this
};

CoreMetadata parse_core_metadata(std::string_view text);

}  // namespace stackx::specs
