// The file that a link leads to: beside it lie its companions and drafts, not beside the link.
#pragma once

#include <filesystem>

namespace stackx::specs {

// `file` itself where it is no link; it need not exist. Throws Error where there is no end of links.
std::filesystem::path real_file(const std::filesystem::path& file);

}  // namespace stackx::specs
