#include "inspector/python/uv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "inspector/machine/tree.hpp"
#include "inspector/process/passed_environment.hpp"
#include "specs/error.hpp"
#include "specs/format/draft.hpp"
#include "specs/format/masked.hpp"
#include "specs/format/printable.hpp"
#include "specs/python/pip_config.hpp"
#include "specs/python/build_index.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

// 100 kB/s must suffice.
std::chrono::milliseconds deadline_for(const WheelRequest& request) {
  return std::chrono::minutes(5) + std::chrono::milliseconds(request.size / 100);
}

std::string hash_after(const std::string& log, const std::string& label) {
  const auto at = log.find("sha256:", std::min(log.find(label), log.size()));
  return at == std::string::npos ? "" : log.substr(at + 7, 64);
}

// From the first "error:" on, lines joined.
std::string complaint(const std::string& log) {
  std::istringstream lines(log.substr(std::min(log.find("error:"), log.size())));
  std::string result;
  for (std::string line; std::getline(lines, line) && result.size() < 600;) {
    const auto text = trim(line);
    if (text.empty()) continue;
    result += (result.empty() ? "" : " ") + text;
  }
  return result;
}

// Where no index was reached: its address and the last cause, with what to do; else nothing.
std::string unreachable(const std::string& log) {
  constexpr std::string_view label = "Failed to fetch: ";
  const auto found = log.find(label);
  if (found == std::string::npos || log.find("client error (Connect)", found) == std::string::npos) return "";
  std::istringstream lines(log.substr(found + label.size()));
  std::string address, cause;
  std::getline(lines, address);
  std::erase(address, '`');  // of older uv
  for (std::string line; std::getline(lines, line);)
    if (const auto text = trim(line); !text.empty()) cause = text.substr(text.starts_with("cause: ") ? 7 : 0);
  return fmt::format("{} is not reached ({}); name a proxy or an index that is (HTTPS_PROXY, PIP_INDEX_URL), or compare what is "
                     "installed here: stackx catalog discover",
                     address, cause);
}

// "x86_64-manylinux_2_36" of "manylinux_2_36_x86_64"; nothing for others: uv then takes this machine's. The
// newest C library that uv 0.13 knows is 2.40; which wheels suit a newer one was decided before, by hash.
std::string uv_platform(const std::string& platform) {
  constexpr std::string_view prefix = "manylinux_2_";
  if (!platform.starts_with(prefix)) return "";
  const auto end = platform.find('_', prefix.size());
  if (end == std::string::npos) return "";
  constexpr unsigned long newest = 40;
  const auto glibc = std::strtoul(platform.c_str() + prefix.size(), nullptr, 10);
  return fmt::format("{}-{}{}", platform.substr(end + 1), prefix, std::min(glibc, newest));
}

bool is_script(const fs::path& program) {
  std::ifstream stream(program);
  return stream.get() == '#' && stream.get() == '!';
}

specs::Outcome outcome_of(const std::string& log) {
  const auto says = [&](const char* text) { return log.find(text) != std::string::npos; };
  if (says("Hash mismatch")) return specs::Outcome::hash_mismatch;
  if (says("No space left on device")) return specs::Outcome::disk_full;
  for (const char* text : {"no wheels with a matching", "no wheels with a", "has no usable wheels",
                           "no matching Python ABI", "not compatible with the current"})
    if (says(text)) return specs::Outcome::unsupported;
  return specs::Outcome::build_failed;
}

}  // namespace

Words find_uv(const fs::path& beside, const std::function<bool()>& stop, std::chrono::milliseconds patience) {
  if (const char* named = std::getenv("STACKX_UV"); named != nullptr && *named != '\0') {
    const auto program = find_program(named);
    if (program.empty()) throw broken_environment(fmt::format("STACKX_UV={}: no such program", named));
    return {program.string()};
  }
  auto program = find_program("uv");
  for (const char* place : {"uv", ".venv/bin/uv", "../.venv/bin/uv"})
    if (program.empty() && !beside.empty()) program = find_program((beside / place).string());
  if (!program.empty()) return {program.string()};
  Command asked;
  asked.argv = {"python3", "-m", "uv", "--version"};
  asked.environment = installer_environment();
  asked.stop = stop;
  asked.deadline = patience;
  return run(asked).ok() ? Words{"python3", "-m", "uv"} : Words{};
}

Environment uv_from_pip(const std::string& pip_config, const Environment& environment) {
  const specs::PipConfig pip(pip_config, environment);
  Environment result;
  const auto set = [&](const char* key, const std::string& value,
                       std::initializer_list<const char*> already) {
    const bool told = std::any_of(already.begin(), already.end(),
                                  [&](const char* name) { return environment.contains(name); });
    if (!told && !value.empty()) result[key] = value;
  };
  set("UV_DEFAULT_INDEX", pip.text("index-url"), {"UV_DEFAULT_INDEX", "UV_INDEX_URL"});
  set("UV_INDEX", fmt::format("{}", fmt::join(pip.list("extra-index-url"), " ")), {"UV_INDEX", "UV_EXTRA_INDEX_URL"});
  set("UV_FIND_LINKS", fmt::format("{}", fmt::join(pip.list("find-links"), ",")), {"UV_FIND_LINKS"});
  set("SSL_CERT_FILE", pip.text("cert"), {"SSL_CERT_FILE"});
  if (pip.flag("no-index"))
    set("UV_NO_INDEX", "1", {"UV_NO_INDEX", "UV_INDEX", "UV_DEFAULT_INDEX"});
  return result;
}

