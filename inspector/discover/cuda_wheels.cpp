#include "inspector/discover/cuda_wheels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "specs/format/digest.hpp"
#include "specs/version/version_text.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

// What brings NVIDIA's wheels along, by the name that people know it by.
std::string wheel_user(const std::string& distribution) {
  if (distribution == "torch") return "torch";
  if (distribution == "jax" || distribution.starts_with("jax-cuda")) return "jax";
  if (distribution.starts_with("cupy")) return "cupy";
  if (distribution == "onnxruntime-gpu") return "onnxruntime";
  return framework_of(distribution) == "tensorflow" ? "tensorflow" : "";
}

std::string holder_of(const PythonEnvironment& environment) {
  std::set<std::string> users;
  for (const auto& [name, distribution] : environment.distributions)
    if (const auto user = wheel_user(name); !user.empty()) users.insert(user);
  return users.empty() ? specs::label_from(environment.name)
                       : fmt::format("{}", fmt::join(users, "."));
}

// "12" of "nvidia-cudnn-cu12"; nothing of another package.
std::optional<std::string> cuda_of_wheel(const std::string& distribution, const CudaKind& kind) {
  if (distribution == kind.wheel) return "";
  const auto mark = std::string(kind.wheel) + "-cu";
  if (!distribution.starts_with(mark)) return std::nullopt;
  const auto major = distribution.substr(mark.size());
  return parse_unsigned(major) ? std::optional(major) : std::nullopt;
}

// The library's file, of that major version where one is given; two CUDAs may lie side by side.
std::string wheel_file(const Tree& tree, const std::vector<std::string>& directories,
                       const CudaKind& kind, const std::string& major) {
  const auto mark = std::string(kind.library) + ".";
  for (const auto& directory : directories)
    for (const auto& entry : tree.entries(directory)) {
      if (!entry.starts_with(mark) || !is_numbers(entry.substr(mark.size()))) continue;
      if (major.empty() || first_parts(entry.substr(mark.size()), 1) == major)
        return real_path(tree, directory + "/" + entry);
    }
  return "";
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
    const auto file = wheel_file(tree_, places_, kind, kind.counts_by_itself ? "" : own);
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

// "nvidia/cublas/lib/libcublas.so.12": the site-packages was said before.
std::string below(const Tree& tree, const std::string& directory, const fs::path& file) {
  const auto rest = file.lexically_relative(fs::path(real_path(tree, directory)).parent_path());
  return rest.empty() || *rest.begin() == ".." ? file.string() : rest.string();
}

// What two libraries must share before their contents are worth a look.
struct Alike {
  std::string component, reports;
  std::uintmax_t size;
  auto operator<=>(const Alike&) const = default;
};

class CopyFinder {
 public:
  CopyFinder(const Tree& tree, const Remarks& remarks) : tree_(tree), remarks_(remarks) {}

  void look_at(CudaLibrary& library, const std::string& holder = "") {
    std::error_code error;
    const auto file = tree_.root() / library.file.relative_path();
    const auto size = fs::file_size(file, error);
    if (error) return;
    auto& others = seen_[{library.component, library.reports, size}];
    for (const auto* other : others) {
      if (library.file != other->file && hash_of(library) != hash_of(*other)) continue;
      library.copy = true;
      // Each set of wheels needs its runtime: that it is a copy is worth no word.
      if (library.component != "cudart")
        remarks_({Remark::left_out,
                  fmt::format("{} {}{}{}: the same content as {}", library.component, library.version,
                              holder.empty() ? "" : "+", holder, other->file.string())});
      return;
    }
    others.push_back(&library);
  }

 private:
  const std::string& hash_of(const CudaLibrary& library) {
    auto& hash = hashes_[library.file];
    if (hash.empty()) hash = specs::sha256_file(tree_.root() / library.file.relative_path());
    return hash;
  }

  const Tree& tree_;
  const Remarks& remarks_;
  std::map<Alike, std::vector<const CudaLibrary*>> seen_;
  std::map<fs::path, std::string> hashes_;
};

bool is_all_copies(const CudaToolkit& toolkit) {
  return !toolkit.holder.empty() &&
         std::ranges::all_of(toolkit.libraries, [](const auto& library) {
           return library.copy || library.component == "cudart";
         });
}

}  // namespace

void add_wheels(CudaFound& found, const Tree& tree,
                const std::vector<PythonEnvironment>& environments, const Remarks& remarks) {
  std::set<std::string> seen, names;  // directories; version and holder
  for (const auto& environment : environments)
    for (const auto& site : environment.sites) {
      const auto directory = site.string() + "/nvidia";
      if (!tree.exists(directory) || !seen.insert(real_path(tree, directory)).second) continue;
      for (auto& toolkit : WheelReader(tree, directory, environment, remarks).read()) {
        toolkit.holder = holder_of(environment);
        if (!names.insert(toolkit.version + "+" + toolkit.holder).second)
          toolkit.holder += "." + specs::label_from(environment.name);
        remarks({Remark::found,
                 fmt::format("cuda {}+{}: {}", toolkit.version, toolkit.holder, directory)});
        for (const auto& library : toolkit.libraries)
          remarks({Remark::found, fmt::format("{} {}+{}: {}", library.component, library.version, toolkit.holder,
                                              below(tree, directory, library.file))});
        found.toolkits.push_back(std::move(toolkit));
      }
    }
}

void mark_copies(CudaFound& found, const Tree& tree, const Remarks& remarks) {
  CopyFinder copies(tree, remarks);
  for (auto& [library, major] : found.system) copies.look_at(library);
  for (auto& toolkit : found.toolkits)
    for (auto& library : toolkit.libraries) copies.look_at(library, toolkit.holder);
  std::erase_if(found.toolkits, is_all_copies);
}

}  // namespace stackx::inspector
