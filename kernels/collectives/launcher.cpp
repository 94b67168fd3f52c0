#include "kernels/collectives/launcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "kernels/collectives/environment.hpp"
#include "kernels/collectives/network.hpp"
#include "kernels/collectives/remote_shell.hpp"
#include "kernels/shared_object.hpp"

namespace stackx::kernels::collectives {
namespace fs = std::filesystem;
namespace {

constexpr const char* kOurs = "STACKX_PI_RANKS";

std::vector<std::string> launcher_names(const std::string& kind) {
  if (kind == "openmpi") return {"mpirun.openmpi", "orterun", "prterun", "mpirun"};
  if (kind == "mpich") return {"mpiexec.mpich", "mpiexec.hydra", "mpiexec"};
  return {"mpiexec.hydra", "mpiexec"};
}

// /usr/lib/x86_64-linux-gnu/libmpi.so.40 -> that directory, /usr/lib/bin, /usr/bin, and the PATH.
std::vector<fs::path> places(const std::string& library) {
  const fs::path directory = fs::path(library).parent_path();
  std::vector<fs::path> result{directory, directory.parent_path() / "bin",
                               directory.parent_path().parent_path() / "bin"};
  const std::string path = text_in("PATH");
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t to = std::min(path.find(':', from), path.size());
    if (to > from) result.emplace_back(path.substr(from, to - from));
    from = to + 1;
  }
  return result;
}

// Does not replace what is set.
void set_default(const char* name, const std::string& value) { setenv(name, value.c_str(), 0); }

// Root, and a sandbox that has no System V shared memory, without which MPICH's UCX ends: it has POSIX's.
void allow_sandbox() {
  set_default("UCX_TLS", "^sysv");
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"})
    set_default(name, "1");
}

// One machine, no name service, no remote shell.
void stay_here(const std::string& kind) {
  if (kind == "openmpi") {
    set_default("OMPI_MCA_plm", "isolated");
    set_default("OMPI_MCA_oob_tcp_if_include", "lo");
    set_default("OMPI_MCA_btl_tcp_if_include", "lo");
    set_default("OMPI_MCA_rmaps_base_oversubscribe", "1");
    set_default("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
  } else {
    set_default("HYDRA_LAUNCHER", "fork");
    set_default("HYDRA_IFACE", "lo");
  }
}

// Open MPI's own programs stay in the foreground, or their parent would take them for ended; they look
// on every node for what the shell's first word names.
void go_by(const RemoteShell& shell, const std::string& kind) {
  if (kind != "openmpi") {
    set_default("HYDRA_LAUNCHER", "rsh");
    set_default("HYDRA_LAUNCHER_EXEC", shell.program());
    return;
  }
  set_default("OMPI_MCA_plm", "rsh");
  set_default("PRTE_MCA_plm", "ssh");
  for (const char* name : {"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent"})
    set_default(name, "/bin/sh " + shell.program());
  for (const char* name : {"OMPI_MCA_plm_rsh_no_tree_spawn", "OMPI_MCA_orte_leave_session_attached",
                           "PRTE_MCA_plm_ssh_no_tree_spawn", "PRTE_MCA_prte_leave_session_attached"})
    set_default(name, "1");
  const auto network = network_of(shell.hosts().front());
  for (const char* name : {"OMPI_MCA_oob_tcp_if_include", "OMPI_MCA_btl_tcp_if_include",
                           "PRTE_MCA_prte_if_include", "PMIX_MCA_ptl_tcp_if_include"})
    if (network) set_default(name, *network);
}

std::vector<std::string> options_of(const RemoteShell& shell, const std::string& kind) {
  if (kind == "openmpi") return {"--host", fmt::format("{}:1", fmt::join(shell.hosts(), ":1,"))};
  return {"-localhost", shell.hosts().front(), "-hosts", fmt::format("{}", fmt::join(shell.hosts(), ","))};
}

[[noreturn]] void become(const std::vector<std::string>& words, int out, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // mpirun ends its ranks then
  if (getppid() != parent) _exit(1);
  dup2(out, STDOUT_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

bool has_document(const std::string& text) {
  const std::size_t at = text.starts_with('{') ? 0 : text.find("\n{");
  return at != text.npos && text.find('\n', at + 1) != text.npos;
}

// A launcher from its start to its end; `shell` is served meanwhile.
class Launcher {
 public:
  Launcher(pid_t pid, int out, RemoteShell* shell) : pid_(pid), out_(out), shell_(shell) {}
  ~Launcher() { close(out_); }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Until its end; false: it had not come kLeave after the document.
  bool listen() {
    std::optional<Steady::time_point> late;
    while (!ended()) {
      if (!late && has_document(text_)) late = Steady::now() + kLeave;
      if (late && Steady::now() >= *late) return false;
      hear(kLookMs);
    }
    hear_all();
    return true;
  }

  // By SIGTERM, at which it ends its ranks.
  void stop() {
    for (const int number : {SIGTERM, SIGKILL}) {
      kill(pid_, number);
      for (const auto late = Steady::now() + kLeave; Steady::now() < late && !ended();) hear(kLookMs);
    }
    hear_all();
  }

  const std::string& text() const { return text_; }
  int status() const { return status_; }

 private:
  using Steady = std::chrono::steady_clock;
  static constexpr int kLookMs = 50;

  bool ended() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
  }

  // What has come within that time. The shell's calls may outlive the launcher: they wait for what the others say.
  void hear(int milliseconds) {
    if (shell_ != nullptr) shell_->serve();
    pollfd asked{closed_ ? -1 : out_, POLLIN, 0};
    if (poll(&asked, 1, milliseconds) <= 0) return;
    std::array<char, 65536> buffer;
    const ssize_t got = read(out_, buffer.data(), buffer.size());
    if (got > 0) text_.append(buffer.data(), static_cast<std::size_t>(got));
    closed_ = got == 0 || (got < 0 && errno != EINTR);
  }

  // Until all that the launcher has started have closed it, which some do a moment after the launcher's own end.
  void hear_all() {
    for (const auto late = Steady::now() + kLeave; !closed_ && Steady::now() < late;) hear(kLookMs);
  }

  pid_t pid_;
  int out_;
  RemoteShell* shell_;
  std::string text_;
  int status_ = 0;
  bool closed_ = false, ended_ = false;
};

// The document; other lines are a launcher's and go to stderr.
std::string document_in(const std::string& text) {
  std::string document;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, to - from);
    if (line.starts_with('{'))
      document = line;
    else
      fmt::print(stderr, "{}\n", line);
    from = to + 1;
  }
  return document;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("was ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

std::optional<std::string> launched_by() {
  for (const char* name : {kOurs, "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD"})
    if (std::getenv(name) != nullptr) return name;
  const std::string tasks = text_in("SLURM_STEP_NUM_TASKS");
  if (!tasks.empty() && tasks != "1")
    throw LoadError(fmt::format(
        "srun started {} tasks without MPI: say srun --mpi=pmi2 or --mpi=pmix (srun --mpi=list "
        "shows what it has)",
        tasks));
  return std::nullopt;
}

std::size_t ranks_asked_for() {
  return static_cast<std::size_t>(std::strtoull(text_in(kOurs).c_str(), nullptr, 10));
}

std::string find_launcher(const std::string& library, const std::string& kind) {
  const auto names = launcher_names(kind);
  for (const std::string& name : names)
    for (const fs::path& place : places(library))
      if (access((place / name).c_str(), X_OK) == 0) return (place / name).string();
  throw LoadError(fmt::format(
      "{}: no {} beside it, in the bin directory of its prefix or on the PATH: install its package "
      "(Debian: openmpi-bin, mpich), or start stackx-pi by the launcher",
      library, fmt::join(names, " or ")));
}

Ran run_ranks(const std::string& launcher, const std::string& kind, std::size_t ranks,
                      const std::vector<std::string>& words, RemoteShell* shell) {
  allow_sandbox();
  std::vector<std::string> command{launcher};
  if (shell != nullptr) {
    forget_words();
    go_by(*shell, kind);
    for (std::string& word : options_of(*shell, kind)) command.push_back(std::move(word));
  } else {
    stay_here(kind);
    setenv(kOurs, std::to_string(ranks).c_str(), 1);
  }
  command.insert(command.end(), {"-n", std::to_string(ranks), fs::read_symlink("/proc/self/exe").string()});
  command.insert(command.end(), words.begin(), words.end());

  int ends[2];
  if (pipe(ends) != 0) throw LoadError("no pipe");
  const pid_t parent = getpid(), child = fork();
  if (child < 0) throw LoadError("no further process");
  if (child == 0) {
    close(ends[0]);
    become(command, ends[1], parent);
  }
  close(ends[1]);
  Launcher started(child, ends[0], shell);
  const bool left = started.listen();
  if (!left) started.stop();
  const std::string document = document_in(started.text());
  if (left && (started.status() != 0 || document.empty()))
    throw LoadError(fmt::format(
        "{} -n {} {} and {}: see what the ranks said above", launcher, ranks, how_it_ended(started.status()),
        document.empty() ? "rank 0 printed no document" : "its document is not used"));
  return {document, left};
}

}  // namespace stackx::kernels::collectives
