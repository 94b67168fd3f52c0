#include "kernels/shared_object.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <optional>

namespace stackx::kernels {
namespace fs = std::filesystem;
namespace {

constexpr int kMostPartners = 16;

std::string absolute(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  return error ? path : resolved.string();
}

// "libtbb.so.12: cannot open shared object file: No such file or directory" names what is missing.
std::optional<std::string> missing_name(const std::string& message) {
  const std::size_t end = message.find(": cannot open shared object file");
  if (end == std::string::npos || message.substr(0, end).find('/') != std::string::npos)
    return std::nullopt;
  return message.substr(0, end);
}

std::string last_error() {
  const char* message = dlerror();
  return message == nullptr ? "unknown error" : message;
}

void* open(const std::string& path) {
  const fs::path directory = fs::path(path).parent_path();
  std::string message;
  for (int tries = 0; tries < kMostPartners; ++tries) {
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    message = last_error();
    const auto missing = missing_name(message);
    // Once a partner is open under its soname, the linker takes it for the dependency of that name.
    if (!missing || directory.empty() || !fs::exists(directory / *missing)) break;
    open((directory / *missing).string());
  }
  throw LoadError(fmt::format("{}: cannot load: {}", path, message));
}

}  // namespace

SharedObject::SharedObject(const std::string& path)
    : path_(path), directory_(fs::path(path).parent_path().string()), handle_(open(path)) {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) path_ = absolute(map->l_name);
}

void SharedObject::make_global() const {
  if (dlopen(path_.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) == nullptr)
    throw LoadError(fmt::format("{}: cannot be made global: {}", path_, last_error()));
}

void* SharedObject::address(const std::string& name) const { return dlsym(handle_, name.c_str()); }

void* SharedObject::required_address(const std::string& name) const {
  if (void* found = address(name)) return found;
  throw LoadError(fmt::format("{}: has no function {}", path_, name));
}

SharedObject SharedObject::partner(const std::string& name) const {
  const fs::path beside = fs::path(directory_) / name;
  return SharedObject(!directory_.empty() && fs::exists(beside) ? beside.string() : name);
}

std::vector<std::string> mapped_files() {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        // Names are as given to dlopen, so perhaps relative. The program itself has none, the vDSO
        // no file.
        const std::string file = absolute(info->dlpi_name);
        if (file.starts_with('/')) static_cast<std::vector<std::string>*>(out)->push_back(file);
        return 0;
      },
      &files);
  return files;
}

}  // namespace stackx::kernels
