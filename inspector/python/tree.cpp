#include "inspector/python/tree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <unordered_set>

#include "inspector/cache/file_lock.hpp"
#include "inspector/cache/untrusted_tree.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::Json;

constexpr const char* tree_schema = "stackx/environment/1";
constexpr const char* tree_manifest = ".stackx-environment.json";

Json keys_of(const std::vector<Wheel>& wheels) {
  Json keys = Json::array();
  for (const auto& wheel : wheels) keys.push_back(wheel.directory.filename().string());
  return keys;
}

// A later wheel's file of the same name replaces an earlier one's, so the last one's size counts.
bool whole(const fs::path& directory, const std::vector<Wheel>& wheels, Exposure exposure) {
  std::error_code error;
  if (!fs::exists(directory / tree_manifest, error)) return false;
  std::unordered_set<std::string> seen{tree_manifest};
  for (auto wheel = wheels.rbegin(); wheel != wheels.rend(); ++wheel)
    for (const auto& file : wheel->files) {
      if (!seen.insert(file.path).second) continue;
      if (fs::file_size(directory / file.path, error) != file.size || error) return false;
      if (exposure == Exposure::open && specs::sha256_file(directory / file.path) != file.sha256) return false;
    }
  return holds_only(directory, seen);
}

[[noreturn]] void fail(const fs::path& path, int error) {
  throw fs::filesystem_error("cannot be linked", path,
                             std::error_code(error, std::generic_category()));
}

// A directory to name files by: 15,000 long paths take the kernel a third of the time otherwise.
class Place {
 public:
  explicit Place(const fs::path& path) : path_(path), fd_(open(path.c_str(), O_PATH | O_CLOEXEC)) {
    if (fd_ < 0) fail(path, errno);
  }
  ~Place() { close(fd_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  int fd() const { return fd_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
  int fd_;
};

void link_file(const Place& from, const Place& to, const std::string& name) {
  const auto linked = [&] {
    return linkat(from.fd(), name.c_str(), to.fd(), name.c_str(), 0) == 0;
  };
  if (linked()) return;
  if (errno == EEXIST) {
    fs::remove(to / name);
    if (linked()) return;
  }
  if (errno != EXDEV && errno != EMLINK && errno != EPERM) fail(to / name, errno);
  fs::copy_file(from / name, to / name, fs::copy_options::overwrite_existing);
}

// Shares the blocks where the file system can; who writes to one has them alone from then on.
void clone_file(const Place& from, const Place& to, const std::string& name) {
  fs::remove(to / name);
  struct stat status {};
  const int source = openat(from.fd(), name.c_str(), O_RDONLY | O_CLOEXEC);
  if (source < 0 || fstat(source, &status) != 0) fail(from / name, errno);
  const int target = openat(to.fd(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777);
  const bool cloned = target >= 0 && ioctl(target, FICLONE, source) == 0;
  close(source);
  if (target >= 0) close(target);
  if (!cloned) fs::copy_file(from / name, to / name, fs::copy_options::overwrite_existing);
}

void fill(const fs::path& directory, const std::vector<Wheel>& wheels, Exposure exposure) {
  std::set<std::string> made{""};
  const Place to(directory);
  for (const auto& wheel : wheels) {
    const Place from(wheel.directory);
    for (const auto& file : wheel.files) {
      const auto slash = file.path.rfind('/');
      const auto parent = slash == std::string::npos ? "" : file.path.substr(0, slash);
      if (made.insert(parent).second) fs::create_directories(directory / parent);
      (exposure == Exposure::open ? clone_file : link_file)(from, to, file.path);
    }
  }
  std::ofstream stream(directory / tree_manifest);
  stream << Json{{"$schema", tree_schema}, {"wheels", keys_of(wheels)}}.dump() << '\n';
  stream.close();
  if (!stream) fail(directory / tree_manifest, errno);
}

// One is a file where another has a directory, above all. Named as it is in the environment.
BuildFailure in_conflict(const fs::filesystem_error& error, const fs::path& partial) {
  return {fmt::format("these packages cannot be in one environment: {}: {}",
                      error.path1().lexically_relative(partial).string(), error.code().message()), ""};
}

std::expected<void, BuildFailure> build(const fs::path& root, const std::string& key, const std::vector<Wheel>& wheels,
                                        Exposure exposure) {
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().filename().string().starts_with(key + ".partial-")) remove_tree(entry.path());
  remove_tree(root / key);
  const auto partial = root / fmt::format("{}.partial-{}", key, getpid());
  fs::create_directory(partial);
  try {
    fill(partial, wheels, exposure);
    fs::rename(partial, root / key);
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    remove_tree(partial, ignored);
    if (!is_of_its_shape(error.code())) throw;
    return std::unexpected(in_conflict(error, partial));
  }
  return {};
}

}  // namespace

std::expected<fs::path, BuildFailure> EnvironmentTrees::get(const std::vector<Wheel>& wheels,
                                                            const Say& say,
                                                            const std::function<bool()>& stop) {
  const auto key = specs::sha256(keys_of(wheels).dump());
  try {
    const ReadableByAll readable;
    fs::create_directories(root_);
    const FileLock lock(root_ / (key + ".lock"), say, stop);
    if (!lock.held()) return std::unexpected(BuildFailure{"interrupted", ""});
    if (!whole(root_ / key, wheels, exposure_))
      if (auto built = build(root_, key, wheels, exposure_); !built) return std::unexpected(built.error());
    fs::last_write_time(root_ / (key + ".lock"), fs::file_time_type::clock::now());
    return fs::canonical(root_ / key);
  } catch (const fs::filesystem_error& error) {
    if (error.code() == std::errc::no_space_on_device)
      return std::unexpected(
          BuildFailure{fmt::format("{}: no space left; `stackx env prune` frees some", root_.string()),
                       "", specs::Outcome::disk_full});
    throw broken_environment(fmt::format("{}: {}; is it writable?", root_.string(), error.what()));
  }
}

}  // namespace stackx::inspector
