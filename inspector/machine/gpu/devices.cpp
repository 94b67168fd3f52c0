#include "inspector/machine/gpu/devices.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>

#include "inspector/machine/tree.hpp"
#include "specs/error.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

std::vector<GpuDevice> all_devices(const specs::Host& host) {
  std::vector<GpuDevice> result;
  for (std::size_t card = 0; card < host.gpus.size(); ++card) {
    const auto& gpu = host.gpus[card];
    if (gpu.mig.empty()) result.push_back({gpu.uuid, "", card});
    for (const auto& part : gpu.mig) result.push_back({part.uuid, part.profile, card});
  }
  return result;
}

// The one device that the word names; nothing if none or several do.
std::optional<GpuDevice> named(const std::vector<GpuDevice>& devices, const std::string& word) {
  std::size_t index = 0;
  const auto* end = word.data() + word.size();
  if (const auto read = std::from_chars(word.data(), end, index);
      read.ec == std::errc() && read.ptr == end)
    return index < devices.size() ? std::optional(devices[index]) : std::nullopt;
  if (!word.starts_with("GPU-") && !word.starts_with("MIG-")) return std::nullopt;
  std::optional<GpuDevice> found;
  for (const auto& device : devices) {
    if (!device.uuid.starts_with(word)) continue;
    if (found) return std::nullopt;
    found = device;
  }
  return found;
}

std::string listed(const std::vector<GpuDevice>& devices) {
  if (devices.empty()) return "none";
  std::vector<std::string> uuids;
  for (const auto& device : devices) uuids.push_back(device.uuid);
  return fmt::format("{}", fmt::join(uuids, ", "));
}

std::string visible_note() {
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  return variable == nullptr ? "" : fmt::format(" (CUDA_VISIBLE_DEVICES={})", variable);
}

}  // namespace

std::vector<GpuDevice> visible_devices(const specs::Host& host,
                                       const std::optional<std::string>& variable) {
  const auto all = all_devices(host);
  if (!variable) return all;
  std::vector<GpuDevice> result;
  std::istringstream words(*variable);
  for (std::string word; std::getline(words, word, ',');) {
    const auto device = named(all, trim(word));
    if (!device || std::ranges::find(result, *device) != result.end()) break;
    result.push_back(*device);
  }
  return result;
}

std::vector<GpuDevice> visible_devices(const specs::Host& host) {
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible_devices(host, variable == nullptr ? std::nullopt : std::optional<std::string>(variable));
}

std::vector<GpuDevice> choose_devices(const std::vector<GpuDevice>& visible,
                                      const std::vector<std::string>& words) {
  std::vector<GpuDevice> result;
  for (const auto& word : words) {
    if (word == "all") return visible;
    const auto device = named(visible, word);
    if (!device)
      throw bad_input(fmt::format(
          "--device {}: names no single GPU that is visible here{}; there are: {}; give `all`, an "
          "index from 0, or the beginning of a UUID", word, visible_note(), listed(visible)));
    if (std::ranges::find(result, *device) == result.end()) result.push_back(*device);
  }
  return result;
}

std::optional<fs::path> driver_directory() {
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  link_map* map = nullptr;
  std::optional<fs::path> directory;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name[0] != '\0')
    directory = fs::absolute(map->l_name).parent_path();
  dlclose(handle);
  return directory;
}

bool is_searched_anyway(const fs::path& directory) {
  const auto of_system = [](const fs::path& path) { return path == "/lib" || path == "/usr/lib" || path == "/lib64" || path == "/usr/lib64"; };
  return of_system(directory) || (of_system(directory.parent_path()) && directory.filename().string().ends_with("-linux-gnu"));
}

std::string why_no_cuda_driver() {
  if (void* handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL); handle != nullptr) {
    dlclose(handle);
    return "";
  }
  const char* error = dlerror();
  return error == nullptr ? "libcuda.so.1 not found" : error;
}

bool has_cdi(const fs::path& root) {
  std::error_code error;
  for (const char* directory : {"etc/cdi", "var/run/cdi", "run/cdi"})
    if (fs::is_directory(root / directory, error) && !fs::is_empty(root / directory, error)) return true;
  return false;
}

}  // namespace stackx::inspector
