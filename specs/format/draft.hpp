// A file or directory on its way: it comes to its place whole or not at all, whoever else writes there at that time.
//
// It is written beside its place as `.<name>.1.stackx-draft`, or `.<name>.2.stackx-draft` and so on where another
// writer is at work (a name that would be too long is cut and has a digest), under an flock(2) that its writer holds
// and the kernel releases. put_in_place() syncs it, renames it and syncs the directory: what it was called on
// outlasts a power failure. A file that is replaced leaves it its mode and, where that may be, its owner. Of two
// writers to one place both write a whole one, and the last one's stays (or the first one's: Existing::kept). What a
// killed writer left is no longer locked: the same user's next writer to that place takes it over and empties it; so
// its name is one that nobody else gives to anything. Rejected: names by process id (two containers that share a
// directory have the same ids), random names (what killed writers left would stay for ever), `<name>.part` (what
// browsers leave), O_TMPFILE (its files cannot replace one).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stackx::specs {

inline constexpr std::string_view draft_extension = ".stackx-draft";

enum class Existing { replaced, kept };

class Draft {
 public:
  enum class Kind { file, directory };

  // Empty, and this process's alone. Throws Error(environment), as all of this does where the disk refuses.
  explicit Draft(std::filesystem::path place, Kind kind = Kind::file);
  ~Draft();  // removes what was not put in place
  Draft(Draft&& other) noexcept;
  Draft& operator=(Draft&&) = delete;

  // The file `part` that a writer left who lives no more, with all that it wrote; nothing where it lives.
  static std::optional<Draft> left_behind(const std::filesystem::path& part,
                                          std::filesystem::path place);

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }  // of a file: where it is written
  void write(std::string_view text);

  void put_in_place(Existing existing = Existing::replaced);
  // Without the syncs, which take milliseconds: for what can be fetched or made again.
  void put_in_place_unsynced();

 private:
  struct Claimed {};
  Draft(Claimed, std::filesystem::path place, std::filesystem::path path, int descriptor);
  bool claim();
  void clear() const;

  std::filesystem::path place_, path_;
  Kind kind_ = Kind::file;
  int descriptor_ = -1;
};

// Synced, renamed, and the directory synced. Existing::kept: Error(bad_input) if something is there already.
void put_in_place(const std::filesystem::path& from, const std::filesystem::path& to,
                  Existing existing);

// Makes what was created, renamed or removed in it outlast a power failure.
void sync_directory(const std::filesystem::path& directory);

}  // namespace stackx::specs
