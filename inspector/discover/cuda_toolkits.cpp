#include "inspector/discover/cuda_toolkits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>

#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> system_directories{"/usr/lib/x86_64-linux-gnu", "/usr/lib64"};

struct Told {
  std::string version, by;
};

bool is_numbers(std::string_view text) {
  const bool only = std::all_of(text.begin(), text.end(),
                                [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
  return only && !text.empty() && text.front() != '.' && text.back() != '.';
}

std::string first_parts(const std::string& version, std::size_t count) {
  std::size_t at = 0;
  while (at < version.size() && (version[at] != '.' || --count > 0)) ++at;
  return version.substr(0, at);
}

std::size_t parts(const std::string& version) {
  return static_cast<std::size_t>(std::count(version.begin(), version.end(), '.')) + 1;
}

// The path that a machine with this root calls its own, symbolic links resolved.
std::string real(const Tree& tree, const std::string& path) {
  std::error_code error;
  const auto root = fs::canonical(tree.root(), error);
  const auto file = fs::canonical(tree.root() / fs::path(path).relative_path(), error);
  if (error) return path;
  const auto inside = file.lexically_relative(root);
  return inside.empty() || inside.begin()->string() == ".." ? file.string()
                                                            : ("/" / inside).string();
}

// The value of `#define NAME 12` in a header.
std::optional<std::uint64_t> macro(const Tree& tree, const std::string& header,
                                   std::string_view name) {
  const auto text = tree.text(header);
  if (!text) return std::nullopt;
  for (const auto& line : words(*text, "\n")) {
    const auto tokens = words(line, " \t\r");
    if (tokens.size() >= 3 && tokens[0] == "#define" && tokens[1] == name)
      return parse_unsigned(tokens[2]);
  }
  return std::nullopt;
}

std::optional<std::string> macros(const Tree& tree, const std::string& header,
                                  std::initializer_list<const char*> names) {
  std::string version;
  for (const char* name : names) {
    const auto value = macro(tree, header, name);
    if (!value) return std::nullopt;
    version += fmt::format("{}{}", version.empty() ? "" : ".", *value);
  }
  return version;
}

// 12020 -> "12.2"
std::optional<std::string> cuda_number(std::optional<std::uint64_t> number) {
  if (!number || *number < 1000) return std::nullopt;
  return fmt::format("{}.{}", *number / 1000, *number % 1000 / 10);
}

// {"libcublas": {"version": "12.2.5.6"}}; some releases state a day as the third number of "cuda".
std::optional<std::string> in_version_json(const Tree& tree, const std::string& file,
                                           std::string_view key, const Remarks& remarks) {
  const auto text = tree.text(file);
  if (!text) return std::nullopt;
  try {
    const auto entry = specs::Node::parse_text(*text, file).find(key);
    if (!entry) return std::nullopt;
    const auto version = entry->at("version").text();
    if (!is_numbers(version)) return std::nullopt;
    const auto last = parse_unsigned(version.substr(version.rfind('.') + 1));
    return last.value_or(0) > 9999 ? first_parts(version, parts(version) - 1) : version;
  } catch (const Error& error) {
    remarks({Remark::note, error.what()});
    return std::nullopt;
  }
}

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

std::optional<Told> toolkit_version(const Tree& tree, const std::string& root,
                                    const Remarks& remarks) {
  const auto json = root + "/version.json", txt = root + "/version.txt",
             header = root + "/include/cuda.h", nvcc = root + "/bin/nvcc";
  if (const auto version = in_version_json(tree, json, "cuda", remarks))
    return Told{*version, json};
  if (const auto version = in_version_txt(tree, txt)) return Told{*version, txt};
  if (const auto version = cuda_number(macro(tree, header, "CUDA_VERSION")))
    return Told{*version, header};
  if (const auto version = said_by_nvcc(tree, nvcc)) return Told{*version, nvcc};
  return std::nullopt;
}

// The library's file in one of the directories, the one without numbers or with the longest ones.
std::string library_in(const Tree& tree, const std::vector<std::string>& directories,
                       const std::string& name) {
  for (const auto& directory : directories) {
    std::string found;
    for (const auto& entry : tree.entries(directory))
      if (entry == name ||
          (entry.starts_with(name + ".") && is_numbers(entry.substr(name.size() + 1))))
        found = entry.size() > found.size() ? entry : found;
    if (!found.empty()) return real(tree, directory + "/" + found);
  }
  return "";
}

// "12.2.5.6" of ".../libcublas.so.12.2.5.6"
std::string file_version(const std::string& file) {
  const auto at = file.rfind(".so.");
  return at == std::string::npos || !is_numbers(file.substr(at + 4)) ? "" : file.substr(at + 4);
}

struct Known {
  const char* component;
  const char* library;
  const char* json_key;
  std::size_t reported;  // numbers of the version that its own call tells
};
constexpr std::array<Known, 4> known{{{"cublas", "libcublas.so", "libcublas", 3},
                                      {"cudart", "libcudart.so", "cuda_cudart", 2},
                                      {"nvrtc", "libnvrtc.so", "cuda_nvrtc", 2},
                                      {"cudnn", "libcudnn.so", "cudnn", 3}}};

std::optional<Told> in_headers(const Tree& tree, const std::string& component,
                               const std::vector<std::string>& includes) {
  for (const auto& include : includes) {
    std::string header;
    std::optional<std::string> version;
    if (component == "cublas") {
      header = include + "/cublas_api.h";
      version =
          macros(tree, header,
                 {"CUBLAS_VER_MAJOR", "CUBLAS_VER_MINOR", "CUBLAS_VER_PATCH", "CUBLAS_VER_BUILD"});
    } else if (component == "cudart") {
      header = include + "/cuda_runtime_api.h";
      version = cuda_number(macro(tree, header, "CUDART_VERSION"));
    } else if (component == "cudnn") {
      for (const char* name :
           {"/cudnn_version.h", "/cudnn_version_v9.h", "/cudnn_version_v8.h", "/cudnn.h"}) {
        header = include + name;
        if ((version = macros(tree, header, {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"})))
          break;
      }
    }
    if (version) return Told{*version, header};
  }
  return std::nullopt;
}

std::optional<Told> library_version(const Tree& tree, const Known& what, const std::string& root,
                                    const std::string& file,
                                    const std::vector<std::string>& includes,
                                    const Remarks& remarks) {
  if (const auto version = file_version(file); !version.empty() && parts(version) >= 3)
    return Told{version, file};
  const auto json = root + "/version.json";
  if (const auto version = in_version_json(tree, json, what.json_key, remarks))
    return Told{*version, json};
  if (const auto told = in_headers(tree, what.component, includes)) return told;
  if (std::string_view(what.component) != "nvrtc") return std::nullopt;
  const auto builtins =
      library_in(tree, {fs::path(file).parent_path().string()}, "libnvrtc-builtins.so");
  if (const auto version = file_version(builtins); parts(version) >= 2)
    return Told{version, builtins};
  return std::nullopt;
}

std::optional<CudaLibrary> look_for(const Tree& tree, const Known& what, const std::string& root,
                                    const std::vector<std::string>& directories,
                                    const std::vector<std::string>& includes,
                                    const Remarks& remarks) {
  const auto file = library_in(tree, directories, what.library);
  if (file.empty()) return std::nullopt;
  const auto told = library_version(tree, what, root, file, includes, remarks);
  if (!told) {
    remarks({Remark::left_out,
             fmt::format(
                 "{} {}: neither its name nor a header nor version.json says which version it is",
                 what.component, file)});
    return std::nullopt;
  }
  return CudaLibrary{what.component, told->version, first_parts(told->version, what.reported), file,
                     told->by};
}

std::vector<std::string> library_directories(const std::string& root) {
  return {root + "/lib64", root + "/lib", root + "/targets/x86_64-linux/lib",
          root + "/lib/x86_64-linux-gnu"};
}

bool looks_like_toolkit(const Tree& tree, const std::string& root) {
  if (tree.exists(root + "/bin/nvcc") || tree.exists(root + "/include/cuda.h")) return true;
  if (!library_in(tree, library_directories(root), "libcudart.so").empty()) return true;
  return root != "/usr" &&
         (tree.exists(root + "/version.json") || tree.exists(root + "/version.txt"));
}

void say_found(const CudaLibrary& library, const Remarks& remarks) {
  remarks({Remark::found, fmt::format("{} {}: {} (version from {})", library.component,
                                      library.version, library.file.string(), library.told_by)});
}

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
  CudaToolkit toolkit{told->version, root, told->by, {}};
  remarks(
      {Remark::found, fmt::format("cuda {}: {} (version from {})", told->version, root, told->by)});
  for (const auto& what : known) {
    // The system's cuDNN is no part of a toolkit: look_at_system.
    if (root == "/usr" && std::string_view(what.component) == "cudnn") continue;
    if (auto library =
            look_for(tree, what, root, library_directories(root), {root + "/include"}, remarks)) {
      say_found(*library, remarks);
      toolkit.libraries.push_back(std::move(*library));
    }
  }
  return toolkit;
}

// "12" of package libcudnn9-cuda-12, or of libcudnn8 in version 8.9.7.29-1+cuda12.2.
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
  const std::vector<std::string> includes{"/usr/include/x86_64-linux-gnu", "/usr/include"};
  auto library = look_for(tree, known.back(), "/usr", system_directories, includes, remarks);
  if (!library) return;
  say_found(*library, remarks);
  const auto major = cuda_of_package(packages, library->file);
  result.system.emplace_back(std::move(*library), major);
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
  for (const auto& root : roots) directories.insert(real(tree, root));
  CudaFound result;
  for (const auto& root : directories)
    if (looks_like_toolkit(tree, root))
      if (auto toolkit = look_at(tree, root, remarks))
        result.toolkits.push_back(std::move(*toolkit));
  look_at_system(result, tree, packages, remarks);
  return result;
}

}  // namespace stackx::inspector
