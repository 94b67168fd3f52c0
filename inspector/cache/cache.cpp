#include "inspector/cache/cache.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "inspector/cache/exposure.hpp"
#include "inspector/cache/file_lock.hpp"
#include "inspector/machine/tree.hpp"
#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "specs/format/clock.hpp"
#include "specs/format/json.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;
using specs::Json;
using specs::Node;

constexpr std::size_t hash_length = 64;

bool is_key(const std::string& name) {
  return name.size() >= hash_length && name.find('.') == name.npos &&
         name.find_first_not_of("0123456789abcdef") >= hash_length;
}

fs::file_time_type time_of(const fs::path& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  return error ? fs::file_time_type::min() : time;
}

CacheEntry entry_at(const fs::path& path, const std::string& key) {
  CacheEntry entry{path, key, path.parent_path() / (key + ".lock"), {}};
  entry.used = std::max(time_of(entry.lock), time_of(path));
  return entry;
}

std::vector<fs::path> sorted_entries(const fs::path& directory) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

// Nothing if it is not there, cut short or of another format.
std::optional<Node> manifest(const fs::path& file, const char* schema) {
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  try {
    auto node = Node::parse_file(file);
    node.schema(schema);
    return node;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<CachedWheel> read_wheel(const fs::path& path) {
  const auto node = manifest(path / ".stackx-wheel.json", "stackx/wheel/1");
  if (!node) return std::nullopt;
  const auto key = path.filename().string();
  CachedWheel wheel{entry_at(path, key), node->at("package").text(), node->at("version").text(),
                    node->at("file").text(), "", disk_usage(path)};
  if (key.size() > hash_length) wheel.tag = key.substr(hash_length + 1);
  return wheel;
}

std::optional<CachedEnvironment> read_environment(const fs::path& path) {
  const auto node = manifest(path / ".stackx-environment.json", "stackx/environment/1");
  if (!node) return std::nullopt;
  return CachedEnvironment{entry_at(path, path.filename()), node->at("wheels").texts(), {},
                           disk_usage(path)};
}

std::optional<CachedImage> read_image(const fs::path& file) {
  const auto node = manifest(file, "stackx/image/1");
  if (!node) return std::nullopt;
  CachedImage image;
  static_cast<CacheEntry&>(image) = entry_at(file, file.stem());
  image.id = node->at("id").text();
  image.digest = node->at("digest").text();
  image.type = node->at("type").text();
  image.base = node->at("base").text();
  image.asked = node->at("packages").texts();
  image.program = node->at("program").text();
  for (const auto& [name, version] : node->at("installed").members())
    image.installed[name] = version.text();
  const auto pulled = node->find("pulled");
  image.ours = image.type != "oci" || !image.asked.empty() || (pulled && pulled->boolean());
  return image;
}

Leftover leftover(const fs::path& path, const std::string& key) {
  Leftover left;
  static_cast<CacheEntry&>(left) = entry_at(path, key);
  left.usage = disk_usage(path);
  return left;
}

// Its builder is at work.
bool is_locked(const fs::path& lock) {
  std::error_code error;
  return fs::exists(lock, error) && !FileLock(lock, {}, [] { return true; }).held();
}

// `Entry` is made of whole ones by `read`; the rest is a builder's, at work or dead.
template <typename Entry, typename Read>
void read_directory(const fs::path& directory, const Read& read, std::vector<Entry>& whole,
                    Cache& cache) {
  for (const auto& path : sorted_entries(directory)) {
    const auto name = path.filename().string();
    if (name.ends_with(".lock")) continue;
    auto entry = read(path);
    const auto key = name.substr(0, name.find('.'));
    if (entry)
      whole.push_back(std::move(*entry));
    else if (is_key(key) && !is_locked(directory / (key + ".lock")))
      cache.leftovers.push_back(leftover(path, key));
  }
  std::ranges::stable_sort(whole, std::greater{}, &Entry::used);
}

// "probe-123.tar", "container-engine.123.part", "uv.partial-123": made without a lock, by process 123.
int maker_of(const std::string& name) {
  for (const std::string_view begin : {"probe-", "container-engine.", "uv.partial-"}) {
    if (!name.starts_with(begin)) continue;
    const auto digits = name.substr(begin.size(), name.find_first_not_of("0123456789", begin.size()) -
                                                      begin.size());
    return static_cast<int>(parse_unsigned(digits).value_or(0));
  }
  return 0;
}

void read_loose_files(Cache& cache) {
  for (const auto& path : sorted_entries(cache.root)) {
    const int pid = maker_of(path.filename());
    if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH) continue;
    auto left = leftover(path, "");
    left.lock.clear();
    left.pid = pid;
    cache.leftovers.push_back(std::move(left));
  }
}

void name_packages(Cache& cache) {
  std::map<std::string, const CachedWheel*> by_key;
  for (const auto& wheel : cache.wheels) by_key[wheel.key] = &wheel;
  for (auto& environment : cache.environments) {
    std::vector<const CachedWheel*> found;
    for (const auto& key : environment.wheels)
      if (by_key.contains(key)) found.push_back(by_key[key]);
    std::ranges::stable_sort(found, std::greater{}, [](const CachedWheel* wheel) {
      return wheel->usage.own + wheel->usage.shared;
    });
    for (const auto* wheel : found)
      environment.packages.push_back(wheel->package + " " + wheel->version);
  }
}

void ask_engine(CachedImage& image, const Engine& engine) {
  Command command;
  command.argv = engine.command("image");
  append(command.argv, {"inspect", "--format", "{{.Size}}", image.id});
  command.environment = engine_environment();
  const auto size = parse_unsigned(trim(run(command).out));
  image.there = size.has_value();
  image.bytes = size.value_or(0);
}

// As inspector/environment/images.cpp makes them: packages are one layer above the base alone.
void find_parents(std::vector<CachedImage>& images) {
  for (auto& image : images)
    for (const auto& other : images)
      if (!image.asked.empty() && other.asked.empty() && other.program.empty() &&
          image.type == other.type && image.base == other.base)
        image.parent = other.key;
}

Json time_of(const CacheEntry& entry) { return specs::rfc3339_utc(system_time(entry.used)); }

Json common(const CacheEntry& entry) {
  return {{"path", entry.path.string()}, {"key", entry.key}, {"last_use", time_of(entry)}};
}

void put(Json& json, const DiskUsage& usage) {
  json["own_bytes"] = usage.own;
  json["shared_bytes"] = usage.shared;
}

Json one(const CachedEnvironment& environment) {
  auto json = common(environment);
  json["wheels"] = environment.wheels;
  json["packages"] = environment.packages;
  put(json, environment.usage);
  return json;
}

Json one(const CachedWheel& wheel) {
  auto json = common(wheel);
  json["package"] = wheel.package;
  json["version"] = wheel.version;
  json["file"] = wheel.file;
  json["tag"] = wheel.tag;
  put(json, wheel.usage);
  return json;
}

Json one(const CachedImage& image) {
  auto json = common(image);
  json.update({{"id", image.id},
               {"digest", image.digest},
               {"type", image.type},
               {"base", image.base},
               {"packages", image.asked},
               {"program", image.program},
               {"installed", image.installed},
               {"bytes", image.there ? Json(image.bytes) : Json()}});
  return json;
}

Json one(const Leftover& left) {
  auto json = common(left);
  put(json, left.usage);
  return json;
}

template <typename Entry>
Json all(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const auto& entry : entries) list.push_back(one(entry));
  return list;
}

}  // namespace

