// Installs one wheel with uv, hash-checked. Only the wheel that the catalog names by its SHA-256
// can be the result.
//
// uv is $STACKX_UV, else `uv` on PATH, else beside stackx (.venv/bin/uv), else `python3 -m uv`.
// Where uv is not told where to look for packages (UV_*), it is told what pip is (pip config,
// PIP_*), which uv does not read by itself. Its own cache is kept beside ours, so that files can be linked.
//
// uv leaves out entries of a wheel that would land outside of the target, and says so in its log only: such
// a wheel is refused here, and forgotten by uv's cache, which would be silent the next time. How much a wheel
// unpacks to it does not ask: while it writes, what it wrote is counted (most_unpacked). Rejected: the sizes in
// the wheel's directory, which are the wheel's own word.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "inspector/process/process.hpp"
#include "inspector/python/completion.hpp"
#include "inspector/python/wheels.hpp"

namespace stackx::inspector {

struct UvOptions {
  std::filesystem::path beside;  // where stackx stands; empty: do not look there
  std::filesystem::path cache;   // for UV_CACHE_DIR, unless that is set; empty: uv's own
  bool offline = false;
  std::function<bool()> stop;
  bool alone = false;  // `cache` whatever is set: what is linked to it may be written to (exposure.hpp)
};

// The words that start it; none: not found. Throws Error(environment) if $STACKX_UV names no program. A Python that is
// asked for it has `patience`.
Words find_uv(const std::filesystem::path& beside, const std::function<bool()>& stop = {},
              std::chrono::milliseconds patience = std::chrono::seconds(60));

// For which Python a wheel is unpacked; uv refuses those that do not suit it.
struct UvTarget {
  std::string python;    // "2.7", "3.11"; empty: any that uv finds
  std::string platform;  // "manylinux_2_36_x86_64"
};

class Uv {
 public:
  explicit Uv(UvOptions options) : options_(std::move(options)) {}
  std::expected<void, BuildFailure> install(const WheelRequest& request,
                                            const std::filesystem::path& target,
                                            const UvTarget& python = {});
  // A wheel that lies there, where nobody else can write: the one that is asked for, or built from that.
  std::expected<void, BuildFailure> unpack(const WheelRequest& asked, const std::filesystem::path& wheel,
                                           const std::filesystem::path& target,
                                           const UvTarget& python);
  // Wheels of these requirements (PEP 508) and of what they require, as the index has them; nothing is built.
  std::expected<void, BuildFailure> resolve(const std::string& label, const std::vector<std::string>& requirements,
                                            const std::filesystem::path& target, const UvTarget& python);
  // What these requirements and theirs come to beside what is `present`, as a pylock.toml: the versions of that hold, and
  // none of it is listed. Nothing is fetched but metadata.
  std::expected<void, BuildFailure> choose(const std::string& label, const Completion& wanted,
                                           const std::filesystem::path& pylock, const UvTarget& python);

 private:
  void set_up();  // finds uv, the index and a Python once, when first needed
  void name_python();
  std::expected<void, BuildFailure> run_install(const WheelRequest& request,
                                                std::vector<std::string> words,
                                                const UvTarget& python) {
    return run_pip("install", request, std::move(words), python);
  }
  std::expected<void, BuildFailure> run_pip(const char* verb, const WheelRequest& request, std::vector<std::string> words,
                                            const UvTarget& python);
  void add_index(std::vector<std::string>& words, const std::string& package, const std::string& version);
  void clean(std::initializer_list<std::string> arguments);

  UvOptions options_;
  bool ready_ = false;
  std::vector<std::string> program_;  // empty: not found
  Environment environment_;
};

// UV_* that say what `pip config list` says (its output), for those that `environment` lacks.
Environment uv_from_pip(const std::string& pip_config, const Environment& environment);

// What uv reads, a line each; of one wheel `name==version --hash=sha256:...`. Throw filesystem_error if it cannot be
// written, and Error(bad_input) if a line is none.
void write_requirements(const std::filesystem::path& file, const std::vector<std::string>& lines);
void write_requirements(const std::filesystem::path& file, const WheelRequest& request);

// uv's complaint in one sentence: hash mismatches with both hashes, an index that is not reached with what to do.
std::string explain(const WheelRequest& request, const std::string& log, bool offline);

}  // namespace stackx::inspector
