#include "kernels/cuda/device/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "kernels/parameters.hpp"

namespace stackx::kernels::cuda {
namespace fs = std::filesystem;
namespace {

// Sonames of CUDA 10.0 to 13, the newest first.
const std::vector<std::string>& sonames(const std::string& name) {
  static const std::map<std::string, std::vector<std::string>> known = {
      {"cudart", {"13", "12", "11.0", "10.2", "10.1", "10.0"}},
      {"nvrtc", {"13", "12", "11.2", "11.1", "11.0", "10.2", "10.1", "10.0"}},
      {"cublas", {"13", "12", "11", "10"}},
      {"cublasLt", {"13", "12", "11", "10"}},
      {"cudnn", {"9", "8", "7"}},
      {"nccl", {"2"}},
  };
  static const std::vector<std::string> none;
  const auto found = known.find(name);
  return found == known.end() ? none : found->second;
}

// "libcublas.so.12.4" -> "12"; empty if the name has none.
std::string major_of(const std::string& path) {
  const std::string file = fs::path(path).filename().string();
  const std::size_t at = file.find(".so.");
  if (at == std::string::npos) return "";
  const std::string rest = file.substr(at + 4);
  return rest.substr(0, rest.find('.'));
}

// Libraries whose versions are not those of the CUDA they belong to.
bool counts_by_itself(const std::string& name) { return name == "cudnn" || name == "nccl"; }

bool has_major(const std::string& soname_version, const std::string& major) {
  return soname_version.substr(0, soname_version.find('.')) == major;
}

// The file of that name in a directory, of that major version if there are several; libx.so,
// libx.so.1 and libx.so.1.2 are mostly one file, so the shortest name will do.
std::optional<std::string> find_in(const fs::path& directory, const std::string& name,
                                   const std::string& major) {
  using Rank = std::tuple<bool, std::size_t, std::string>;
  std::optional<Rank> best;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string path = entry.path().string();
    if (library_name(path) != name) continue;
    const fs::path file = fs::canonical(path, error);
    const bool other = !major.empty() && major_of(error ? path : file.string()) != major;
    const Rank rank{other, path.size(), path};
    if (!best || rank < *best) best = rank;
  }
  if (!best) return std::nullopt;
  return std::get<std::string>(*best);
}

// site-packages/nvidia/cublas/lib -> site-packages/nvidia/*/lib
std::vector<fs::path> neighbours(const fs::path& directory) {
  std::vector<fs::path> found;
  if (directory.filename() != "lib" || !directory.has_parent_path()) return found;
  const fs::path family = directory.parent_path().parent_path();
  if (family.filename() != "nvidia") return found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(family, error))
    if (fs::is_directory(entry.path() / "lib", error)) found.push_back(entry.path() / "lib");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string library_name(const std::string& path) {
  const std::string file = fs::path(path).filename().string();
  if (!file.starts_with("lib") || file.find(".so") == std::string::npos) return "";
  // "nvrtc-builtins" is another library than "nvrtc", "cudart-d0da41ae" is not.
  std::string name = file.substr(3, file.find(".so") - 3);
  const std::size_t dash = name.rfind('-');
  if (dash != std::string::npos &&
      name.find_first_not_of("0123456789abcdef", dash + 1) == std::string::npos)
    name.resize(dash);
  return name;
}

Stack::Stack(std::string library, std::vector<std::string> with) : library_(std::move(library)) {
  named_.push_back(library_);
  for (std::string& path : with) {
    if (!fs::exists(path)) throw UsageError(fmt::format("--with {}: no such file", path));
    named_.push_back(std::move(path));
  }
}

std::optional<std::string> Stack::file(const std::string& name) const {
  for (const std::string& path : named_)
    if (library_name(path) == name) return path;
  const bool of_cuda = !counts_by_itself(name) && !counts_by_itself(library_name(library_));
  const std::string major = of_cuda ? major_of(library_) : "";
  for (const bool wide : {false, true})
    for (const std::string& path : named_) {
      // Links are followed only if their own directory has nothing: the stack is where it is named.
      const fs::path directory = fs::path(path).parent_path();
      if (directory.empty()) continue;
      if (!wide) {
        if (auto found = find_in(directory, name, major)) return found;
        continue;
      }
      for (const fs::path& neighbour : neighbours(fs::absolute(directory)))
        if (auto found = find_in(neighbour, name, major)) return found;
    }
  return std::nullopt;
}

SharedObject Stack::open(const std::string& name) const {
  if (const auto path = file(name)) return SharedObject(*path);
  std::vector<std::string> versions = sonames(name);
  const std::string major = major_of(library_);
  std::stable_partition(versions.begin(), versions.end(),
                        [&](const std::string& version) { return has_major(version, major); });
  for (const std::string& version : versions) {
    try {
      return SharedObject(fmt::format("lib{}.so.{}", name, version));
    } catch (const LoadError&) {  // the next one
    }
  }
  throw LoadError(fmt::format(
      "lib{}.so: not beside {} and not known to the dynamic linker: name it by --with PATH", name,
      library_));
}

}  // namespace stackx::kernels::cuda
