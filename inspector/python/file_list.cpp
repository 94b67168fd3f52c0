#include "inspector/python/file_list.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "inspector/cache/exposure.hpp"

namespace stackx::inspector {
namespace {

constexpr int real_directory = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

class Descriptor {
 public:
  Descriptor(int parent, const std::string& name, int flags)
      : fd_(openat(parent, name.empty() ? "." : name.c_str(), flags)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }

 private:
  int fd_;
};

bool lies_there(int directory, const FileList::File& file) {
  struct stat status {};
  return fstatat(directory, file.name, &status, 0) == 0 && S_ISREG(status.st_mode) &&
         static_cast<std::uint64_t>(status.st_size) == file.size && readable_inside(status);
}

// Calls work(i) for all i below count. Threads are started only for what takes longer than starting them.
void on_all_processors(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t least = 64, most_threads = 8;
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex lock;
  const auto run = [&] {
    try {
      for (std::size_t i; (i = next++) < count;) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard guard(lock);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t threads = count < least ? 1 : std::min<std::size_t>(most_threads, std::thread::hardware_concurrency());
    while (others.size() + 1 < threads) others.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

// Looks for what is not listed.
class FileWalk {
 public:
  explicit FileWalk(const FileList& list) : list_(list) {}

  // `path`: relative to the root.
  bool finds_nothing(int parent, const std::string& name, const std::string& path) {
    const Descriptor directory(parent, name, O_RDONLY | real_directory);
    if (!directory) return false;
    const auto known = list_.directories_.find(path);
    const auto is_listed = [&](std::string_view file) {
      return (known != list_.directories_.end() && known->second.contains(file)) ||
             (path.empty() && std::ranges::find(list_.allowed_, file) != list_.allowed_.end());
    };
    std::vector<std::string> below;  // looked into afterwards: one buffer serves every level
    // By its number: glibc has a function for it since 2.30 alone.
    for (ssize_t got; (got = syscall(SYS_getdents64, directory.fd(), names_.data(), names_.size())) != 0;) {
      if (got < 0) return false;
      for (ssize_t at = 0; at < got;) {
        const auto* entry = reinterpret_cast<const dirent64*>(names_.data() + at);
        at += entry->d_reclen;
        const std::string_view found = entry->d_name;
        if (found == "." || found == "..") continue;
        if (is_directory(directory.fd(), *entry)) {
          below.emplace_back(found);
        } else if (!is_listed(found)) {
          return false;
        }
      }
    }
    return std::ranges::all_of(below, [&](const std::string& inner) {
      return finds_nothing(directory.fd(), inner, path.empty() ? inner : path + "/" + inner);
    });
  }

 private:
  static bool is_directory(int parent, const dirent64& entry) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
    struct stat status {};  // a file system that does not tell
    return fstatat(parent, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
  }

  const FileList& list_;
  alignas(dirent64) std::array<char, std::size_t{1} << 15> names_;
};

bool FileList::add(const std::string& path, std::uint64_t size, std::size_t owner) {
  const auto slash = path.rfind('/');
  const auto above = std::string_view(path).substr(0, slash == path.npos ? 0 : slash);
  auto known = directories_.find(above);
  if (known == directories_.end()) known = directories_.try_emplace(std::string(above)).first;
  const char* name = path.c_str() + (slash == path.npos ? 0 : slash + 1);
  return known->second.try_emplace(name, File{name, size, owner}).second;
}

bool FileList::lies_in(const std::filesystem::path& root) const {
  const Descriptor top(AT_FDCWD, root.native(), O_PATH | real_directory);
  std::atomic<bool> fine = static_cast<bool>(top);
  for_each_directory([&](const Directory& listed) {
    if (!fine) return;
    const Descriptor directory(top.fd(), listed.first, O_PATH | real_directory);
    if (!directory || !std::ranges::all_of(listed.second, [&](const auto& entry) {
          return lies_there(directory.fd(), entry.second);
        }))
      fine = false;
  });
  return fine;
}

bool FileList::is_all_in(const std::filesystem::path& root) const {
  return FileWalk(*this).finds_nothing(AT_FDCWD, root.native(), "");
}

void FileList::for_each_directory(const std::function<void(const Directory&)>& work) const {
  std::map<std::ptrdiff_t, std::vector<const Directory*>> levels;
  for (const auto& directory : directories_)
    levels[directory.first.empty() ? -1 : std::ranges::count(directory.first, '/')].push_back(&directory);
  for (const auto& [depth, directories] : levels)
    on_all_processors(directories.size(), [&](std::size_t i) { work(*directories[i]); });
}

}  // namespace stackx::inspector