bool has_images(const fs::path& root) {
  return std::ranges::any_of(sorted_entries(root / "images"),
                             [](const fs::path& path) { return path.extension() == ".json"; });
}

Cache read_cache(const fs::path& root, const Engine* engine) {
  Cache cache;
  cache.root = root;
  std::error_code error;
  for (const auto exposure : {Exposure::confined, Exposure::open}) {
    const auto place = root_of(exposure, root);
    read_directory(place / "environments", read_environment, cache.environments, cache);
    read_directory(place / "wheels", read_wheel, cache.wheels, cache);
    if (fs::exists(place / "uv", error)) cache.uv.push_back(place / "uv");
    cache.uv_bytes += disk_bytes(place / "uv");
  }
  read_directory(root / "images", read_image, cache.images, cache);
  read_loose_files(cache);
  name_packages(cache);
  find_parents(cache.images);
  for (auto& image : cache.images)
    if (engine != nullptr) ask_engine(image, *engine);
  if (fs::exists(root / "pypi", error)) cache.index = root / "pypi";
  cache.index_bytes = disk_bytes(root / "pypi");
  cache.bytes = disk_bytes(root);
  return cache;
}

Json to_json(const Cache& cache) {
  return {{"root", cache.root.string()},
          {"bytes", cache.bytes},
          {"environments", all(cache.environments)},
          {"wheels", all(cache.wheels)},
          {"images", all(cache.images)},
          {"leftovers", all(cache.leftovers)},
          {"uv_bytes", cache.uv_bytes},
          {"index_bytes", cache.index_bytes}};
}

std::chrono::system_clock::time_point system_time(fs::file_time_type time) {
  return std::chrono::time_point_cast<std::chrono::system_clock::duration>(
      std::chrono::file_clock::to_sys(time));
}

}  // namespace stackx::inspector
