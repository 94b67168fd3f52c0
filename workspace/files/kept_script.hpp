// Python scripts that come as texts, kept as files: <cache>/scripts/SHA256.py, so that a resumed campaign finds the same
// one.
#pragma once

#include <filesystem>
#include <string>

namespace stackx::workspace {

// Throws Error(environment) where it cannot be written.
std::filesystem::path kept_script(const std::string& text);

}  // namespace stackx::workspace
