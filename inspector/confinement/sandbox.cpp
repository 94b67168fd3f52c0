#include "inspector/confinement/sandbox.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "inspector/confinement/sockets.hpp"
#include "inspector/process/passed_environment.hpp"
#include "inspector/process/process.hpp"

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

// Of programs and libraries, beside system_trees; many are links into /usr.
constexpr const char* system_roots[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

// What loaders, libc, Python, OpenMP, TLS and drivers read of a machine's configuration. No passwords, keys or hosts.
constexpr const char* configuration[] = {
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives",
    "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/hosts", "/etc/resolv.conf",
    "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/localtime", "/etc/timezone", "/etc/os-release",
    "/etc/debian_version", "/etc/redhat-release", "/etc/locale.alias", "/etc/mime.types", "/etc/magic",
    "/etc/terminfo", "/etc/fonts", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/ca-trust",
    "/etc/ca-certificates", "/etc/OpenCL", "/etc/vulkan", "/etc/glvnd", "/etc/nvidia", "/etc/nccl.conf",
    "/etc/libibverbs.d", "/etc/openmpi", "/etc/dat.conf"};

// Of the kernel's view of the machine: processors, memory, buses, drivers. Not firmware, keys, security, tracing.
constexpr const char* machine[] = {"/sys/devices", "/sys/bus",       "/sys/class",    "/sys/dev",
                                   "/sys/module",  "/sys/kernel/mm", "/sys/fs/cgroup"};

// /etc/python3, /etc/python3.11: Debian keeps sitecustomize.py there.
std::vector<fs::path> python_configuration() {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry("/etc", error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with("python")) result.push_back(entry->path());
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

bool is_root() { return geteuid() == 0; }

// "bubblewrap 0.8.0"; what `bwrap --version` prints.
std::string version_of(const fs::path& program, std::chrono::milliseconds patience) {
  Command command;
  command.argv = {program.string(), "--version"};
  command.deadline = patience;
  auto text = run(command).out;
  text.resize(std::min(text.find('\n'), text.size()));
  return text.empty() ? "bubblewrap" : text;
}

std::string up_to_newline(const std::string& text) { return text.substr(0, text.find('\n')); }

// The directories that lead there, for everybody: bubblewrap would make them for the one who mounts alone.
void add_ways(Words& words, const std::vector<fs::path>& paths) {
  std::set<fs::path> ways;
  for (const auto& path : paths)
    for (auto way = path.parent_path(); way.has_relative_path(); way = way.parent_path()) ways.insert(way);
  for (const auto& way : ways) append(words, {"--perms", "0755", "--dir", way});
}

// What of the machine is shown, and is there.
std::vector<fs::path> shown() {
  auto result = python_configuration();
  const auto add = [&](const char* path) {
    std::error_code error;
    if (fs::exists(path, error)) result.emplace_back(path);
  };
  for (const char* path : system_trees) add(path);
  for (const char* path : configuration) add(path);
  for (const char* path : machine) add(path);
  for (const char* root : system_roots)
    if (!fs::is_symlink(root)) add(root);
  return result;
}

void add_system(Words& words, const std::vector<fs::path>& paths) {
  append(words, {"--tmpfs", "/"});
  add_ways(words, paths);
  for (const auto& path : paths) append(words, {"--ro-bind", path, path});
  for (const char* root : system_roots) {
    std::error_code error;
    if (const auto target = fs::read_symlink(root, error); !error) append(words, {"--symlink", target.string(), root});
  }
  for (const char* directory : {"/run", "/var"}) append(words, {"--perms", "0755", "--dir", directory});
  append(words, {"--symlink", "../tmp", "/var/tmp"});
}

// For everybody: inside runs another user than the one who mounts.
void add_scratch(Words& words, const std::string& size, const char* place) {
  append(words, {"--perms", "1777", "--size", size, "--tmpfs", place});
}

Words scope(const fs::path& systemd_run, const Confinement& confinement) {
  return {systemd_run.string(), "--user", "--scope", "--quiet", "--collect",
          fmt::format("--property=MemoryMax={}", confinement.group_bytes()), "--property=MemorySwapMax=0",
          fmt::format("--property=TasksMax={}", confinement.tasks()), "--"};
}

// What is tried is small.
Confinement small() {
  Confinement confinement;
  confinement.memory_bytes = std::uint64_t{64} << 20;
  return confinement;
}

// The end of what went wrong when the supervisor was run with /bin/true; nothing if that went well.
std::string trouble(const Sandbox& sandbox, const fs::path& supervisor, std::chrono::milliseconds patience) {
  Command command;
  command.argv = sandbox.wrap(small());
  append(command.argv, {supervisor.string(), "--seconds", "10", "--memory", "1000000000", "--processes", "10",
                        "--tasks", "100", "--", "/bin/true"});
  command.environment = sandbox.environment();
  command.channel = true;
  command.deadline = patience;
  command.grace = std::min(command.grace, patience / 4);
  const auto finished = run(command);
  if (finished.ok()) return "";
  if (finished.end == End::deadline) return fmt::format("it did not end within {:g} s", static_cast<double>(patience.count()) / 1000);
  return finished.err.empty() ? "it ended without a word" : up_to_newline(finished.err);
}

// Whether what begins so has a control group that counts memory: of version 1, the user's manager says yes, and does not.
bool counts(Words argv, const Sandbox& sandbox, const fs::path& supervisor, std::chrono::milliseconds patience) {
  Command command;
  command.argv = std::move(argv);
  append(command.argv, {supervisor.string(), "--counted-to", std::to_string(small().group_bytes())});
  command.environment = sandbox.environment();
  command.channel = true;  // a guard wants one
  command.deadline = patience;
  command.grace = std::min(command.grace, patience / 4);
  return run(command).ok();
}

}  // namespace

Sandbox Sandbox::none(std::string why, const fs::path& supervisor) {
  Sandbox sandbox;
  sandbox.supervisor_ = supervisor;
  sandbox.description_ = "no sandbox: " + std::move(why);
  return sandbox;
}

Sandbox Sandbox::probe(const fs::path& supervisor, std::chrono::milliseconds patience) {
  Sandbox sandbox;
  sandbox.patience_ = patience;
  sandbox.program_ = find_program("bwrap");
  if (sandbox.program_.empty()) return none("bubblewrap not found", supervisor);
  sandbox.supervisor_ = supervisor;
  sandbox.devices_ = accelerator_devices();
  if (!is_root()) sandbox.systemd_run_ = find_program("systemd-run");
  auto why = trouble(sandbox, supervisor, patience);
  if (!why.empty() && !sandbox.systemd_run_.empty()) {  // no manager of this user's: not for want of bubblewrap
    sandbox.systemd_run_.clear();
    why = trouble(sandbox, supervisor, patience);
  }
  if (!why.empty()) return none(fmt::format("bubblewrap does not work here: {}", why), supervisor);
  sandbox.counted_ = !sandbox.systemd_run_.empty() && counts(scope(sandbox.systemd_run_, small()), sandbox, supervisor, patience);
  sandbox.description_ = version_of(sandbox.program_, patience);
  return sandbox;
}

Words Sandbox::guarded(const Confinement& confinement) const {
  return {supervisor_.string(), "--guard", std::to_string(is_root() ? confinement.group_bytes() : 0),
          std::to_string(confinement.tasks()), "--"};
}

// Without bubblewrap no other limit holds root's processes: nobody counts them for root, and who breeds them faster than
// they are found takes all that the machine has.
Words Sandbox::wrap(const Confinement& confinement) const {
  if (!available()) return is_root() && !supervisor_.empty() ? guarded(confinement) : Words();
  auto words = guarded(confinement);
  if (!systemd_run_.empty())
    for (auto& word : scope(systemd_run_, confinement)) words.push_back(std::move(word));
  words.push_back(program_.string());
  append(words, {"--unshare-pid", "--unshare-ipc", "--unshare-uts"});
  if (!confinement.network && !confinement.peers) append(words, {"--unshare-net"});
  append(words, {"--unshare-cgroup-try", "--die-with-parent", "--new-session", "--as-pid-1"});
  append(words, {"--cap-drop", "ALL"});
  if (is_root())
    for (const char* capability : supervisor_capabilities)
      append(words, {"--cap-add", std::string("CAP_") + capability});
  for (const auto& [name, value] : environment()) append(words, {"--unsetenv", name});
  auto shown_paths = shown();
  add_system(words, shown_paths);
  append(words, {"--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"});
  for (const auto& device : devices_) append(words, {"--dev-bind-try", device, device});
  if (confinement.peers) append(words, {"--dev-bind-try", "/dev/infiniband", "/dev/infiniband"});
  const auto size = std::to_string(confinement.memory_bytes / 4);
  add_scratch(words, size, "/tmp");
  add_scratch(words, size, "/dev/shm");
  add_ways(words, {supervisor_});
  add_ways(words, confinement.visible);
  add_ways(words, confinement.writable);
  append(words, {"--ro-bind", supervisor_, supervisor_});
  for (const auto& path : confinement.visible) append(words, {"--ro-bind", path, path});
  shown_paths.insert(shown_paths.end(), confinement.visible.begin(), confinement.visible.end());
  for (const auto& socket : sockets_in(shown_paths)) append(words, {"--ro-bind", "/dev/null", socket});
  for (const auto& path : confinement.writable) append(words, {"--bind", path, path});
  // /dev is a file system of its own, in memory that nobody counts.
  append(words, {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir",
                 confinement.directory.empty() ? "/tmp" : confinement.directory.string(), "--"});
  return words;
}

// systemd-run asks the user's manager over the session's bus.
std::map<std::string, std::string> Sandbox::environment() const {
  auto result = bare_environment();
  if (systemd_run_.empty()) return result;
  for (auto& [name, value] : current_environment())
    if (name == "XDG_RUNTIME_DIR" || name == "DBUS_SESSION_BUS_ADDRESS") result.emplace(name, value);
  return result;
}

Words Sandbox::orders() const {
  Words words;
  if (available() && !is_root()) words.emplace_back("--own-namespace");
  if (counted_) words.emplace_back("--counted");
  return words;
}

bool Sandbox::has_control_group() const {
  if (!is_root() || supervisor_.empty()) return counted_;
  return counts(guarded(small()), *this, supervisor_, patience_);
}

}  // namespace stackx::inspector
