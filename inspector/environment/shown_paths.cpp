#include "inspector/environment/shown_paths.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "inspector/confinement/sandbox.hpp"
#include "inspector/environment/library_search.hpp"
#include "inspector/paths.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

constexpr const char* machines_own[] = {"/proc", "/sys", "/dev", "/run", "/boot", "/etc", "/var/lib", "/var/log",
                                        "/var/mail", "/var/run", "/var/spool"};
constexpr const char* everybodys[] = {"/tmp", "/var/tmp", "/home", "/root"};
// Where tools install Pythons and libraries in hidden directories of a home. Not the directories above: beside these lie
// tokens (~/.conda, ~/.rye, ~/.cache/huggingface, ~/.local/share/uv/credentials) and key rings (~/.local/share).
constexpr const char* installations[] = {
    ".asdf/installs", ".cache/pypoetry/virtualenvs", ".cache/uv/archive-v0", ".cache/uv/builds-v0",
    ".cache/uv/environments-v2", ".conda/envs", ".conda/pkgs", ".linuxbrew", ".local/lib", ".local/lib64", ".local/opt",
    ".local/pipx/venvs", ".local/share/hatch/env", ".local/share/hatch/pythons", ".local/share/mamba/envs",
    ".local/share/mamba/pkgs", ".local/share/mise/installs", ".local/share/pdm/venvs", ".local/share/pipx/venvs",
    ".local/share/rtx/installs", ".local/share/uv/python", ".local/share/uv/tools", ".local/share/virtualenvs",
    ".mamba/envs", ".mamba/pkgs", ".nix-profile", ".pixi/envs", ".pyenv/versions", ".rye/py", ".spack/bootstrap/store",
    ".venv", ".venvs", ".virtualenvs"};

bool is_in(const fs::path& path, const fs::path& tree) {
  return std::mismatch(tree.begin(), tree.end(), path.begin(), path.end()).first == tree.end();
}

std::vector<fs::path> homes() {
  std::vector<fs::path> result{"/root"};
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') result.emplace_back(home);
  if (const passwd* user = getpwuid(getuid())) result.emplace_back(user->pw_dir);
  std::error_code error;
  for (fs::directory_iterator entry("/home", error), end; !error && entry != end; entry.increment(error))
    result.push_back(entry->path());
  for (auto& home : result)
    if (const auto real = fs::canonical(home, error); !error) home = real;
  std::erase(result, "/");
  return result;
}

// ".ssh" of /home/a/.ssh/id; "" for what is not hidden, or where tools install.
std::string hidden_part(const fs::path& path, const fs::path& home) {
  if (path == home || !is_in(path, home)) return "";
  const auto first = path.lexically_relative(home).begin()->string();
  const auto holds_it = [&](const char* place) { return is_in(path, home / place); };
  return first.starts_with('.') && std::ranges::none_of(installations, holds_it) ? first : "";
}

}  // namespace

std::optional<std::string> why_not_shown(const fs::path& path) {
  const auto no = [&](const std::string& why) { return std::optional(path.string() + " " + why); };
  if (!path.is_absolute() || path == path.root_path()) return no("is no path below the root");
  for (const char* tree : machines_own)
    if (is_in(path, tree)) return no(fmt::format("lies in {}, which belongs to the machine", tree));
  for (const char* tree : everybodys)
    if (is_in(tree, path)) return no("holds what users keep");
  const char* settings = std::getenv("XDG_CONFIG_HOME");
  for (const auto& own : {data_directory(), fs::path(settings != nullptr ? settings : "")})
    if (!own.empty() && (is_in(path, own) || is_in(own, path)))
      return no(fmt::format("{} {}, where stackx or others keep their own", is_in(path, own) ? "lies in" : "holds",
                            own.string()));
  for (const auto& home : homes()) {
    if (is_in(home, path)) return no(fmt::format("holds a home ({})", home.string()));
    const auto hidden = hidden_part(path, home);
    if (!hidden.empty())
      return no(fmt::format("lies in {}, a hidden directory of a home, and not where tools install in there",
                            (home / hidden).string()));
  }
  return std::nullopt;
}

std::optional<std::string> why_not_read(const fs::path& file) {
  constexpr std::uintmax_t most = std::uintmax_t{4} << 30;  // the largest libraries, of GPUs, hold one or two
  std::error_code error;
  const auto type = fs::status(file, error).type();
  if (type == fs::file_type::directory) return "is a directory; expected a file";
  if (type != fs::file_type::regular) return "is no regular file";
  if (const auto bytes = fs::file_size(file, error); error || bytes > most) return "holds more than 4 GiB";
  return std::nullopt;
}

std::vector<fs::path> installations_of(const fs::path& program) {
  std::vector<fs::path> result;
  auto name = program;
  for (int links = 0; links < 40; ++links) {
    const auto directory = name.parent_path();
    const auto place = directory.filename() == "bin" ? directory.parent_path() : name;
    if (!is_in(place, "/usr") && std::ranges::find(result, place) == result.end()) result.push_back(place);
    std::error_code error;
    const auto target = fs::read_symlink(name, error);
    if (error) break;
    name = (directory / target).lexically_normal();
  }
  return result;
}

bool belongs_to(const fs::path& program, const fs::path& path) {
  std::error_code error;
  const auto real = [&error](const fs::path& name) {
    const auto found = fs::canonical(name, error);
    return error ? name : found;
  };
  auto places = installations_of(program);
  places.insert(places.end(), std::begin(system_trees), std::end(system_trees));
  return std::ranges::any_of(places, [&, it = real(path)](const fs::path& place) { return is_in(it, real(place)); });
}

std::vector<fs::path> linked_with(const fs::path& file) {
  std::vector<fs::path> result;
  const auto is_shown = [](const fs::path& path) { return !why_not_shown(path.lexically_normal()); };
  for (const auto& name : needed_libraries(file, is_shown)) {
    std::error_code error;
    const auto real = fs::canonical(name, error);
    if (error || is_in(real, "/usr")) continue;
    if (name != real && is_shown(name)) result.push_back(name);  // which a file chose that nobody believes
    result.push_back(real);
  }
  return result;
}

}  // namespace stackx::inspector
