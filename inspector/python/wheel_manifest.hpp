// The list of an installed wheel's files: {"$schema": "stackx/wheel/1", ..., "files": [{"path", "size", "sha256"}, ...]}
//
// Written once (wheels.cpp) and read before every use, of a TensorFlow 18,600 files. What else the document says is for
// `stackx env`.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "inspector/python/wheels.hpp"

namespace stackx::inspector {

inline constexpr const char* wheel_schema = "stackx/wheel/1";

// Nothing if it is not there, cut short, or of another format.
std::optional<std::vector<WheelFile>> read_wheel_manifest(const std::filesystem::path& file);

}  // namespace stackx::inspector