std::string explain(const WheelRequest& request, const std::string& log, bool offline) {
  const auto what = request.package + (request.version.empty() ? "" : " " + request.version);
  if (log.find("Hash mismatch") != std::string::npos) {
    return fmt::format(
        "{}: hash mismatch: the catalog wants sha256 {}, what was fetched has {}; the file was "
        "changed, "
        "or the catalog names another one",
        what, request.sha256, hash_after(log, "Computed"));
  }
  if (offline) {
    return fmt::format(
        "{}: {} is not in the cache, and offline nothing is fetched; run once with network", what,
        request.file.empty() ? "its wheel" : request.file);
  }
  if (const auto why = unreachable(log); !why.empty()) return fmt::format("{}: {}", what, why);
  const auto words = complaint(log);
  return fmt::format("{}: uv could not install it: {}", what,
                     words.empty() ? "no reason given" : words);
}

void Uv::set_up() {
  if (ready_) return;
  ready_ = true;
  environment_ = installer_environment();
  program_ = find_uv(options_.beside, options_.stop);
  Command pip;
  pip.environment = environment_;
  pip.stop = options_.stop;
  pip.argv = {"python3", "-m", "pip", "config", "list"};
  environment_.merge(uv_from_pip(specs::pip_reads_files(environment_) ? run(pip).out : "", environment_));
  environment_["UV_PYTHON_DOWNLOADS"] =
      "never";  // the wheels need no Python; any that is here will do
  environment_["UV_NO_PROGRESS"] = "1";
  environment_["NO_COLOR"] = "1";
  environment_["RUST_LOG"] = "warn";  // what it leaves out of a wheel, it says in its log only
  if (options_.alone) environment_.erase("UV_CACHE_DIR");
  if (!options_.cache.empty()) environment_.emplace("UV_CACHE_DIR", options_.cache.string());
  // The hash decides, not the index that answers first.
  environment_.emplace("UV_INDEX_STRATEGY", "unsafe-best-match");
  if (!environment_.contains("UV_PYTHON")) name_python();
}

// The Python that uv takes, by the file that it is: of one that is a script (pyenv's and asdf's are) uv keeps nothing and
// asks it for every wheel, 0.27 s instead of 0.03.
void Uv::name_python() {
  if (program_.empty() || !(is_script(find_program("python")) || is_script(find_program("python3")))) return;
  Command asked;
  asked.argv = program_;
  append(asked.argv, {"python", "find", "--no-project"});
  asked.environment = environment_;
  asked.stop = options_.stop;
  asked.deadline = std::chrono::seconds(60);
  const auto found = run(asked);
  if (const auto file = trim(found.out); found.ok() && !file.empty()) environment_["UV_PYTHON"] = file;
}

// Where the disk is full, an empty file would install nothing, and that well.
void write_requirements(const fs::path& file, const std::vector<std::string>& lines) {
  for (const auto& line : lines)  // what is behind the end of a line could be an option
    if (!specs::is_printable(line))
      throw bad_input(fmt::format("\"{}\" is no requirement: it holds control characters", specs::printable(line)));
  std::ofstream stream(file);
  for (const auto& line : lines) stream << line << '\n';
  stream.close();
  if (!stream)
    throw fs::filesystem_error("cannot be written", file,
                               std::error_code(errno, std::generic_category()));
}

void write_requirements(const fs::path& file, const WheelRequest& request) {
  write_requirements(file, std::vector{request.package + "==" + request.version + " --hash=sha256:" + request.sha256});
}

std::expected<void, BuildFailure> Uv::install(const WheelRequest& request, const fs::path& target,
                                              const UvTarget& python) {
  // A file, not an argument: only there does uv take hashes. Beside the target, which must hold the
  // wheel only.
  const auto requirements = fs::path(target).concat(".txt");
  write_requirements(requirements, request);
  std::vector<std::string> words{"--no-deps", "--require-hashes", "--only-binary", ":all:", "--target",
                                 target.string(), "--requirements", requirements.string()};
  add_index(words, request.package, request.version);
  auto result = run_install(request, std::move(words), python);
  std::error_code ignored;
  fs::remove(requirements, ignored);
  return result;
}

std::expected<void, BuildFailure> Uv::unpack(const WheelRequest& asked, const fs::path& wheel, const fs::path& target,
                                             const UvTarget& python) {
  auto request = asked;
  request.file = wheel.filename().string();
  const auto size = fs::file_size(wheel);
  request.size = asked.size == 0 ? size : std::min(asked.size, size);  // a build decides how large its wheel is
  // A cache of its own, not --no-cache: that one lies in /tmp, and stays there when uv is stopped.
  const specs::Draft cache(fs::path(target).concat(".uv"), specs::Draft::Kind::directory);
  return run_install(request,
                     {"--no-deps", "--no-index", "--cache-dir", cache.path().string(), "--target", target.string(), wheel.string()},
                     python);
}

