#include "kernels/cuda/products/nvrtc.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stackx::kernels::cuda {
namespace {

constexpr int kSuccess = 0, kCompilation = 6;  // nvrtcResult

// The ends of the program's life.
class Program {
 public:
  Program(const Nvrtc& api, const std::string& text) : api_(api) {
    check(api.nvrtcCreateProgram(&program_, text.c_str(), "matmul.cu", 0, nullptr, nullptr),
          "nvrtcCreateProgram");
  }
  ~Program() { api_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool compile(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());
    const int status =
        api_.nvrtcCompileProgram(program_, static_cast<int>(texts.size()), texts.data());
    if (status != kCompilation) check(status, "nvrtcCompileProgram");
    return status == kSuccess;
  }

  std::string log() const {
    return read(api_.nvrtcGetProgramLogSize, api_.nvrtcGetProgramLog, "nvrtcGetProgramLog");
  }
  std::string cubin() const { return read(api_.nvrtcGetCUBINSize, api_.nvrtcGetCUBIN, "nvrtcGetCUBIN"); }
  std::string ptx() const { return read(api_.nvrtcGetPTXSize, api_.nvrtcGetPTX, "nvrtcGetPTX"); }

 private:
  void check(int status, const char* function) const {
    if (status != kSuccess)
      throw LoadError(fmt::format("{}: {}: {} ({})", api_.path, function,
                                  api_.nvrtcGetErrorString(status), status));
  }
  std::string read(int (*size)(void*, std::size_t*), int (*get)(void*, char*),
                   const char* function) const {
    std::size_t bytes = 0;
    check(size(program_, &bytes), function);
    std::string text(bytes, '\0');
    if (bytes > 0) check(get(program_, text.data()), function);
    return text;
  }

  const Nvrtc& api_;
  void* program_ = nullptr;
};

// A log or PTX comes with its final zero.
std::string without_zeros(std::string text) {
  text.erase(text.find_last_not_of(std::string("\0\n", 2)) + 1);
  return text;
}

}  // namespace

std::string Target::text() const {
  return fmt::format("{}_{}", cubin ? "sm" : "compute", capability);
}

std::vector<int> Compiler::architectures() const {
  std::vector<int> known;
  if (api_.nvrtcGetSupportedArchs != nullptr) {
    int count = 0;
    if (api_.nvrtcGetNumSupportedArchs(&count) == kSuccess && count > 0) {
      known.resize(static_cast<std::size_t>(count));
      if (api_.nvrtcGetSupportedArchs(known.data()) != kSuccess) known.clear();
    }
  }
  if (known.empty()) {  // from the release notes
    known = {50, 52, 53, 60, 61, 62, 70, 72, 75};
    if (api_.version >= 11000) known.push_back(80);
    if (api_.version >= 11010) known.push_back(86);
  }
  std::sort(known.begin(), known.end());
  return known;
}

std::expected<Target, Unsupported> Compiler::target(int capability) const {
  const std::vector<int> known = architectures();
  const auto above = std::upper_bound(known.begin(), known.end(), capability);
  if (above == known.begin())
    return std::unexpected(
        fmt::format("NVRTC {} compiles for compute capability {}.{} and later, the device has {}.{}",
                    version(), known.front() / 10, known.front() % 10, capability / 10,
                    capability % 10));
  const int newest = *std::prev(above);
  return Target{newest, newest == capability && api_.nvrtcGetCUBIN != nullptr};
}

std::expected<Compiled, Unsupported> Compiler::compile(const std::string& text,
                                                       const Target& target,
                                                       std::vector<std::string> options) const {
  options.push_back("--gpu-architecture=" + target.text());
  options.push_back("--std=c++14");
  options.push_back(fmt::format("-DARCH={}", target.capability * 10));
  Program program(api_, text);
  if (!program.compile(options))
    return std::unexpected(fmt::format("NVRTC {} does not compile the kernel for {}: {}", version(),
                                       target.text(), without_zeros(program.log())));
  Compiled compiled{target, target.cubin ? program.cubin() : without_zeros(program.ptx()),
                    without_zeros(program.log())};
  return compiled;
}

}  // namespace stackx::kernels::cuda
