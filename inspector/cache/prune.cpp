#include "inspector/cache/prune.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>

#include "inspector/cache/cache_use.hpp"
#include "inspector/cache/exposure.hpp"
#include "inspector/cache/file_lock.hpp"
#include "inspector/cache/untrusted_tree.hpp"
#include "inspector/machine/tree.hpp"
#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using Time = fs::file_time_type;

Time time_or(const fs::path& file, Time otherwise) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return error ? otherwise : time;
}

// Whether a lock guards nothing any more.
bool is_lone(const fs::path& lock) {
  std::error_code error;
  auto entry = fs::path(lock).replace_extension();
  return !fs::exists(entry, error) && !fs::exists(entry.concat(".json"), error);
}

class Pruner {
 public:
  Pruner(const Cache& cache, const PruneOrder& order, const Engine* engine)
      : cache_(cache), order_(order), engine_(engine), began_(Time::clock::now()) {
    const auto campaign = in_use_since(cache.root);
    in_use_since_ = std::min(began_, campaign.value_or(began_));
    campaign_ = campaign.has_value();
  }

  std::vector<Pruned> prune() {
    for (const auto& left : cache_.leftovers)
      free(left, {"leftover", left.path.filename(), left.path, 0, ""}, true);
    for (const auto& tree : cache_.environments)
      free(tree, {"environment", name_of(tree), tree.path, 0, ""}, false);
    for (const auto& wheel : cache_.wheels)
      free(wheel, {"wheel", name_of(wheel), wheel.path, 0, ""}, false);
    prune_images();
    if (order_.all) {
      for (const auto& uv : cache_.uv) free_unused(uv, "uv's cache");
      free_unused(cache_.index, "the index's answers");
    }
    if (!order_.dry_run) remove_lone_locks();
    return std::move(result_);
  }

 private:
  // Why an entry that is due stays; "" if nothing holds it.
  std::string in_use(Time used) const {
    if (used < in_use_since_) return "";
    return campaign_ ? "used by a campaign that runs" : "used just now";
  }

  void keep(Pruned entry, std::string why) {
    entry.kept = std::move(why);
    result_.push_back(std::move(entry));
  }

  // Calls `act` under the entry's lock, if it is still due. `always`: whatever its age.
  void locked(const CacheEntry& entry, Pruned what, bool always,
              const std::function<void(Pruned)>& act) {
    if (!always && entry.used >= order_.before) return;
    std::error_code error;
    if (entry.lock.empty()) {
      act(std::move(what));
      return;
    }
    const bool had_lock = fs::exists(entry.lock, error);
    const auto used = time_or(entry.lock, entry.used);  // before it is made: that would be a use
    const FileLock lock(entry.lock, {}, never_wait);
    if (!lock.held()) {
      keep(std::move(what), "another stackx holds its lock");
    } else if (const auto why = in_use(used); !always && !why.empty()) {
      keep(std::move(what), why);
    } else if (!always && used >= order_.before) {
      // used meanwhile
    } else {
      act(std::move(what));
    }
    if (lock.held() && (!had_lock || is_lone(entry.lock))) fs::remove(entry.lock, error);
  }

  void free(const CacheEntry& entry, Pruned what, bool always) {
    locked(entry, std::move(what), always, [&](Pruned freed) {
      freed.freed = links_.add(entry.path).own;
      if (!order_.dry_run) remove(entry.path, freed);
      result_.push_back(std::move(freed));
    });
  }

  // What cannot be removed stays, and the rest goes.
  void remove(const fs::path& path, Pruned& what) {
    try {
      remove(path);
    } catch (const fs::filesystem_error& error) {
      what.freed = 0;
      what.kept = fmt::format("it cannot be removed: {}", error.code().message());
    }
  }

  void remove(const fs::path& path) {
    const auto name = path.filename().string();
    auto going = path;
    if (name.find(".partial-") == name.npos)
      going = path.parent_path() / fmt::format("{}.partial-{}", name, getpid());
    if (going != path) fs::rename(path, going);
    remove_tree(going);
    links_.forget();
  }

  // No lock of its own: nobody uses it where no campaign runs.
  void free_unused(const fs::path& directory, const char* name) {
    if (directory.empty()) return;
    Pruned what{"cache", name, directory, 0, ""};
    const bool unused = while_unused(cache_.root, [&] {
      what.freed = links_.add(directory).own;
      if (!order_.dry_run) remove(directory, what);
    });
    if (!unused) what.kept = "a campaign runs";
    result_.push_back(std::move(what));
  }

