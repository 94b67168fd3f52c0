#include "workspace/files/writable.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stackx::workspace {

namespace fs = std::filesystem;

fs::path nearest_existing(fs::path path) {
  std::error_code error;
  path = fs::absolute(path, error);
  while (!fs::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  return path;
}

std::string why_not_writable(const fs::path& path) {
  const auto nearest = nearest_existing(path);
  std::error_code error;
  if (nearest != path && !fs::is_directory(nearest, error)) return fmt::format("{} is no directory", nearest.string());
  const int wanted = fs::is_directory(nearest, error) ? W_OK | X_OK : W_OK;
  return ::access(nearest.c_str(), wanted) == 0 ? "" : fmt::format("{} cannot be written: {}", nearest.string(), std::strerror(errno));
}

}  // namespace stackx::workspace
