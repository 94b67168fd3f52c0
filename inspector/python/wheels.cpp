#include "inspector/python/wheels.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <set>

#include "inspector/cache/file_lock.hpp"
#include "inspector/cache/untrusted_tree.hpp"
#include "inspector/python/file_list.hpp"
#include "inspector/python/wheel_manifest.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/json.hpp"
#include "specs/format/names.hpp"
#include "specs/version/version.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::Json;

constexpr const char* wheel_manifest = ".stackx-wheel.json";
constexpr const char* own_names = ".stackx-";  // this manifest's, and a tree's
constexpr const char* uv_lock = ".lock";       // which uv leaves in a target

// What is fetched under that name lands in a directory of ours. None stated: nothing is.
bool is_file_name(const std::string& text) {
  return text.find('/') == std::string::npos && text.find('\0') == std::string::npos && text != "." && text != "..";
}

std::vector<WheelFile> list_files(const fs::path& directory) {
  std::vector<WheelFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    const auto path = entry.path().lexically_relative(directory).string();
    if (path != wheel_manifest && path != uv_lock) files.push_back({path, entry.file_size()});
  }
  std::sort(files.begin(), files.end(),
            [](const WheelFile& a, const WheelFile& b) { return a.path < b.path; });
  return files;
}

void write_manifest(const WheelRequest& request, const fs::path& directory) {
  Json files = Json::array();
  for (const auto& file : list_files(directory)) {
    files.push_back({{"path", file.path},
                     {"size", file.size},
                     {"sha256", specs::sha256_file(directory / file.path)}});
  }
  const Json manifest{{"$schema", wheel_schema},          {"package", request.package},
                      {"version", request.version}, {"file", request.file},
                      {"sha256", request.sha256},   {"files", files}};
  std::ofstream stream(directory / wheel_manifest);
  stream << manifest.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  stream.close();
  if (!stream)
    throw fs::filesystem_error("cannot be written", directory / wheel_manifest,
                               std::error_code(errno, std::generic_category()));
}

// Of the files that the loader could open.
void find_libraries(Wheel& wheel) {
  std::set<fs::path> directories;
  for (const auto& file : wheel.files) {
    const auto name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
    if (name.find(".so") == name.npos) continue;
    wheel.shared_objects.push_back(wheel.directory / file.path);
    if (name.starts_with("lib")) directories.insert(wheel.shared_objects.back().parent_path());
  }
  wheel.library_directories.assign(directories.begin(), directories.end());
}

// Nothing if the directory is not there, not whole, or not ours. Where it is open to others, every byte is read. `shown`:
// stacks see the directory, and not only what is linked from it by its list.
std::optional<Wheel> open_wheel(const fs::path& directory, bool shown, Exposure exposure) {
  auto files = read_wheel_manifest(directory / wheel_manifest);
  if (!files) return std::nullopt;
  Wheel wheel;
  wheel.files = std::move(*files);
  wheel.directory = fs::canonical(directory);
  FileList listed;
  for (const auto& own : {wheel_manifest, uv_lock}) listed.allow(own);
  for (const auto& file : wheel.files) listed.add(file.path, file.size);
  const auto as_installed = [&](const WheelFile& file) {
    return specs::sha256_file(wheel.directory / file.path) == file.sha256;
  };
  if (!listed.lies_in(wheel.directory)) return std::nullopt;
  if (shown && !listed.is_all_in(wheel.directory)) return std::nullopt;
  if (exposure == Exposure::open && !std::ranges::all_of(wheel.files, as_installed)) return std::nullopt;
  find_libraries(wheel);
  return wheel;
}

BuildFailure disk_full(const fs::path& root) {
  return {fmt::format("{}: no space left; `stackx env prune` frees some", root.string()), "",
          specs::Outcome::disk_full};
}

BuildFailure in_the_way(const fs::path& path, const std::error_code& why) {
  return {fmt::format("{}: is damaged and cannot be removed: {}; remove it", path.string(), why.message()), ""};
}

// Another name than that of a directory which could not be removed.
fs::path new_partial(const fs::path& root, const WheelRequest& request) {
  for (int count = 0;; ++count) {
    const auto again = count == 0 ? "" : fmt::format("-{}", count);
    auto partial = root / fmt::format("{}.partial-{}{}", request.key(), getpid(), again);
    if (fs::create_directory(partial)) return partial;
  }
}

std::string megabytes(std::uint64_t bytes) { return fmt::format("{:.1f} MB", bytes / 1e6); }

BuildFailure not_honest(const WheelRequest& request, const std::string& what, specs::Outcome outcome) {
  return {fmt::format("{} {}: {}{} {}, as no honest package does; do not use it", request.package, request.version,
                      request.file.empty() ? "its wheel" : request.file,
                      request.size == 0 ? "" : " (" + megabytes(request.size) + ")", what),
          "", outcome};
}

// What is there counts, whatever was declared. A tree of more than it may have is not walked to its end.
std::expected<void, BuildFailure> check_unpacked(const WheelRequest& request, const fs::path& directory) {
  constexpr std::size_t most_entries = 500'000;
  const auto most = most_unpacked(request.size);
  std::uint64_t bytes = 0;
  std::size_t entries = 0;
  const auto refused = [&request](const std::string& what) {
    return std::unexpected(not_honest(request, what, specs::Outcome::build_failed));
  };
  for (fs::recursive_directory_iterator entry(directory), end; entry != end; ++entry) {
    const auto name = entry->path().filename().string();
    if (entry.depth() == 0 && name.starts_with(own_names)) return refused("holds " + name + ", a name of stackx's own");
    if (entry.depth() >= most_untrusted_depth)
      return refused(fmt::format("holds more than {} directories in each other", most_untrusted_depth));
    if (entry->is_regular_file() && !entry->is_symlink()) bytes += entry->file_size();
    if (++entries > most_entries || bytes > most) return std::unexpected(unpacks_to_too_much(request));
  }
  return {};
}

}  // namespace

