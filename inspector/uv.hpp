// Installs one wheel with uv, hash-checked. Only the wheel that the catalog names by its SHA-256
// can be the result.
//
// uv is $STACKX_UV, else `uv` on PATH, else beside stackx (.venv/bin/uv), else `python3 -m uv`.
// Where uv is not told where to look for packages (UV_*), it is told what pip is (pip config,
// PIP_*), which uv does not read by itself.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "inspector/process.hpp"
#include "inspector/wheels.hpp"

namespace stackx::inspector {

struct UvOptions {
  std::filesystem::path beside;  // where stackx stands; empty: do not look there
  bool offline = false;
  std::function<bool()> stop;
};

class Uv {
 public:
  explicit Uv(UvOptions options) : options_(std::move(options)) {}
  std::expected<void, BuildFailure> install(const WheelRequest& request,
                                            const std::filesystem::path& target);

 private:
  void set_up();  // finds uv and the index once, when first needed

  UvOptions options_;
  bool ready_ = false;
  std::vector<std::string> program_;  // empty: not found
  Environment environment_;
};

// UV_* that say what `pip config list` says (its output), for those that `environment` lacks.
Environment uv_from_pip(const std::string& pip_config, const Environment& environment);

// uv's complaint in one sentence: hash mismatches with both hashes.
std::string explain(const WheelRequest& request, const std::string& log, bool offline);

}  // namespace stackx::inspector