std::expected<void, BuildFailure> Uv::resolve(const std::string& label, const std::vector<std::string>& requirements,
                                              const fs::path& target, const UvTarget& python) {
  const auto file = fs::path(target).concat(".txt");
  write_requirements(file, requirements);
  auto result = run_install({label, "", "", "", 0},
                            {"--only-binary", ":all:", "--target", target.string(), "--requirements", file.string()},
                            python);
  std::error_code ignored;
  fs::remove(file, ignored);
  return result;
}

// Where that build is, unless the user says himself where to look beside the default index.
void Uv::add_index(std::vector<std::string>& words, const std::string& package, const std::string& version) {
  const auto index = specs::build_index(package, version);
  if (!index) return;
  set_up();
  const auto told = [this](const char* name) { return environment_.contains(name); };
  if (told("UV_INDEX") || told("UV_EXTRA_INDEX_URL") || told("UV_FIND_LINKS") || told("UV_NO_INDEX")) return;
  append(words, {"--index", index->url});
}

std::expected<void, BuildFailure> Uv::choose(const std::string& label, const Completion& wanted, const fs::path& pylock,
                                             const UvTarget& python) {
  const auto requirements = fs::path(pylock).concat(".in"), constraints = fs::path(pylock).concat(".constraints");
  auto pins = wanted.constraints;
  std::vector<std::string> words{"--format", "pylock.toml", "--no-header", "--no-annotate", "--only-binary", ":all:",
                                 requirements.string(), "--constraints", constraints.string(), "--output-file", pylock.string()};
  for (const auto& [package, version] : wanted.present) {
    pins.push_back(package + "==" + version);
    append(words, {"--no-emit-package", package});
  }
  for (const auto& text : wanted.requirements)
    if (const auto pin = text.find("=="); pin != text.npos) add_index(words, text.substr(0, pin), text.substr(pin + 2));
  write_requirements(requirements, wanted.requirements);
  write_requirements(constraints, pins);
  auto result = run_pip("compile", {label, "", "", "", 0}, std::move(words), python);
  if (!result && unreachable(result.error().log_tail).empty())
    if (const auto why = complaint(result.error().log_tail); !why.empty())
      result.error().reason = fmt::format("what {} requires beside the stack cannot be chosen: {}", label, why);
  std::error_code ignored;
  fs::remove(requirements, ignored);
  fs::remove(constraints, ignored);
  return result;
}

std::expected<void, BuildFailure> Uv::run_pip(const char* verb, const WheelRequest& request, std::vector<std::string> words,
                                              const UvTarget& python) {
  set_up();
  if (program_.empty()) {
    return std::unexpected(BuildFailure{
        "uv not found: install it (python3 -m pip install uv) or name it in STACKX_UV", ""});
  }
  Command command;
  command.argv = program_;
  append(command.argv, {"pip", verb});
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  if (!python.python.empty())
    append(command.argv, {"--python-version", python.python});
  if (const auto platform = uv_platform(python.platform); !platform.empty())
    append(command.argv, {"--python-platform", platform});
  if (options_.offline) command.argv.emplace_back("--offline");
  command.environment = environment_;
  command.deadline = deadline_for(request);
  command.stop = options_.stop;
  command.most_written = request.size + 2 * most_unpacked(request.size);  // unpacked, and copied if not linked
  const auto finished = run(command);
  const auto log = specs::without_passwords(finished.err);
  if (finished.end == End::stopped) return std::unexpected(BuildFailure{"interrupted", ""});
  if (finished.end == End::deadline) {
    return std::unexpected(
        BuildFailure{fmt::format("{} {}: uv did not finish in {} s", request.package,
                                 request.version, command.deadline.count() / 1000),
                     tail(log), specs::Outcome::build_timed_out});
  }
  if (finished.end == End::wrote_too_much) {
    clean({"prune"});  // what it had begun, which would lie there for ever
    return std::unexpected(unpacks_to_too_much(request));
  }
  if (!finished.ok())
    return std::unexpected(
        BuildFailure{explain(request, log, options_.offline), tail(log), outcome_of(log)});
  constexpr std::string_view unsafe = "Skipping unsafe file name: ";
  const auto found = log.find(unsafe);
  if (found == std::string::npos) return {};
  const auto from = found + unsafe.size();
  const auto name = log.substr(from, log.find('\n', from) - from);
  clean({"clean", request.package});
  return std::unexpected(BuildFailure{
      fmt::format("{} {}: the wheel holds a file that would land outside of its environment: {}; do "
                  "not use it",
                  request.package, request.version, name),
      tail(log)});
}

// `uv cache ARGUMENTS`: waits for other uvs that use it.
void Uv::clean(std::initializer_list<std::string> arguments) {
  Command command;
  command.argv = program_;
  append(command.argv, {"cache"});
  append(command.argv, arguments);
  command.environment = environment_;
  run(command);
}

}  // namespace stackx::inspector
