// A remote shell for MPI's launcher, made of processes that run already: those that `stackx cluster`
// or torchrun has started, on this node and on others, with RANK, WORLD_SIZE, MASTER_ADDR and
// MASTER_PORT.
//
// mpirun starts a program of its own on each other node (orted, prted, hydra_pmi_proxy) by what it
// takes for ssh: HOST COMMAND... Here that is a script. It leaves its call in a directory; the first
// process hands the command on to the one that waits on that node, which runs it as its child, in its
// own sandbox or container. So every run is a new MPI world, wherever this program runs. Rejected:
// ssh, which neither a sandbox nor a pod has; the PMI of an srun step, which ties processes together
// once in the step's life.
//
//   each of the others to the first   "RANK\n" at once, "STATUS\n" once its command has ended
//   the first to one of the others    a command and NUL; the end of the connection: there is none, or
//                                     what runs is to end
//
// kernels/python/stackx_pi/ranks/remote_shell.py is the same for PIs in Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stackx::kernels::collectives {

// One of several processes that somebody has started, on as many nodes as they like.
struct Started {
  std::size_t rank = 0, size = 1;
  std::string host;        // of the first
  std::uint16_t port = 0;  // where it may listen
};

// Nothing where this process is alone, or MPI's launcher has started it; throws LoadError for words
// that name no place.
std::optional<Started> started_by_words();

// Takes from the environment what named this process, and Slurm's words, by which a launcher would
// call srun: the ranks that MPI makes must not read them.
void forget_words();

// In the first process, while the launcher runs.
class RemoteShell {
 public:
  explicit RemoteShell(const Started& started);  // waits for the others; throws LoadError
  ~RemoteShell();
  RemoteShell(const RemoteShell&) = delete;
  RemoteShell& operator=(const RemoteShell&) = delete;

  const std::vector<std::string>& hosts() const { return hosts_; }  // addresses, in the order of ranks
  std::string program() const { return (directory_ / "shell").string(); }
  void serve();  // what has come since; does not wait

 private:
  struct Other {
    int connection = -1;
    std::string call;    // that it runs; empty: none yet
    std::string status;  // of it, as far as it has come
  };
  void take(const std::filesystem::path& call);
  void listen(Other& other);

  std::vector<Other> others_;
  std::vector<std::string> hosts_;
  std::filesystem::path directory_;
};

// In each of the others: runs what the launcher wants to run here, and returns when that or the first
// process has ended. How it ended is said and no failure: daemons that find the launcher gone before
// them say so by a status (Hydra's 5); the launcher's own tells whether all went well. Throws LoadError
// where the first process does not answer.
void wait_for_launcher(const Started& started);

}  // namespace stackx::kernels::collectives
