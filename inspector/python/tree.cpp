#include "inspector/python/tree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <fstream>
#include <map>
#include <unordered_set>

#include "inspector/cache/file_lock.hpp"
#include "inspector/cache/untrusted_tree.hpp"
#include "inspector/python/file_list.hpp"
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

// A later wheel's file of the same name replaces an earlier one's.
FileList files_of(const std::vector<Wheel>& wheels) {
  FileList files;
  files.allow(tree_manifest);
  for (auto i = wheels.size(); i-- > 0;)
    for (const auto& file : wheels[i].files) files.add(file.path, file.size, i);
  return files;
}

// By the hashes that they had, where somebody could write to them.
bool as_installed(const fs::path& directory, const std::vector<Wheel>& wheels) {
  std::unordered_set<std::string_view> seen;
  for (auto wheel = wheels.rbegin(); wheel != wheels.rend(); ++wheel)
    for (const auto& file : wheel->files)
      if (seen.insert(file.path).second && specs::sha256_file(directory / file.path) != file.sha256) return false;
  return true;
}

bool whole(const fs::path& directory, const FileList& files, const std::vector<Wheel>& wheels, Exposure exposure) {
  std::error_code error;
  return fs::exists(directory / tree_manifest, error) && files.lies_in(directory) && files.is_all_in(directory) &&
         (exposure == Exposure::confined || as_installed(directory, wheels));
}

[[noreturn]] void fail(const fs::path& path, int error) {
  throw fs::filesystem_error("cannot be linked", path,
                             std::error_code(error, std::generic_category()));
}

// A directory to name files by: with 18,600 long paths the kernel walks most of the time.
class Place {
 public:
  explicit Place(const fs::path& path) : Place(AT_FDCWD, path, path.native()) {}
  Place(const Place& root, const std::string& below)
      : Place(root.fd_, root.path_ / below, below.empty() ? "." : below) {}
  ~Place() { close(fd_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  int fd() const { return fd_; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  Place(int parent, fs::path path, const std::string& name)
      : path_(std::move(path)), fd_(openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
    if (fd_ < 0) fail(path_, errno);
  }

  fs::path path_;
  int fd_;
};

// One that is there is fine, and what else has the name is found when it is opened.
void make_directory(const Place& root, const std::string& path) {
  const auto made = [&] { return mkdirat(root.fd(), path.c_str(), 0777) == 0 || errno == EEXIST; };
  if (path.empty() || made()) return;
  const auto slash = path.rfind('/');
  if (errno != ENOENT || slash == path.npos) fail(root / path, errno);
  make_directory(root, path.substr(0, slash));  // it holds directories alone
  if (!made()) fail(root / path, errno);
}

// Where the file system can, it shares the blocks; who writes to one has them alone from then on.
bool cloned(const Place& from, const Place& to, const char* name) {
  struct stat status {};
  const int source = openat(from.fd(), name, O_RDONLY | O_CLOEXEC);
  if (source < 0 || fstat(source, &status) != 0) fail(from / name, errno);
  const int target = openat(to.fd(), name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0777);
  const bool done = target >= 0 && ioctl(target, FICLONE, source) == 0;
  close(source);
  if (target >= 0) close(target);
  return done;
}

bool linked(const Place& from, const Place& to, const char* name) {
  if (linkat(from.fd(), name, to.fd(), name, 0) == 0) return true;
  if (errno != EXDEV && errno != EMLINK && errno != EPERM) fail(to / name, errno);
  return false;
}

void fill(const fs::path& directory, const FileList& files, const std::vector<Wheel>& wheels, Exposure exposure) {
  const Place root(directory);
  std::deque<Place> sources;
  for (const auto& wheel : wheels) sources.emplace_back(wheel.directory);
  files.for_each_directory([&](const FileList::Directory& listed) {
    const auto& [path, entries] = listed;
    make_directory(root, path);
    const Place to(root, path);
    std::map<std::size_t, Place> from;
    for (const auto& [name, file] : entries) {
      const auto& source = from.try_emplace(file.owner, sources[file.owner], path).first->second;
      if (!(exposure == Exposure::open ? cloned : linked)(source, to, file.name))
        fs::copy_file(source / file.name, to / file.name, fs::copy_options::overwrite_existing);
    }
  });
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

std::expected<void, BuildFailure> build(const fs::path& root, const std::string& key, const FileList& files,
                                        const std::vector<Wheel>& wheels, Exposure exposure) {
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().filename().string().starts_with(key + ".partial-")) remove_tree(entry.path());
  remove_tree(root / key);
  const auto partial = root / fmt::format("{}.partial-{}", key, getpid());
  fs::create_directory(partial);
  try {
    fill(partial, files, wheels, exposure);
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
    const auto files = files_of(wheels);
    if (!whole(root_ / key, files, wheels, exposure_))
      if (auto built = build(root_, key, files, wheels, exposure_); !built) return std::unexpected(built.error());
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
