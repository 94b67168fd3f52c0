// What the name of a file on an index says: project, version and, of a wheel, the targets it is for.
//
//   wheel           NAME-VERSION(-BUILD)?-PYTHON-ABI-PLATFORM.whl, each of the last three a '.'-joined set
//                   (PEP 427, PEP 425)
//   source archive  NAME-VERSION.tar.gz, .zip and older kinds (PEP 625, and before it anything goes: the
//                   project's name says where the version begins)
// Eggs and installers of Windows are nothing that pip takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/version/version.hpp"

namespace stackx::specs {

struct WheelTags {
  std::vector<std::string> pythons, abis, platforms;
};

struct FileName {
  Version version;
  std::optional<WheelTags> wheel;  // none: a source archive
};

// `project` is a normalised name. An unusable file gives the reason.
std::expected<FileName, std::string> parse_file_name(std::string_view file,
                                                     std::string_view project);

}  // namespace stackx::specs
