// What lies under the cache directory: installed wheels, environment trees, images, uv's own cache, what the
// package index answered, and what builders that died left behind; those that runs without a sandbox have for
// themselves (exposure.hpp) among them.
//
// Sizes are those on the disk, see disk_usage.hpp; those of images are the engine's. Last use is the time of
// the entry's .lock file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "inspector/cache/disk_usage.hpp"
#include "inspector/confinement/engine.hpp"

namespace stackx::inspector {

struct CacheEntry {
  std::filesystem::path path;  // what goes when it is freed
  std::string key;
  std::filesystem::path lock;
  std::filesystem::file_time_type used{};
};

struct CachedWheel : CacheEntry {
  std::string package, version, file;
  std::string tag;  // of the Python whose bytecode lies beside: "cpython-311"; empty for native stacks
  DiskUsage usage;
};

struct CachedEnvironment : CacheEntry {
  std::vector<std::string> wheels;    // keys
  std::vector<std::string> packages;  // "numpy 1.26.4", the largest first; of wheels that are still there
  DiskUsage usage;
};

struct CachedImage : CacheEntry {
  std::string id, digest;
  std::string type, base;                        // "debootstrap", "bookworm"
  std::vector<std::string> asked;                // packages
  std::string program;                           // the interpreter; empty: none
  std::map<std::string, std::string> installed;  // Debian package -> version
  bool ours = true;                              // false: the engine had it before
  bool there = false;                            // the engine still has it
  std::uint64_t bytes = 0;                       // as the engine says, base included
  std::string parent;                            // key of the image it is built on; empty: none
};

// A file or directory of a builder that died, or an entry without its manifest. The lock is that of the
// entry, or empty where `pid` made it without one.
struct Leftover : CacheEntry {
  int pid = 0;
  DiskUsage usage;
};

struct Cache {
  std::filesystem::path root;
  std::vector<CachedEnvironment> environments;  // each list: last used first
  std::vector<CachedWheel> wheels;
  std::vector<CachedImage> images;
  std::vector<Leftover> leftovers;
  std::vector<std::filesystem::path> uv;  // caches of uv's
  std::filesystem::path index;            // empty: not there
  std::uint64_t uv_bytes = 0, index_bytes = 0, bytes = 0;  // together, every file once; without images
};

// `engine`: to ask for the images' sizes; nullptr: they count as not there. What is half-written or of
// another format counts as left over, unless a builder holds its lock.
Cache read_cache(const std::filesystem::path& root, const Engine* engine);

bool has_images(const std::filesystem::path& root);  // whether read_cache needs an engine

nlohmann::json to_json(const Cache& cache);

std::chrono::system_clock::time_point system_time(std::filesystem::file_time_type time);

}  // namespace stackx::inspector
