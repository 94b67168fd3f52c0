#include "store/file_system.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <array>

#include "specs/error.hpp"
#include "specs/format/draft.hpp"

namespace stackx::store {
namespace {

struct Known {
  std::uint64_t magic;
  const char* name;
  bool between_machines;
};

constexpr std::array known{Known{0xef53, "ext4", false},
                           Known{0x58465342, "xfs", false},
                           Known{0x9123683e, "btrfs", false},
                           Known{0x2fc12fc1, "zfs", false},
                           Known{0xf2f52010, "f2fs", false},
                           Known{0x01021994, "tmpfs", false},
                           Known{0x794c7630, "overlayfs", false},
                           Known{0x65735546, "fuse", true},
                           Known{0x6969, "nfs", true},
                           Known{0xff534d42, "cifs", true},
                           Known{0xfe534d42, "smb", true},
                           Known{0x517b, "smb", true},
                           Known{0x01021997, "9p", true},
                           Known{0x00c36400, "ceph", true},
                           Known{0x0bd00bd0, "lustre", true},
                           Known{0x47504653, "gpfs", true},
                           Known{0x5346414f, "afs", true},
                           Known{0x6b414653, "afs", true},
                           Known{0x19830326, "beegfs", true},
                           Known{0x7461636f, "ocfs2", true},
                           Known{0x01161970, "gfs2", true},
                           Known{0xaad7aaea, "panfs", true}};

}  // namespace

FileIdentity identity_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return std::pair<std::uint64_t, std::uint64_t>(status.st_dev, status.st_ino);
}

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  if (directory.empty() || std::filesystem::is_directory(directory, error)) return;
  const auto parent = directory.has_filename() ? directory.parent_path() : directory.parent_path().parent_path();
  make_directory(parent);
  std::filesystem::create_directory(directory, error);
  if (error)
    throw broken_environment(fmt::format("{}: cannot be made: {}; choose another place with --db", directory.string(),
                                         error.message()));
  specs::sync_directory(parent.empty() ? "." : parent);
}

FileSystem file_system_by(std::uint64_t magic) {
  for (const Known& one : known)
    if (one.magic == magic) return {one.name, one.between_machines};
  return {};
}

FileSystem file_system_of(const std::filesystem::path& file) {
  std::error_code ignored;
  std::filesystem::path place = std::filesystem::absolute(file, ignored);
  while (!std::filesystem::exists(place, ignored) && place.has_relative_path())
    place = place.parent_path();
  struct statfs status {};
  if (::statfs(place.c_str(), &status) != 0) return {};
  return file_system_by(static_cast<std::uint64_t>(status.f_type) & 0xffffffff);
}

void refuse_place_of_another(const fs::path& store, const std::string& how) {
  std::error_code missing;
  for (const char* companion : {"", "-wal", "-journal"})
    if (fs::exists(fs::symlink_status(store.string() + companion, missing)))
      throw bad_input(fmt::format("{}{}: exists already; nothing was changed; name a new file{}", store.string(), companion, how));
}

}  // namespace stackx::store
