// NVIDIA's libraries that stacks are made of, in a directory: which file is which, and which version it is.
//
// Versions are read, never guessed, from the first of the real file's name (libcublas.so.12.2.5.6), version.json, its
// header (cublas_api.h, cudnn_version.h, cuda_runtime_api.h, nccl.h), for NVRTC the name of its builtins
// (libnvrtc-builtins.so.13.0). What has no version is left out with a remark. Rejected: loading the libraries to ask
// them (without a driver cuBLAS does not initialise, and cuDNN maps 600 MB).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "inspector/machine/remark.hpp"
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
  std::size_t reported;     // numbers of the version that its own call tells
  bool counts_by_itself;    // its version is not CUDA's
};
inline constexpr std::array<CudaKind, 6> cuda_kinds{
    {{"cublas", "libcublas.so", "libcublas", "nvidia-cublas", 3, false},
     {"cublaslt", "libcublasLt.so", "libcublas", "nvidia-cublas", 3, false},
     {"cudart", "libcudart.so", "cuda_cudart", "nvidia-cuda-runtime", 2, false},
     {"nvrtc", "libnvrtc.so", "cuda_nvrtc", "nvidia-cuda-nvrtc", 2, false},
     {"cudnn", "libcudnn.so", "cudnn", "nvidia-cudnn", 3, true},
     {"nccl", "libnccl.so", "nccl", "nvidia-nccl", 3, true}}};

// The library that lies in one of the directories, the first that has it. `root` may have a version.json.
std::optional<CudaLibrary> look_for(const Tree& tree, const CudaKind& kind, const std::string& root,
                                    const std::vector<std::string>& directories,
                                    const std::vector<std::string>& includes,
                                    const Remarks& remarks);

// The library's file in one of the directories, the one without numbers or with the longest ones; "" if there is none.
std::string library_in(const Tree& tree, const std::vector<std::string>& directories,
                       const std::string& name);
// "12.2.5.6" of ".../libcublas.so.12.2.5.6", "" without numbers.
std::string file_version(const std::string& file);

void say_found(const CudaLibrary& library, const Remarks& remarks);

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