std::uint64_t most_unpacked(std::uint64_t packed) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  constexpr std::uint64_t least = gib / 2, most = 32 * gib, unknown = 4 * gib;
  if (packed == 0) return unknown;
  return packed > most ? most : std::clamp(std::min(packed * 20, packed * 4 + 2 * gib), least, most);
}

BuildFailure unpacks_to_too_much(const WheelRequest& request) {
  const auto most = most_unpacked(request.size) / 1e6;
  const auto what = fmt::format("unpacks to more than {:.0f} MB, or to more than 500,000 files", most);
  if (request.size > 0) return not_honest(request, what, specs::Outcome::too_large);
  return {fmt::format("{} {}: {} {}, and the catalog does not say how large it is; do not use it, or state \"size\" there",
                      request.package, request.version, request.file.empty() ? "its wheel" : request.file, what),
          "", specs::Outcome::too_large};
}

std::expected<void, BuildFailure> check(const WheelRequest& request) {
  const auto fail = [&](const std::string& what, const std::string& value,
                        const std::string& hint) {
    return std::unexpected(BuildFailure{
        fmt::format("{} {}: {} is not {}; correct the catalog", request.package, request.version,
                    Json(value).dump(-1, ' ', true, Json::error_handler_t::replace), what + hint),
        ""});
  };
  if (!specs::is_python_package_name(request.package)) return fail("a package name", request.package, " (PEP 508)");
  const auto version = specs::Version::parse(request.version, specs::Versioning::pep440);
  if (!version) return fail("a version", request.version, " (PEP 440)");
  if (!is_file_name(request.file)) return fail("a file name", request.file, "");
  if (!specs::is_sha256(request.sha256))
    return fail("a SHA-256", request.sha256, " (64 lower-case hex digits)");
  return {};
}

WheelStore::WheelStore(fs::path root, Installer install, Exposure exposure)
    : root_(std::move(root)), install_(std::move(install)), exposure_(exposure) {}

std::expected<Wheel, BuildFailure> WheelStore::get(const WheelRequest& request, const Say& say,
                                                   const std::function<bool()>& stop) {
  if (auto fine = check(request); !fine) return std::unexpected(fine.error());
  try {
    const ReadableByAll readable;
    fs::create_directories(root_);
    const auto lock_file = root_ / (request.key() + ".lock");
    const FileLock lock(lock_file, say, stop);  // even if it is there: `env prune` might just remove it
    if (!lock.held()) return std::unexpected(BuildFailure{"interrupted", ""});
    fs::last_write_time(lock_file, fs::file_time_type::clock::now());
    if (auto wheel = open_wheel(root_ / request.key(), request.variant.empty(), exposure_)) return *wheel;
    return build(request, say);
  } catch (const fs::filesystem_error& error) {
    if (error.code() == std::errc::no_space_on_device)
      return std::unexpected(disk_full(root_));
    throw broken_environment(fmt::format("{}: {}; is it writable, and is there space left?",
                                         root_.string(), error.what()));
  }
}

// With the lock held: whatever partial directory is there was left by a builder that died.
std::expected<Wheel, BuildFailure> WheelStore::build(const WheelRequest& request, const Say& say) {
  const auto final = root_ / request.key();
  std::vector<fs::path> stale;
  for (const auto& entry : fs::directory_iterator(root_)) {
    if (entry.path().filename().string().starts_with(request.key() + ".partial-")) {
      stale.push_back(entry.path());
    }
  }
  if (fs::exists(final)) stale.push_back(final);  // not whole, or get() would have used it
  std::error_code stays;  // `env prune` tries again, and says why
  for (const auto& path : stale) remove_tree(path, stays);
  if (fs::exists(final)) return std::unexpected(in_the_way(final, stays));

  const auto partial = new_partial(root_, request);
  if (say) {
    say(fmt::format("installing {} {}{}", request.package, request.version,
                    request.size != 0 ? " (" + megabytes(request.size) + ")" : ""));
  }
  try {
    auto installed = install_(request, partial);
    if (installed) installed = check_unpacked(request, partial);
    if (!installed) {
      remove_tree(partial, stays);
      return std::unexpected(installed.error());
    }
    write_manifest(request, partial);
    fs::rename(partial, final);
  } catch (const fs::filesystem_error& error) {
    remove_tree(partial, stays);
    if (!is_of_its_shape(error.code())) throw;
    return std::unexpected(not_honest(request, "holds names that cannot be had here: " + error.code().message(),
                                      specs::Outcome::build_failed));
  } catch (...) {  // a full disk, above all: what is there already would keep it full
    std::error_code ignored;
    remove_tree(partial, ignored);
    throw;
  }
  auto wheel = open_wheel(final, true, Exposure::confined);
  if (!wheel) {
    return std::unexpected(BuildFailure{
        fmt::format("{}: changed while it was being installed; is somebody else writing there?",
                    final.string()),
        ""});
  }
  return *wheel;
}

}  // namespace stackx::inspector
