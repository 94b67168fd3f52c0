#include "inspector/cache/untrusted_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_untrusted_entries = 500'000;
// O_NONBLOCK: a FIFO that took a file's place would be waited for.
constexpr int foreign_file = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr int foreign_directory = O_RDONLY | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC;

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(OpenFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// Nothing if it cannot be read; errno says why.
std::optional<std::vector<std::string>> names_below(int directory) {
  const int again = openat(directory, ".", foreign_directory);  // closedir() closes it
  DIR* stream = again < 0 ? nullptr : fdopendir(again);
  if (stream == nullptr) {
    if (again >= 0) close(again);
    return std::nullopt;
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(stream))
    if (const std::string name = entry->d_name; name != "." && name != "..") names.push_back(name);
  closedir(stream);
  return names;
}

// What a file is that is none; "" for one that can be taken.
const char* why_no_file(const struct stat& status) {
  if (S_ISLNK(status.st_mode)) return "a symbolic link";
  if (S_ISFIFO(status.st_mode)) return "a FIFO";
  if (S_ISSOCK(status.st_mode)) return "a socket";
  if (!S_ISREG(status.st_mode)) return "a device";
  return status.st_nlink == 1 ? "" : "a hard link to another file";
}

std::string left(const fs::path& path, const std::string& what) {
  return fmt::format("it left {} at {}; only files and directories are taken", what, path.string());
}

std::string unreadable(const fs::path& path) { return fmt::format("{}: {}", path.string(), strerror(errno)); }

class UntrustedReader {
 public:
  UntrustedReader(const fs::path& root, std::uint64_t most_bytes) : root_(root), bytes_left_(most_bytes) {}

  // Why it is not taken; "" if it is.
  std::string read(int directory, const std::string& prefix, int depth) {
    if (depth > most_untrusted_depth)
      return fmt::format("it left more than {} directories in each other in {}", most_untrusted_depth, root_.string());
    const auto names = names_below(directory);
    if (!names) return unreadable(root_ / prefix);
    for (const auto& name : *names)
      if (auto why = look(directory, name, prefix + name, depth); !why.empty()) return why;
    return "";
  }

  std::vector<std::string> files;

 private:
  std::string look(int directory, const std::string& name, const std::string& path, int depth) {
    if (++entries_ > most_untrusted_entries)
      return fmt::format("it left more than {} files in {}", most_untrusted_entries, root_.string());
    struct stat status {};
    if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return unreadable(root_ / path);
    if (S_ISDIR(status.st_mode)) {
      const OpenFile below(openat(directory, name.c_str(), foreign_directory));
      return below ? read(below.fd(), path + "/", depth + 1) : unreadable(root_ / path);
    }
    if (const std::string what = why_no_file(status); !what.empty()) return left(root_ / path, what);
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > bytes_left_) return fmt::format("it left more in {} than it may", root_.string());
    bytes_left_ -= size;
    files.push_back(path);
    return "";
  }

  const fs::path& root_;
  std::uint64_t bytes_left_;
  std::size_t entries_ = 0;
};

// A name below a directory, with none of its directories a link.
OpenFile open_below(const fs::path& root, const std::string& path) {
  OpenFile at(open(root.c_str(), foreign_directory));
  std::size_t from = 0;
  for (std::size_t slash; at && (slash = path.find('/', from)) != std::string::npos; from = slash + 1)
    at = OpenFile(openat(at.fd(), path.substr(from, slash - from).c_str(), foreign_directory));
  return at ? OpenFile(openat(at.fd(), path.c_str() + from, foreign_file)) : std::move(at);
}

[[noreturn]] void cannot_write(const fs::path& file) {
  throw fs::filesystem_error("cannot be written", file, std::error_code(errno, std::generic_category()));
}

