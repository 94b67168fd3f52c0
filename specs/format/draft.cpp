#include "specs/format/draft.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>

#include "specs/error.hpp"
#include "specs/format/digest.hpp"

namespace stackx::specs {
namespace {

namespace fs = std::filesystem;

constexpr int most_writers = 10'000;  // to one place, at once

[[noreturn]] void refuse(const fs::path& place, const char* doing, int code) {
  throw broken_environment(fmt::format("{}: {}: {}; make room or choose another place",
                                       place.string(), doing, std::strerror(code)));
}

// Where not even an empty draft can be made, it is mostly the directory's fault.
[[noreturn]] void refuse_making(const fs::path& place, int code) {
  const fs::path directory = place.has_parent_path() ? place.parent_path() : fs::path(".");
  if (code == ENOENT)
    throw broken_environment(
        fmt::format("{}: cannot be made: there is no directory {}; make it first, or choose another place",
                    place.string(), directory.string()));
  if (code == EACCES || code == EPERM || code == EROFS)
    throw broken_environment(
        fmt::format("{}: cannot be made: it is written beside its place first, and in the directory {} nothing can be "
                    "made: {}; choose another place",
                    place.string(), directory.string(), std::strerror(code)));
  refuse(place, "cannot be made", code);
}

// At most so many bytes: what is longer is cut between two characters and told apart by a digest.
std::string fitting(const std::string& name, std::size_t most) {
  if (name.size() <= most) return name;
  const std::string digest = "-" + sha256(name).substr(0, 16);
  std::size_t end = most - digest.size();
  while (end > 0 && (name[end] & 0xc0) == 0x80) --end;
  return name.substr(0, end) + digest;
}

fs::path draft_of(const fs::path& place, int writer) {
  const fs::path whole = place.has_filename() ? place : place.parent_path();  // "directory/"
  const auto ending = fmt::format(".{}{}", writer, draft_extension);
  return whole.parent_path() / ("." + fitting(whole.filename().string(), NAME_MAX - 1 - ending.size()) + ending);
}

// Between opening and locking it the one before may have renamed or removed it.
bool is_still(int descriptor, const fs::path& path) {
  struct stat held {
  }, named{};
  return fstat(descriptor, &held) == 0 && lstat(path.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

bool is_of(Draft::Kind kind, int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 &&
         (kind == Draft::Kind::file ? S_ISREG(status.st_mode) : S_ISDIR(status.st_mode));
}

// What another user left is not taken over: it would stay that user's. Nor is what has another name, too.
bool is_ours_alone(Draft::Kind kind, int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && status.st_uid == geteuid() &&
         (kind == Draft::Kind::directory || status.st_nlink == 1);
}

int open_existing(const fs::path& path, Draft::Kind kind) {
  const int access = kind == Draft::Kind::file ? O_RDWR | O_NONBLOCK : O_RDONLY | O_DIRECTORY;
  return open(path.c_str(), access | O_NOFOLLOW | O_CLOEXEC);
}

// -1 and EEXIST where something has that name.
int create(const fs::path& path, Draft::Kind kind) {
  if (kind == Draft::Kind::file)
    return open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return mkdir(path.c_str(), 0777) == 0 ? open_existing(path, kind) : -1;
}

// What is replaced stays whose it was, and as secret: as far as this user may say so.
void take_after(const fs::path& place, int descriptor) {
  struct stat old {};
  if (lstat(place.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) return;
  constexpr auto unchanged_user = static_cast<uid_t>(-1);
  constexpr auto unchanged_group = static_cast<gid_t>(-1);
  const bool group = fchown(descriptor, unchanged_user, old.st_gid) == 0;
  const bool user = fchown(descriptor, old.st_uid, unchanged_group) == 0;
  (void)!fchmod(descriptor, old.st_mode & (!group ? 0707 : user ? 07777 : 0777));
}

// Some file systems of networks cannot sync a directory: EINVAL.
void sync(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && (fsync(descriptor) == 0 || errno == EINVAL);
  const int code = errno;
  if (descriptor >= 0) close(descriptor);
  if (!done) refuse(path, "cannot be synced to disk", code);
}

void sync_with_content(const fs::path& path) {
  if (fs::is_directory(fs::symlink_status(path)))
    for (const auto& entry : fs::directory_iterator(path)) sync_with_content(entry.path());
  sync(path);
}

// Fails with EEXIST where something is at `to`, in one step.
int rename_to_new(const fs::path& from, const fs::path& to) {
  // The call itself: glibc has a function for it since 2.28.
  if (syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;  // a file system that has no such renaming
  if (link(from.c_str(), to.c_str()) != 0) return errno;
  unlink(from.c_str());
  return 0;
}

int rename_to(const fs::path& from, const fs::path& to) {
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Draft::Draft(fs::path place, Kind kind) : Draft(Claimed(), std::move(place), {}, -1) {
  kind_ = kind;
  for (int writer = 1; writer <= most_writers; ++writer) {
    path_ = draft_of(place_, writer);
    if (!claim()) continue;
    if (kind == Kind::file) take_after(place_, descriptor_);
    return;
  }
  refuse(place_, "cannot be written", EBUSY);
}

Draft::Draft(Claimed, fs::path place, fs::path path, int descriptor)
    : place_(std::move(place)), path_(std::move(path)), descriptor_(descriptor) {}

Draft::Draft(Draft&& other) noexcept
    : place_(std::move(other.place_)),
      path_(std::exchange(other.path_, fs::path())),
      kind_(other.kind_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

Draft::~Draft() {
  std::error_code ignored;
  if (descriptor_ >= 0 && !path_.empty()) fs::remove_all(path_, ignored);  // while it is locked
  if (descriptor_ >= 0) close(descriptor_);
}

// Where locks do not work, only what did not exist before is certain to be nobody else's.
bool Draft::claim() {
  descriptor_ = create(path_, kind_);
  const bool made = descriptor_ >= 0;
  if (!made) {
    if (errno != EEXIST) refuse_making(place_, errno);
    descriptor_ = open_existing(path_, kind_);
    if (descriptor_ < 0) return false;
  }
  const bool locked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  if ((locked || (made && errno != EWOULDBLOCK)) && is_of(kind_, descriptor_) &&
      is_still(descriptor_, path_) && (made || is_ours_alone(kind_, descriptor_))) {
    if (!made) clear();
    return true;
  }
  close(std::exchange(descriptor_, -1));
  return false;
}

void Draft::clear() const {
  if (kind_ == Kind::directory) {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry.path());
  } else if (ftruncate(descriptor_, 0) != 0) {
    refuse(place_, "cannot be written", errno);
  }
}

std::optional<Draft> Draft::left_behind(const fs::path& part, fs::path place) {
  const int descriptor = open_existing(part, Kind::file);
  if (descriptor < 0) return std::nullopt;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_of(Kind::file, descriptor) &&
      is_still(descriptor, part))
    return Draft(Claimed(), std::move(place), part, descriptor);
  close(descriptor);
  return std::nullopt;
}

void Draft::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(place_, "cannot be written", errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void Draft::put_in_place(Existing existing) {
  specs::put_in_place(path_, place_, existing);
  path_.clear();
}

void Draft::put_in_place_unsynced() {
  if (const int code = rename_to(path_, place_)) refuse(place_, "cannot be put in place", code);
  path_.clear();
}

void put_in_place(const fs::path& from, const fs::path& to, Existing existing) {
  sync_with_content(from);
  const int code = existing == Existing::kept ? rename_to_new(from, to) : rename_to(from, to);
  if (code == EEXIST && existing == Existing::kept)
    throw bad_input(
        fmt::format("{}: exists already; nothing was changed; name a new file", to.string()));
  if (code != 0) refuse(to, "cannot be put in place", code);
  sync_directory(fs::absolute(to).parent_path());
}

void sync_directory(const fs::path& directory) { sync(directory); }

}  // namespace stackx::specs
