#include "inspector/discover/cuda/libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "specs/error.hpp"
#include "specs/format/json.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

std::size_t parts(const std::string& version) {
  return static_cast<std::size_t>(std::count(version.begin(), version.end(), '.')) + 1;
}

std::optional<std::string> header_version(const Tree& tree, const std::string& header,
                                          std::initializer_list<const char*> names) {
  std::string version;
  for (const char* name : names) {
    const auto value = header_number(tree, header, name);
    if (!value) return std::nullopt;
    version += fmt::format("{}{}", version.empty() ? "" : ".", *value);
  }
  return version;
}

std::optional<ToldVersion> in_headers(const Tree& tree, const std::string& component,
                                      const std::vector<std::string>& includes) {
  for (const auto& include : includes) {
    std::string header;
    std::optional<std::string> version;
    if (component.starts_with("cublas")) {  // cuBLASLt counts as cuBLAS does
      header = include + "/cublas_api.h";
      version = header_version(tree, header,
                               {"CUBLAS_VER_MAJOR", "CUBLAS_VER_MINOR", "CUBLAS_VER_PATCH", "CUBLAS_VER_BUILD"});
    } else if (component == "cudart") {
      header = include + "/cuda_runtime_api.h";
      version = cuda_number(header_number(tree, header, "CUDART_VERSION"));
    } else if (component == "cudnn") {
      for (const char* name :
           {"/cudnn_version.h", "/cudnn_version_v9.h", "/cudnn_version_v8.h", "/cudnn.h"}) {
        header = include + name;
        if ((version = header_version(tree, header, {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"})))
          break;
      }
    } else if (component == "nccl") {
      header = include + "/nccl.h";
      version = header_version(tree, header, {"NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"});
    }
    if (version) return ToldVersion{*version, header};
  }
  return std::nullopt;
}

// cuda = '11.3', or cuda: Optional[str] = '11.3'
std::optional<ToldVersion> in_version_py(const Tree& tree, const std::string& root) {
  const auto file = root + "/version.py";
  for (const auto& line : words(tree.text(file).value_or(""), "\n")) {
    const auto tokens = words(line, " '\"\r");
    if (tokens.size() >= 3 && (tokens[0] == "cuda" || tokens[0] == "cuda:") && is_numbers(tokens.back()))
      return ToldVersion{tokens.back(), file};
  }
  return std::nullopt;
}

// NAME-VERSION-BUILD.json
std::optional<ToldVersion> in_conda_meta(const Tree& tree, const std::string& root, const std::string& package) {
  const auto directory = root + "/conda-meta";
  for (const auto& entry : tree.entries(directory))
    for (const auto& name : {package, "lib" + package}) {
      if (!entry.starts_with(name + "-")) continue;
      const auto rest = entry.substr(name.size() + 1);
      const auto version = rest.substr(0, rest.find('-'));
      if (is_numbers(version) && rest.find('-') != std::string::npos) return ToldVersion{version, directory + "/" + entry};
    }
  return std::nullopt;
}

std::optional<ToldVersion> library_version(const Tree& tree, const CudaKind& kind, const CudaPlace& place,
                                           const std::string& file, const Remarks& remarks) {
  const std::string_view component = kind.component;
  if (const auto version = file_version(file); !version.empty() && parts(version) >= 3) return ToldVersion{version, file};
  const auto json = place.root + "/version.json";
  if (const auto version = in_version_json(tree, json, kind.json_key, remarks)) return ToldVersion{*version, json};
  if (const auto told = in_headers(tree, kind.component, place.includes)) return told;
  if (component == "cudart")
    if (const auto told = in_version_py(tree, place.root)) return told;
  if (const auto told = in_conda_meta(tree, place.root, kind.conda)) return told;
  if (component == "nvrtc") {
    const auto builtins = library_in(tree, {fs::path(file).parent_path().string()}, "libnvrtc-builtins.so");
    if (const auto version = file_version(builtins); parts(version) >= 2) return ToldVersion{version, builtins};
  }
  const auto version = place.ask ? place.ask(kind, tree.root() / fs::path(file).relative_path()) : "";
  return is_numbers(version) ? std::optional(ToldVersion{version, file}) : std::nullopt;
}

// What follows ".so" in a name that this library may have: "11.2" of libnvrtc-1ea278b5.so.11.2, "" of libnvrtc.so.
std::optional<std::string> numbers_in(std::string_view name, std::string_view library) {
  constexpr std::size_t hash = 1 + 8;  // "-1ea278b5"
  const auto stem = library.substr(0, library.size() - 3);
  if (!name.starts_with(stem)) return std::nullopt;
  name.remove_prefix(stem.size());
  if (name.starts_with('-') && name.find_first_not_of("0123456789abcdef", 1) == hash) name.remove_prefix(hash);
  if (name == ".so") return "";
  if (!name.starts_with(".so.") || !is_numbers(name.substr(4))) return std::nullopt;
  return std::string(name.substr(4));
}

}  // namespace

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

std::string real_path(const Tree& tree, const std::string& path) {
  std::error_code error;
  const auto root = fs::canonical(tree.root(), error);
  const auto file = fs::canonical(tree.root() / fs::path(path).relative_path(), error);
  if (error) return path;
  const auto inside = file.lexically_relative(root);
  return inside.empty() || inside.begin()->string() == ".." ? file.string()
                                                            : ("/" / inside).string();
}

std::optional<std::uint64_t> header_number(const Tree& tree, const std::string& header,
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

std::optional<std::string> cuda_number(std::optional<std::uint64_t> number) {
  if (!number || *number < 1000) return std::nullopt;
  return fmt::format("{}.{}", *number / 1000, *number % 1000 / 10);
}

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

std::string library_in(const Tree& tree, const std::vector<std::string>& directories, const std::string& library,
                       const std::string& major) {
  for (const auto& directory : directories) {
    std::string found;
    for (const auto& entry : tree.entries(directory)) {
      const auto numbers = numbers_in(entry, library);
      if (numbers && (major.empty() || first_parts(*numbers, 1) == major) && entry.size() > found.size()) found = entry;
    }
    if (!found.empty()) return real_path(tree, directory + "/" + found);
  }
  return "";
}

std::string file_version(const std::string& file) {
  const auto at = file.rfind(".so.");
  return at == std::string::npos || !is_numbers(file.substr(at + 4)) ? "" : file.substr(at + 4);
}

std::optional<CudaLibrary> look_for(const Tree& tree, const CudaKind& kind, const CudaPlace& place, const Remarks& remarks) {
  const auto file = library_in(tree, place.directories, kind.library);
  if (file.empty()) return std::nullopt;
  if (const auto told = library_version(tree, kind, place, file, remarks))
    return CudaLibrary{kind.component, told->version, first_parts(told->version, kind.reported), file, told->by};
  remarks({Remark::left_out,
           fmt::format("{} {}: neither its name nor {} says which version it is", kind.component, file,
                       place.ask ? "the library itself" : "a header nor version.json")});
  return std::nullopt;
}

void say_found(const std::string& what, const std::string& where, const std::string& told_by, const Remarks& remarks) {
  remarks({Remark::found, fmt::format("{}: {}", what, where)});
  remarks({Remark::note, fmt::format("{}: version from {}", what, told_by)});
}

}  // namespace stackx::inspector
