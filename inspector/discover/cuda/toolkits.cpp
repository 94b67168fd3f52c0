#include "inspector/discover/cuda/toolkits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> system_directories{"/usr/lib/x86_64-linux-gnu", "/usr/lib64"};

// "CUDA Version 10.1.243"
std::optional<std::string> in_version_txt(const Tree& tree, const std::string& file) {
  const auto line = tree.line(file);
  if (!line || !line->starts_with("CUDA Version ")) return std::nullopt;
  const auto version = trim(line->substr(13));
  return is_numbers(version) ? std::optional(version) : std::nullopt;
}

// "Cuda compilation tools, release 13.0, V13.0.88"; its V is the compiler's own version.
std::optional<std::string> said_by_nvcc(const Tree& tree, const std::string& nvcc) {
  if (!tree.is_this_machine() || !tree.exists(nvcc)) return std::nullopt;
  Command command;
  command.argv = {nvcc, "--version"};
  command.environment = tool_environment();
  command.deadline = std::chrono::seconds(10);
  const auto finished = run(command);
  const auto at = finished.out.find("release ");
  if (!finished.ok() || at == std::string::npos) return std::nullopt;
  const auto version = finished.out.substr(at + 8, finished.out.find(',', at) - at - 8);
  return is_numbers(version) ? std::optional(version) : std::nullopt;
}

std::optional<ToldVersion> toolkit_version(const Tree& tree, const std::string& root, const Remarks& remarks) {
  const auto json = root + "/version.json", txt = root + "/version.txt",
             header = root + "/include/cuda.h", nvcc = root + "/bin/nvcc";
  if (const auto version = in_version_json(tree, json, "cuda", remarks))
    return ToldVersion{*version, json};
  if (const auto version = in_version_txt(tree, txt)) return ToldVersion{*version, txt};
  if (const auto version = cuda_number(header_number(tree, header, "CUDA_VERSION")))
    return ToldVersion{*version, header};
  if (const auto version = said_by_nvcc(tree, nvcc)) return ToldVersion{*version, nvcc};
  return std::nullopt;
}

std::vector<std::string> library_directories(const std::string& root) {
  return {root + "/lib64", root + "/lib", root + "/targets/x86_64-linux/lib",
          root + "/lib/x86_64-linux-gnu"};
}

bool looks_like_toolkit(const Tree& tree, const std::string& root) {
  if (tree.exists(root + "/conda-meta")) return false;  // environments.hpp
  if (tree.exists(root + "/bin/nvcc") || tree.exists(root + "/include/cuda.h")) return true;
  if (!library_in(tree, library_directories(root), "libcudart.so").empty()) return true;
  return root != "/usr" &&
         (tree.exists(root + "/version.json") || tree.exists(root + "/version.txt"));
}

std::string name_of(const CudaLibrary& library) { return library.component + " " + library.version; }

std::optional<CudaToolkit> look_at(const Tree& tree, const std::string& root,
                                   const Remarks& remarks) {
  const auto told = toolkit_version(tree, root, remarks);
  if (!told) {
    remarks(
        {Remark::left_out,
         fmt::format("CUDA in {}: neither version.json nor version.txt nor cuda.h nor nvcc says "
                     "which version it is",
                     root)});
    return std::nullopt;
  }
  CudaToolkit toolkit{told->version, root, told->by, "", {}};
  say_found("cuda " + told->version, root, told->by, remarks);
  const CudaPlace place{root, library_directories(root), {root + "/include"}, {}};
  for (const auto& kind : cuda_kinds) {
    // The system's cuDNN and NCCL are no part of a toolkit: look_at_system.
    if (root == "/usr" && kind.counts_by_itself) continue;
    if (auto library = look_for(tree, kind, place, remarks)) {
      say_found(name_of(*library), library->file, library->told_by, remarks);
      toolkit.libraries.push_back(std::move(*library));
    }
  }
  return toolkit;
}

// "12" of package libcudnn9-cuda-12, of libcudnn8 in version 8.9.7.29-1+cuda12.2, or of libnccl2 in 2.27.3-1+cuda12.9.
std::string cuda_of_package(Packages& packages, const std::string& file) {
  const auto package = packages.owner(file);
  if (!package) return "";
  const auto version = packages.version(*package).value_or("");
  for (const auto& [text, mark] :
       {std::pair(*package, std::string("-cuda-")), {version, "+cuda"}}) {
    const auto at = text.find(mark);
    if (at == std::string::npos) continue;
    const auto rest = text.substr(at + mark.size());
    const auto major = rest.substr(0, rest.find_first_not_of("0123456789"));
    if (!major.empty()) return major;
  }
  return "";
}

void look_at_system(CudaFound& result, const Tree& tree, Packages& packages,
                    const Remarks& remarks) {
  const CudaPlace place{"/usr", system_directories, {"/usr/include/x86_64-linux-gnu", "/usr/include"}, {}};
  for (const auto& kind : cuda_kinds) {
    if (!kind.counts_by_itself) continue;
    auto library = look_for(tree, kind, place, remarks);
    if (!library) continue;
    say_found(name_of(*library), library->file, library->told_by, remarks);
    const auto major = cuda_of_package(packages, library->file);
    result.system.emplace_back(std::move(*library), major);
  }
}

}  // namespace

std::vector<std::string> usual_cuda_roots(const Tree& tree) {
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (const char* value = std::getenv(variable); value != nullptr && *value == '/')
      roots.emplace_back(value);
  for (const std::string parent : {"/usr/local", "/opt"})
    for (const auto& name : tree.entries(parent))
      if (name.starts_with("cuda")) roots.push_back(parent + "/" + name);
  roots.emplace_back("/usr");
  return roots;
}

CudaFound find_cuda(const Tree& tree, const std::vector<std::string>& roots, Packages& packages,
                    const Remarks& remarks) {
  std::set<std::string> directories;
  for (const auto& root : roots) directories.insert(real_path(tree, root));
  CudaFound result;
  for (const auto& root : directories)
    if (looks_like_toolkit(tree, root))
      if (auto toolkit = look_at(tree, root, remarks))
        result.toolkits.push_back(std::move(*toolkit));
  look_at_system(result, tree, packages, remarks);
  return result;
}

}  // namespace stackx::inspector
