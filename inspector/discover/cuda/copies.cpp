#include "inspector/discover/cuda/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "specs/format/digest.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

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

void mark_copies(CudaFound& found, const Tree& tree, const Remarks& remarks) {
  CopyFinder copies(tree, remarks);
  for (auto& [library, major] : found.system) copies.look_at(library);
  for (auto& toolkit : found.toolkits)
    for (auto& library : toolkit.libraries) copies.look_at(library, toolkit.holder);
  std::erase_if(found.toolkits, is_all_copies);
}

}  // namespace stackx::inspector