  // Those that are built on others first; a base stays as long as one of them does.
  void prune_images() {
    for (const bool upper : {true, false})
      for (const auto& image : cache_.images)
        if (image.parent.empty() != upper) prune(image);
  }

  void prune(const CachedImage& image) {
    Pruned what{"image", name_of(image), image.path, 0, ""};
    const bool is_base = std::ranges::any_of(cache_.images, [&](const CachedImage& other) {
      return other.parent == image.key && !gone_.contains(other.key);
    });
    if (is_base) {
      if (image.used < order_.before) keep(std::move(what), "an image that stays is built on it");
      return;
    }
    locked(image, std::move(what), false, [&](Pruned entry) { remove_image(image, std::move(entry)); });
  }

  void remove_image(const CachedImage& image, Pruned what) {
    if (engine_ == nullptr) {
      keep(std::move(what), "no container engine works here");
      return;
    }
    const bool named_elsewhere = std::ranges::any_of(cache_.images, [&](const CachedImage& other) {
      return other.key != image.key && other.id == image.id && !gone_.contains(other.key);
    });
    if (image.there && image.ours && !named_elsewhere) {
      if (const auto why = remove_from_engine(image); !why.empty()) {
        keep(std::move(what), why);
        return;
      }
      what.freed = own_bytes(image);
    }
    gone_.insert(image.key);
    if (!order_.dry_run) fs::remove(image.path);
    result_.push_back(std::move(what));
  }

  std::string remove_from_engine(const CachedImage& image) {
    if (order_.dry_run) return "";
    Command command;
    command.argv = engine_->command("rmi");
    command.argv.push_back(image.id);
    command.environment = engine_environment();
    const auto finished = run(command);
    return finished.ok() ? "" : fmt::format("{}: {}", engine_->kind, trim(tail(finished.err, 300)));
  }

  std::uint64_t own_bytes(const CachedImage& image) const {
    for (const auto& other : cache_.images)
      if (other.key == image.parent) return image.bytes - std::min(image.bytes, other.bytes);
    return image.bytes;
  }

  // Of builds that failed, and of entries that are gone.
  void remove_lone_locks() {
    for (const auto exposure : {Exposure::confined, Exposure::open})
      for (const char* directory : {"environments", "wheels", "images"})
        remove_lone_locks(root_of(exposure, cache_.root) / directory);
  }

  static void remove_lone_locks(const fs::path& directory) {
    std::error_code error;
    std::vector<fs::path> locks;
    for (const auto& entry : fs::directory_iterator(directory, error))
      if (entry.path().extension() == ".lock") locks.push_back(entry.path());
    for (const auto& file : locks) {
      if (!is_lone(file)) continue;
      const FileLock lock(file, {}, never_wait);
      if (lock.held() && is_lone(file)) fs::remove(file, error);
    }
  }

  const Cache& cache_;
  const PruneOrder& order_;
  const Engine* engine_;
  Time began_, in_use_since_;
  bool campaign_ = false;
  LinkCount links_;
  std::set<std::string> gone_;  // images' keys
  std::vector<Pruned> result_;
};

}  // namespace

std::vector<Pruned> prune(const Cache& cache, const PruneOrder& order, const Engine* engine) {
  return Pruner(cache, order, engine).prune();
}

std::string name_of(const CachedWheel& wheel) {
  return fmt::format("{} {}{}", wheel.package, wheel.version,
                     wheel.tag.empty() ? "" : " (" + wheel.tag + ")");
}

std::string name_of(const CachedEnvironment& environment) {
  constexpr std::size_t shown = 2;
  const auto& packages = environment.packages;
  const auto count = environment.wheels.size();
  auto text = fmt::format("{} package{}", count, count == 1 ? "" : "s");
  const auto named = std::min(shown, packages.size());
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? ": " : ", ") + packages[i];
  return named > 0 && named < count ? text + ", ..." : text;
}

std::string name_of(const CachedImage& image) {
  return image.asked.empty() ? image.base
                             : fmt::format("{} + {}", image.base, fmt::join(image.asked, ", "));
}

}  // namespace stackx::inspector
