#include "inspector/run/sandbox.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "inspector/run/process.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& path, const fs::path& directory) {
  const auto [in_directory, in_path] =
      std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return in_directory == directory.end();
}

// A home can be anything ("/", "/usr/share/httpd"): what the system needs stays visible.
bool may_hide(const fs::path& directory) {
  for (const char* needed :
       {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt", "/proc", "/sys", "/dev"}) {
    if (lies_in(directory, needed) || lies_in(needed, directory)) return false;
  }
  return true;
}

std::vector<fs::path> private_directories() {
  std::vector<fs::path> wanted{"/home", "/root", "/run", "/var/tmp"};
  if (const char* home = std::getenv("HOME")) wanted.emplace_back(home);
  if (const passwd* user = getpwuid(getuid())) wanted.emplace_back(user->pw_dir);
  std::vector<fs::path> result;
  for (const auto& directory : wanted) {
    std::error_code error;
    const auto real = fs::canonical(directory, error);
    if (error || !fs::is_directory(real, error) || !may_hide(real)) continue;
    const bool covered = std::any_of(result.begin(), result.end(),
                                     [&](const fs::path& other) { return lies_in(real, other); });
    if (!covered) result.push_back(real);
  }
  return result;
}

std::vector<fs::path> accelerator_devices() {
  std::vector<fs::path> result;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev", error)) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("nvidia") || name == "hugepages") result.push_back(entry.path());
  }
  return result;
}

// "bubblewrap 0.8.0"; what `bwrap --version` prints.
std::string version_of(const fs::path& program) {
  Command command;
  command.argv = {program.string(), "--version"};
  auto text = run(command).out;
  text.resize(std::min(text.find('\n'), text.size()));
  return text.empty() ? "bubblewrap" : text;
}

std::string up_to_newline(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Sandbox Sandbox::none(std::string why) {
  Sandbox sandbox;
  sandbox.description_ = "no sandbox: " + std::move(why);
  return sandbox;
}

Sandbox Sandbox::probe(const fs::path& supervisor) {
  Sandbox sandbox;
  sandbox.program_ = find_program("bwrap");
  if (sandbox.program_.empty()) return none("bubblewrap not found");
  sandbox.supervisor_ = supervisor;
  sandbox.hidden_ = private_directories();
  sandbox.devices_ = accelerator_devices();
  Command command;
  Confinement confinement;
  confinement.memory_bytes = std::uint64_t{4} << 20;
  command.argv = sandbox.wrap(confinement);
  command.argv.push_back(supervisor.string());
  for (const char* word :
       {"--seconds", "10", "--memory", "1000000000", "--processes", "10", "--", "/bin/true"}) {
    command.argv.emplace_back(word);
  }
  command.channel = true;
  command.deadline = std::chrono::seconds(20);
  const auto finished = run(command);
  if (!finished.ok()) {
    const auto why = finished.err.empty() ? "it ended without a word" : up_to_newline(finished.err);
    return none(fmt::format("bubblewrap does not work here: {}", why));
  }
  sandbox.description_ = version_of(sandbox.program_);
  return sandbox;
}

std::vector<std::string> Sandbox::wrap(const Confinement& confinement) const {
  if (!available()) return {};
  std::vector<std::string> words{supervisor_.string(), "--guard", "--", program_.string()};
  const auto add = [&words](std::initializer_list<std::string> more) {
    words.insert(words.end(), more);
  };
  add({"--unshare-pid", "--unshare-ipc", "--unshare-uts"});
  if (!confinement.network) add({"--unshare-net"});
  add({"--unshare-cgroup-try", "--die-with-parent", "--new-session", "--as-pid-1"});
  add({"--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"});
  for (const auto& device : devices_) add({"--dev-bind-try", device, device});
  const auto size = std::to_string(confinement.memory_bytes / 4);
  add({"--size", size, "--tmpfs", "/tmp", "--size", size, "--tmpfs", "/dev/shm"});
  for (const auto& directory : hidden_) add({"--size", "1048576", "--tmpfs", directory});
  add({"--ro-bind", supervisor_, supervisor_});
  for (const auto& path : confinement.visible) add({"--ro-bind", path, path});
  for (const auto& path : confinement.writable) add({"--bind", path, path});
  add({"--chdir", "/tmp", "--"});
  return words;
}

}  // namespace stackx::inspector