void write_all(int to, const char* bytes, std::size_t size, const fs::path& name) {
  while (size > 0) {
    const auto written = write(to, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) cannot_write(name);
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

std::error_code error_now() { return {errno, std::generic_category()}; }

// Directories that their maker closed are opened: without it nothing in them can be named.
OpenFile opened(int directory, const char* name) {
  (void)fchmodat(directory, name, S_IRWXU, AT_SYMLINK_NOFOLLOW);  // not ours: then open() says so
  return OpenFile(openat(directory, name, foreign_directory));
}

// Whether the name is gone, or is a directory's (errno EISDIR).
bool unlinked(int directory, const std::string& name) {
  return unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT;
}

// Removes a tree from its top: a directory below the root is emptied by moving those in it up beside it. However deep
// the tree, no path is long and three directories are open. Recursion would need a descriptor for every level.
class Removal {
 public:
  explicit Removal(int root) : root_(root) {}

  std::error_code run() {
    for (;;) {
      const auto names = names_below(root_);
      if (!names) return error_now();
      if (names->empty()) return {};
      for (const auto& name : *names)
        if (const auto error = remove(name)) return error;
    }
  }

 private:
  std::error_code remove(const std::string& name) {
    if (unlinked(root_, name)) return {};
    if (errno != EISDIR) return error_now();
    const auto directory = opened(root_, name.c_str());
    const auto names = directory ? names_below(directory.fd()) : std::nullopt;
    if (!names) return error_now();
    for (const auto& inner : *names)
      if (const auto error = lift(directory.fd(), inner)) return error;
    return unlinkat(root_, name.c_str(), AT_REMOVEDIR) == 0 ? std::error_code() : error_now();
  }

  std::error_code lift(int directory, const std::string& name) {
    if (unlinked(directory, name)) return {};
    if (errno != EISDIR) return error_now();
    // A directory that is moved must be writable itself.
    (void)fchmodat(directory, name.c_str(), S_IRWXU, AT_SYMLINK_NOFOLLOW);
    for (;;) {
      const auto to = fmt::format(".going-{}", ++moved_);
      if (renameat(directory, name.c_str(), root_, to.c_str()) == 0) return {};
      if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return error_now();  // the name is taken
    }
  }

  int root_;
  std::uint64_t moved_ = 0;
};

}  // namespace

std::expected<UntrustedTree, std::string> UntrustedTree::read(const fs::path& root, std::uint64_t most_bytes) {
  struct stat status {};
  if (lstat(root.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) {
    const std::string what = why_no_file(status);
    return std::unexpected(left(root, what.empty() ? "a file" : what));
  }
  const OpenFile directory(open(root.c_str(), foreign_directory));
  if (!directory) return std::unexpected(unreadable(root));
  UntrustedReader reader(root, most_bytes);
  if (auto why = reader.read(directory.fd(), "", 0); !why.empty()) return std::unexpected(std::move(why));
  UntrustedTree tree(root, most_bytes);
  tree.files_ = std::move(reader.files);
  std::ranges::sort(tree.files_);
  return tree;
}

std::expected<void, std::string> UntrustedTree::copy(const std::string& file, const fs::path& to) const {
  const auto from = open_below(root_, file);
  struct stat status {};
  if (!from || fstat(from.fd(), &status) != 0) return std::unexpected(unreadable(root_ / file));
  if (const std::string what = why_no_file(status); !what.empty()) return std::unexpected(left(root_ / file, what));
  const OpenFile copy(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!copy) cannot_write(to);
  std::vector<char> buffer(std::size_t{1} << 20);
  for (auto bytes_left = most_bytes_;;) {
    const auto got = ::read(from.fd(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(unreadable(root_ / file));
    if (got == 0) return {};
    const auto size = static_cast<std::uint64_t>(got);
    if (size > bytes_left) return std::unexpected(fmt::format("{} grows while it is read", (root_ / file).string()));
    bytes_left -= size;
    write_all(copy.fd(), buffer.data(), size, to);
  }
}

bool is_of_its_shape(const std::error_code& error) {
  constexpr std::errc shapes[] = {std::errc::not_a_directory,    std::errc::is_a_directory,
                                  std::errc::file_exists,        std::errc::directory_not_empty,
                                  std::errc::filename_too_long, std::errc::too_many_symbolic_link_levels};
  return std::ranges::any_of(shapes, [&error](std::errc shape) { return error == shape; });
}

void remove_tree(const fs::path& path, std::error_code& error) {
  error.clear();
  if (unlinkat(AT_FDCWD, path.c_str(), 0) == 0 || errno == ENOENT) return;
  if (errno != EISDIR) {
    error = error_now();
    return;
  }
  {
    const auto root = opened(AT_FDCWD, path.c_str());
    error = root ? Removal(root.fd()).run() : error_now();
  }
  if (!error && rmdir(path.c_str()) != 0) error = error_now();
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  remove_tree(path, error);
  if (error) throw fs::filesystem_error("cannot be removed", path, error);
}

}  // namespace stackx::inspector
