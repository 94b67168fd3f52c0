#include "inspector/environment/library_search.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "inspector/environment/elf_needs.hpp"
#include "inspector/machine/tree.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_libraries = 256;
constexpr int most_looks = 20'000;  // at names, whatever a file asks for
constexpr std::size_t longest_path = 4096, longest_list = 65536;

constexpr const char* usual_directories[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
    "/lib64", "/usr/lib64", "/lib", "/usr/lib"};
constexpr const char* variants[] = {"glibc-hwcaps/x86-64-v4", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2", ""};

std::string with_origin(std::string text, const fs::path& origin) {
  for (const std::string token : {"${ORIGIN}", "$ORIGIN"})
    for (std::size_t at = 0; (at = text.find(token, at)) != std::string::npos && text.size() < longest_list;
         at += origin.native().size())
      text.replace(at, token.size(), origin.native());
  return text;
}

class LibrarySearch {
 public:
  explicit LibrarySearch(const MayOpen& may_open) : may_open_(may_open) {}

  std::vector<fs::path> of(const fs::path& file) {
    std::error_code error;
    const auto real = fs::canonical(file, error);  // the kernel's $ORIGIN of a program, too
    if (error || !may_open_(real)) return {};
    if (auto needs = elf_needs(real)) add(real, real, std::move(*needs), 0);
    for (std::size_t at = 0; at < loaded_.size(); ++at)  // breadth first, as the loader
      for (std::size_t i = 0; i < loaded_[at].needs.needed.size(); ++i) find(loaded_[at].needs.needed[i], at);
    return std::move(found_);
  }

 private:
  struct Loaded {
    fs::path origin;
    ElfNeeds needs;
    std::size_t loader;  // who needed it; the first: itself
  };

  void add(const fs::path& name, const fs::path& real, ElfNeeds needs, std::size_t loader) {
    if (!reals_.insert(real).second) return;
    if (!needs.soname.empty()) names_.insert(needs.soname);
    loaded_.push_back({name.parent_path(), std::move(needs), loader});
  }

  // A file of this name, if it is a library for the same machine.
  bool take(const fs::path& name, std::size_t loader) {
    if (!name.is_absolute() || --looks_ < 0 || found_.size() >= most_libraries) return false;
    std::error_code error;
    const auto real = fs::canonical(name, error);
    if (error || !may_open_(real)) return false;
    auto needs = elf_needs(real);
    if (!needs || needs->machine != loaded_[0].needs.machine) return false;
    if (std::ranges::find(found_, name) == found_.end()) found_.push_back(name);
    add(name, real, std::move(*needs), loader);
    return true;
  }

  bool take_from(const std::string& directories, const std::string& name, std::size_t owner, std::size_t loader) {
    for (const auto& directory : words(with_origin(directories, loaded_[owner].origin), ":")) {
      bool any = false;
      for (const char* variant : variants) any = take(fs::path(directory) / variant / name, loader) || any;
      if (any) return true;
    }
    return false;
  }

  // DT_RPATH reaches down to what its file's libraries need; DT_RUNPATH does not, and its file's DT_RPATH is void.
  bool take_by_rpath(const std::string& name, std::size_t loader) {
    if (!loaded_[loader].needs.runpath.empty()) return false;
    for (auto owner = loader;; owner = loaded_[owner].loader) {
      const auto rpath = loaded_[owner].needs.runpath.empty() ? loaded_[owner].needs.rpath : "";
      if (take_from(rpath, name, owner, loader)) return true;
      if (owner == 0 || looks_ < 0) return false;
    }
  }

  bool take_known(const std::string& name, std::size_t loader) {
    if (!cache_) {
      std::ifstream stream("/etc/ld.so.cache", std::ios::binary);
      cache_.emplace(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    }
    bool any = false;
    for (const auto& path : cached_libraries(*cache_, name)) any = take(path, loader) || any;
    return any;
  }

  void find(const std::string& written, std::size_t loader) {
    const auto name = with_origin(written, loaded_[loader].origin);
    if (--looks_ < 0 || name.size() >= longest_path || !names_.insert(name).second) return;
    if (name.find('/') != std::string::npos) {
      take(name, loader);
      return;
    }
    if (take_by_rpath(name, loader)) return;
    const auto runpath = loaded_[loader].needs.runpath;  // a copy: taking adds to loaded_
    if (take_from(runpath, name, loader, loader) || take_known(name, loader)) return;
    for (const char* directory : usual_directories)
      if (take_from(directory, name, 0, loader)) return;
  }

  const MayOpen& may_open_;
  std::vector<Loaded> loaded_;
  std::set<fs::path> reals_;
  std::set<std::string> names_;  // that are looked for no more
  std::vector<fs::path> found_;
  std::optional<std::string> cache_;
  int looks_ = most_looks;
};

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  if (at <= bytes.size() && bytes.size() - at >= sizeof value) std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::vector<fs::path> needed_libraries(const fs::path& file, const MayOpen& may_open) {
  return LibrarySearch(may_open).of(file);
}

// The format since glibc 2.2: 48 bytes of header; for each library flags, name, path, and 12 bytes more; then texts,
// whose places count from the header. Older tables may stand before.
std::vector<fs::path> cached_libraries(const std::string& cache, const std::string& name) {
  constexpr std::string_view magic = "glibc-ld.so.cache1.1";
  constexpr std::size_t header = 48, entry = 24;
  std::vector<fs::path> result;
  const auto begin = cache.find(magic);
  if (begin == std::string::npos) return result;
  const auto text = [&](std::size_t place) -> std::string_view {
    if (place >= cache.size() - begin) return "";
    const auto rest = std::string_view(cache).substr(begin + place);
    return rest.substr(0, rest.find('\0'));
  };
  const std::size_t count = std::min<std::size_t>(number_at(cache, begin + magic.size()), cache.size() / entry);
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = begin + header + i * entry;
    if (text(number_at(cache, at + 4)) == name) result.emplace_back(text(number_at(cache, at + 8)));
  }
  return result;
}

}  // namespace stackx::inspector
