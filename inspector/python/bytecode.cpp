#include "inspector/python/bytecode.hpp"

#include <set>

#include "inspector/cache/untrusted_tree.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

// "a/x.py" of "a/x.pyc" and of "a/__pycache__/x.cpython-311.opt-1.pyc"; "" of what is no bytecode.
std::string source_of(const fs::path& file) {
  if (file.extension() != ".pyc") return "";
  const auto directory = file.parent_path();
  const auto name = file.filename().string();
  if (directory.filename() == "__pycache__")
    return (directory.parent_path() / (name.substr(0, name.find('.')) + ".py")).string();
  return fs::path(file).replace_extension(".py").string();
}

// The wheel's own bytecode goes: it may be a name of a file in uv's cache, which is not to be written. False where the
// wheel has something else of that name.
bool make_room_for(const fs::path& file) {
  const auto directory = file.parent_path();
  if (fs::exists(fs::symlink_status(directory)) && !fs::is_directory(fs::symlink_status(directory))) return false;
  if (fs::is_directory(fs::symlink_status(file))) return false;
  fs::create_directories(directory);
  fs::remove(file);
  return true;
}

}  // namespace

std::vector<std::string> copy_sources(const fs::path& from, const fs::path& room) {
  std::vector<std::string> sources;
  for (fs::recursive_directory_iterator entry(from), end; entry != end; ++entry) {
    if (entry.depth() >= most_untrusted_depth) entry.disable_recursion_pending();  // an open directory for each
    if (entry->is_symlink() || !entry->is_regular_file() || entry->path().extension() != ".py") continue;
    auto path = entry->path().lexically_relative(from);
    fs::create_directories((room / path).parent_path());
    fs::copy_file(entry->path(), room / path);
    fs::last_write_time(room / path, entry->last_write_time());
    sources.push_back(path.string());
  }
  return sources;
}

std::expected<void, std::string> take_bytecode(const std::vector<std::string>& sources, const fs::path& room,
                                               const fs::path& to, std::uint64_t most_bytes) {
  const auto tree = UntrustedTree::read(room, most_bytes);
  if (!tree) return std::unexpected(tree.error());
  const std::set<std::string> known(sources.begin(), sources.end());
  for (const auto& file : tree->files()) {
    if (!known.contains(source_of(file))) continue;
    if (!make_room_for(to / file)) continue;
    if (auto copied = tree->copy(file, to / file); !copied) return copied;
  }
  return {};
}

}  // namespace stackx::inspector
