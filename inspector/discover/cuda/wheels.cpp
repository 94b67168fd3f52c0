#include "inspector/discover/cuda/wheels.hpp"

#include <fmt/format.h>

#include <map>

namespace stackx::inspector {
namespace {

// "12" of "nvidia-cudnn-cu12"; nothing of another package.
std::optional<std::string> cuda_of_wheel(const std::string& distribution, const CudaKind& kind) {
  if (distribution == kind.wheel) return "";
  const auto mark = std::string(kind.wheel) + "-cu";
  if (!distribution.starts_with(mark)) return std::nullopt;
  const auto major = distribution.substr(mark.size());
  return parse_unsigned(major) ? std::optional(major) : std::nullopt;
}

// The wheels in one site-packages/nvidia, by the major version of CUDA that they are for.
class WheelReader {
 public:
  WheelReader(const Tree& tree, std::string directory, const PythonEnvironment& environment,
              const Remarks& remarks)
      : tree_(tree), directory_(std::move(directory)), environment_(environment), remarks_(remarks) {
    for (const auto& name : tree.entries(directory_))
      places_.push_back(directory_ + "/" + name + "/lib");
  }

  std::vector<CudaToolkit> read() {
    for (const auto& kind : cuda_kinds) {
      std::vector<std::pair<const Distribution*, std::string>> wheels;
      for (const auto& [name, distribution] : environment_.distributions)
        if (const auto cuda = cuda_of_wheel(name, kind)) wheels.emplace_back(&distribution, *cuda);
      if (kind.counts_by_itself && wheels.size() > 1)
        left_out(fmt::format("{} and {} both put their library there", wheels[0].first->name,
                             wheels[1].first->name));
      else
        for (const auto& [distribution, cuda] : wheels) take(kind, *distribution, cuda);
    }
    std::vector<CudaToolkit> result;
    for (auto& [major, toolkit] : by_major_) {
      if (toolkit.version.empty())
        left_out(fmt::format("its libraries for CUDA {} have no CUDA runtime beside them", major));
      else
        result.push_back(std::move(toolkit));
    }
    return result;
  }

 private:
  void take(const CudaKind& kind, const Distribution& distribution, const std::string& cuda) {
    const auto own = first_parts(distribution.version, 1);
    const auto file = library_in(tree_, places_, kind.library, kind.counts_by_itself ? "" : own);
    if (file.empty() || !is_numbers(distribution.version)) return;
    auto& toolkit = by_major_[kind.counts_by_itself ? cuda : own];
    const auto told_by = distribution.metadata.string();
    if (std::string_view(kind.component) == "cudart") {
      toolkit.version = distribution.version;
      toolkit.told_by = told_by;
      toolkit.root = directory_;
    }
    toolkit.libraries.push_back({kind.component, distribution.version,
                                 first_parts(distribution.version, kind.reported), file, told_by});
  }

  void left_out(const std::string& why) {
    remarks_({Remark::left_out, fmt::format("{}: {}", directory_, why)});
  }

  const Tree& tree_;
  const std::string directory_;
  const PythonEnvironment& environment_;
  const Remarks& remarks_;
  std::vector<std::string> places_;
  std::map<std::string, CudaToolkit> by_major_;
};

}  // namespace

std::vector<CudaToolkit> cuda_wheels(const Tree& tree, const std::string& directory, const PythonEnvironment& environment,
                                     const Remarks& remarks) {
  return WheelReader(tree, directory, environment, remarks).read();
}

}  // namespace stackx::inspector
