// NVIDIA's libraries that stacks are made of, in a directory: which file is which, and which version it is.
//
// Versions are read, never guessed, from the first of the real file's name (libcublas.so.12.2.5.6), version.json, its
// header (cublas_api.h, cudnn_version.h, cuda_runtime_api.h, nccl.h), for the runtime PyTorch's version.py, conda's record of
// the package (conda-meta/libcublas-12.2.5.6-0.json), for NVRTC the name of its builtins (libnvrtc-builtins.so.13.0). Where
// none tells, as in torch/lib, the library is asked (question.hpp) by who is given for that. What has no version is left
// out with a remark. Rejected: asking all of them (loading cuBLAS takes 0.3 s from memory, more from a disk, and a file tells
// one number more than its library).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "inspector/discover/remark.hpp"
#include "inspector/machine/tree.hpp"

namespace stackx::inspector {

struct CudaLibrary {
  std::string component;  // cublas, cublaslt, cudart, nvrtc, cudnn, nccl
  std::string version;    // "12.2.5.6"
  std::string reports;    // what its own version call tells of that: "12.2.5"
  std::filesystem::path file;
  std::string told_by;  // the file that says so
  bool copy = false;    // the same content lies elsewhere, and is offered from there
};

struct CudaKind {
  const char* component;
  const char* library;      // "libcublas.so"
  const char* json_key;     // in version.json
  const char* wheel;        // the distribution that brings it, or its name before "-cu12"
  const char* conda;        // the package of conda; some begin with "lib"
  std::size_t reported;     // numbers of the version that its own call tells
  bool counts_by_itself;    // its version is not CUDA's
};
inline constexpr std::array<CudaKind, 6> cuda_kinds{
    {{"cublas", "libcublas.so", "libcublas", "nvidia-cublas", "libcublas", 3, false},
     {"cublaslt", "libcublasLt.so", "libcublas", "nvidia-cublas", "libcublas", 3, false},
     {"cudart", "libcudart.so", "cuda_cudart", "nvidia-cuda-runtime", "cuda-cudart", 2, false},
     {"nvrtc", "libnvrtc.so", "cuda_nvrtc", "nvidia-cuda-nvrtc", "cuda-nvrtc", 2, false},
     {"cudnn", "libcudnn.so", "cudnn", "nvidia-cudnn", "cudnn", 3, true},
     {"nccl", "libnccl.so", "nccl", "nvidia-nccl", "nccl", 3, true}}};

// The version that a library tells of itself; "" if it does not.
using AskVersion = std::function<std::string(const CudaKind& kind, const std::filesystem::path& file)>;

// Where the libraries of one CUDA lie.
struct CudaPlace {
  std::string root;  // may have version.json, version.py, conda-meta
  std::vector<std::string> directories, includes;
  AskVersion ask;  // or none
};

// The library that lies in one of the directories, the first that has it.
std::optional<CudaLibrary> look_for(const Tree& tree, const CudaKind& kind, const CudaPlace& place, const Remarks& remarks);

// The library's file in the first of the directories that has it, of this major version where one is given (two CUDAs may
// lie side by side): libnvrtc.so.11.2, libnvrtc.so, or libnvrtc-1ea278b5.so.11.2 as PyTorch calls its copies; of several
// the longest name. "" if there is none.
std::string library_in(const Tree& tree, const std::vector<std::string>& directories, const std::string& library,
                       const std::string& major = "");
// "12.2.5.6" of ".../libcublas.so.12.2.5.6", "" without numbers.
std::string file_version(const std::string& file);

// "cublas 12.2.5.6+torch" was found there.
void say_found(const std::string& what, const std::string& where, const std::string& told_by, const Remarks& remarks);

struct ToldVersion {
  std::string version, by;  // the file that says so
};

// What files of a CUDA say: the value of `#define NAME 12` in a header; 12020 as "12.2"; {"libcublas": {"version":
// "12.2.5.6"}} of a version.json (some releases state a day as the third number of "cuda").
std::optional<std::uint64_t> header_number(const Tree& tree, const std::string& header,
                                           std::string_view name);
std::optional<std::string> cuda_number(std::optional<std::uint64_t> number);
std::optional<std::string> in_version_json(const Tree& tree, const std::string& file,
                                           std::string_view key, const Remarks& remarks);

bool is_numbers(std::string_view text);                                 // "12.2.5"
std::string first_parts(const std::string& version, std::size_t count);  // of "12.2.5.6", three: "12.2.5"
// The path that a machine with this root calls its own, symbolic links resolved.
std::string real_path(const Tree& tree, const std::string& path);

}  // namespace stackx::inspector
