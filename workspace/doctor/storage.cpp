#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "analysis/text/words.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/real_file.hpp"
#include "store/damaged.hpp"
#include "store/inventory.hpp"
#include "store/mending/problems.hpp"
#include "store/store.hpp"
#include "workspace/doctor/outside.hpp"
#include "workspace/doctor/probes.hpp"
#include "workspace/files/writable.hpp"
#include "workspace/words.hpp"

namespace stackx::workspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* not_kept = "what is measured cannot be kept";
constexpr const char* other_store = "Name a store that can be written with --db or $STACKX_DB";
constexpr const char* other_place = "Free some of the store's disk, or name a store on another with --db or $STACKX_DB";
// A store beyond that takes longer than somebody waits who asks how the machine is: a second for 20 MB.
constexpr std::uint64_t largest_checked = std::uint64_t{40} << 20;
constexpr double little = 5e9, nothing = 1e8;  // bytes free

Finding new_store(const fs::path& file) {
  if (const auto why = why_not_writable(file); !why.empty())
    return {"store", Status::broken, fmt::format("none yet at {}: {}", file.string(), why), not_kept, other_store};
  return {"store", Status::ok, fmt::format("none yet; {} is made when it is first needed", file.string()), "", ""};
}

// The store's own content.
Finding content(const fs::path& file) {
  const auto held = store::inventory(file);
  auto found = fmt::format("{}: {}, {}", file.string(), analysis::counted(held.count("inspections"), "inspection"),
                           bytes(static_cast<double>(held.file_bytes)));
  if (held.file_bytes > largest_checked)
    return {"store", Status::ok, found + "; large, so not read through here (stackx db check --quick does)", "", ""};
  const auto problems = store::problems_of(file, store::Thoroughness::quick);
  if (problems.empty()) return {"store", Status::ok, found + ", sound", "", ""};
  return {"store", Status::broken, fmt::format("{}, damaged: {}", found, brief_words(problems.front())),
          "its results cannot be relied on", fmt::format("stackx db salvage {}", file.string())};
}

Finding damaged(const fs::path& file, const std::string& why) {
  return {"store", Status::broken, brief_words(why, 250), "its results cannot be read, nor new ones kept",
          fmt::format("stackx db salvage {}", file.string())};
}

Finding store_at(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return new_store(file);
  try {
    auto finding = content(file);
    if (finding.status != Status::ok) return finding;
    auto why = why_not_writable(file);
    if (why.empty()) why = why_not_writable(specs::real_file(file).parent_path());  // where SQLite keeps its log
    if (!why.empty()) return {"store", Status::broken, finding.found + "; " + why, not_kept, other_store};
    return finding;
  } catch (const store::Damaged& problem) {
    return damaged(file, problem.what());
  } catch (const Error& problem) {
    return {"store", Status::broken, brief_words(problem.what(), 300), "its results cannot be read, nor new ones kept", other_store};
  }
}

struct Room {
  double free = 0;
  bool known = false;
};

Room room_at(const fs::path& path) {
  std::error_code error;
  const auto space = fs::space(nearest_existing(path), error);
  return error ? Room{} : Room{static_cast<double>(space.available), true};
}

std::string free_text(const char* of, const fs::path& path, const Room& room) {
  return fmt::format("{} free for the {} ({})", room.known ? bytes(room.free) : "an unknown part", of, path.string());
}

}  // namespace

Findings look_at_store(const Context& context) {
  try {
    return {store_at(store::default_path(context.db))};
  } catch (const Error& error) {  // no HOME
    return {{"store", Status::broken, brief_words(error.what(), 200), not_kept, other_store}};
  }
}

Findings look_at_disk(const Context& context) {
  const auto cache = inspector::cache_directory();
  const auto of_cache = room_at(cache);
  auto found = free_text("cache", cache, of_cache);
  auto least = of_cache;
  const char* remedy = "stackx env prune --older-than 30d";
  try {
    const auto store = store::default_path(context.db);
    const auto of_store = room_at(store);
    if (of_store.free != of_cache.free) found += ", " + free_text("store", store.parent_path(), of_store);
    // Where nothing can be written nothing is free, which is said of the store; what is freed in the cache is no room for it.
    if (of_store.known && of_store.free < least.free && why_not_writable(store).empty()) least = of_store, remedy = other_place;
  } catch (const Error&) {  // said of the store
  }
  if (const auto why = why_not_writable(cache); !why.empty())
    return {{"disk", Status::broken, found + "; " + why, "no stack can be made ready to be measured", "Name a directory that can be written in $XDG_CACHE_HOME"}};
  if (!least.known || least.free >= little) return {{"disk", Status::ok, found, "", ""}};
  if (least.free < nothing)
    return {{"disk", Status::broken, found, "no stack fits, nor its results", remedy}};
  return {{"disk", Status::poor, found, "a framework with its CUDA takes up to 7 GB", remedy}};
}

}  // namespace stackx::workspace
