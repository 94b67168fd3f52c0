#include "inspector/paths.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "specs/error.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

fs::path home() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return home;
  if (const passwd* user = getpwuid(getuid()); user != nullptr && user->pw_dir[0] == '/') {
    return user->pw_dir;
  }
  throw broken_environment("no home directory: set HOME, or XDG_CACHE_HOME and XDG_DATA_HOME");
}

// The specification: relative paths are to be ignored.
fs::path base(const char* variable, const char* below_home) {
  if (const char* value = std::getenv(variable); value != nullptr && *value == '/') return value;
  return home() / below_home;
}

}  // namespace

fs::path cache_directory() { return base("XDG_CACHE_HOME", ".cache") / "stackx"; }

fs::path data_directory() { return base("XDG_DATA_HOME", ".local/share") / "stackx"; }

}  // namespace stackx::inspector
