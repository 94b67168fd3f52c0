#include "inspector/confinement/container.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>

#include "inspector/confinement/sockets.hpp"
#include "inspector/process/passed_environment.hpp"
#include "specs/error.hpp"

namespace stackx::inspector {
namespace {

constexpr const char* name_option = "--name";

// Unique on this machine while this process lives.
std::string container_name() {
  static std::atomic<unsigned> count = 0;
  return fmt::format("stackx-{}-{}", getpid(), ++count);
}

// A place that nobody can guess, nor find by listing its directory.
std::filesystem::path relay_socket() {
  std::random_device random("/dev/urandom");
  const auto number = [&random] { return std::uint64_t{random()} << 32 | random(); };
  const auto directory = std::filesystem::absolute(std::filesystem::temp_directory_path()) /
                         fmt::format("stackx-relay-{}-{:016x}", getpid(), number());
  return directory / fmt::format("{:016x}", number());
}

// Whoever an image names (USER) decides nothing: who is not root inside is given capabilities as ambient ones, which
// the PI would keep, or is nobody to whom a user's engine gives his files. Root inside is root, or the user whose
// engine it is. Of a daemon of root's, files would be root's: the user by his number, as without capabilities root
// reads nobody's private files.
std::string user_of(const Engine& engine) {
  const bool by_number = engine.kind != "podman" && getuid() != 0 && !engine.rootless;
  return by_number ? fmt::format("{}:{}", getuid(), getgid()) : "0:0";
}

std::string csv_field(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string cover(const std::filesystem::path& path) {
  return fmt::format("type=bind,source=/dev/null,{},readonly", csv_field("target=" + path.string()));
}

void add_limits(Words& words, const Confinement& confinement, const Engine& engine) {
  words.insert(words.end(), engine.limits.begin(), engine.limits.end());
  const auto memory = std::to_string(confinement.group_bytes());
  if (engine.memory) append(words, {"--memory", memory, "--memory-swap", memory});
  if (engine.pids) append(words, {"--pids-limit", std::to_string(confinement.tasks())});
  if (engine.cpuset && !confinement.cpus.empty())
    append(words, {"--cpuset-cpus", fmt::format("{}", fmt::join(confinement.cpus, ","))});
}

}  // namespace

std::string bind_mount(const std::filesystem::path& path, bool writable) {
  const auto name = path.string();
  return fmt::format("type=bind,{},{}{}", csv_field("source=" + name), csv_field("target=" + name),
                     writable ? "" : ",readonly");
}

Words Container::wrap(const Confinement& confinement) const {
  const bool podman = engine_.kind == "podman";
  const auto socket = podman ? std::filesystem::path() : relay_socket();
  Words words;
  if (!podman) words = {supervisor_.string(), "--relay", socket.string(), "--"};
  const auto run = engine_.command("run");
  words.insert(words.end(), run.begin(), run.end());
  append(words, {"--rm", "--pull=never", name_option, container_name(), "--label", "stackx=run"});
  append(words, {"--log-driver", "none", "--hostname", "stackx", "--workdir",
                 confinement.directory.empty() ? "/tmp" : confinement.directory.string()});
  const bool has_network = confinement.network || confinement.peers;
  append(words, {"--network", has_network ? "host" : "none"});
  append(words, {"--cap-drop", "all", "--security-opt", "no-new-privileges", "--read-only"});
  append(words, {"--user", user_of(engine_), "--no-healthcheck"});  // it would run beside the PI, as the supervisor
  // The supervisor's alone: it takes another user for the PI.
  if (getuid() == 0)
    for (const char* capability : supervisor_capabilities) append(words, {"--cap-add", capability});
  if (podman) {
    append(words, {"--preserve-fds", "1", "--read-only-tmpfs=false", "--security-opt", "label=disable"});
    words.emplace_back("--http-proxy=false");  // whose address may hold a password
    words.emplace_back("--image-volume=ignore");  // on the machine's disk, without a limit; see Images for docker
    if (!has_network) words.emplace_back("--no-hosts");
  } else {
    append(words, {"--mount", bind_mount(socket.parent_path(), false)});  // enough to connect
  }
  const auto scratch = std::to_string(confinement.memory_bytes / 4);
  append(words, {"--tmpfs", "/tmp:rw,exec,mode=1777,size=" + scratch, "--shm-size", scratch + "b"});
  add_limits(words, confinement, engine_);
  for (const auto& gpu : confinement.gpus) append(words, {"--device", gpu});
  if (std::error_code none; confinement.peers && std::filesystem::exists("/dev/infiniband", none))
    append(words, {"--device", "/dev/infiniband"});
  append(words, {"--mount", bind_mount(supervisor_, false)});
  // Engines refuse a place that is named twice, as an artifact's file that is its library is.
  const std::set<std::filesystem::path> visible(confinement.visible.begin(), confinement.visible.end());
  for (const auto& path : visible) append(words, {"--mount", bind_mount(path, false)});
  for (const auto& socket : sockets_in(confinement.visible)) append(words, {"--mount", cover(socket)});
  for (const auto& path : confinement.writable) append(words, {"--mount", bind_mount(path, true)});
  append(words, {"--entrypoint", "", confinement.image});
  if (!podman) append(words, {supervisor_.string(), "--channel", socket.string(), "--"});
  return words;
}

Environment Container::environment() const { return engine_environment(); }

Words Container::orders() const { return engine_.memory && engine_.pids ? Words{"--counted"} : Words{}; }

// The client was killed; the container goes on under its monitor.
void Container::clean_up(const Words& words) const {
  const auto name = std::find(words.begin(), words.end(), name_option);
  if (name == words.end() || name + 1 == words.end()) return;
  Command command;
  command.argv = engine_.command("rm");
  append(command.argv, {"--force", *(name + 1)});
  command.environment = environment();
  command.deadline = housekeeping_;
  run(command);
  const auto relay = std::find(words.begin(), words.end(), "--relay");
  if (relay == words.end() || relay + 1 == words.end()) return;
  std::error_code ignored;  // the relay, killed with the client, left it
  std::filesystem::remove_all(std::filesystem::path(*(relay + 1)).parent_path(), ignored);
}

}  // namespace stackx::inspector
