// How one process becomes several ranks.
//
// Started by a launcher, this process is a rank and takes part: mpirun and mpiexec of any MPI, srun
// --mpi=pmi2 or pmix, all of which say so in the environment. Started alone, it starts itself again,
// `ranks` times, under the launcher that belongs to the library: launchers and libraries of two MPIs
// do not work together (each rank is then alone in its world; World tells). It is looked for beside
// the library, in the bin directory of its prefix, and on the PATH, under the names that only one
// MPI has first (mpirun.openmpi, mpiexec.hydra).
//
// On one machine, perhaps in a sandbox without network, perhaps as root, the launcher is told to stay
// on it (no remote shell, loopback), to allow more ranks than cores, and root. Where other processes
// of ours wait on other nodes, it gets them for a remote shell (remote_shell.hpp). What the user or a
// setting of the stack exports (OMPI_MCA_*, MPIR_CVAR_*) goes before ours.
//
// The ranks' document comes over the launcher's standard output, one line that begins with "{". Once it is there, they have
// kLeave to leave: MPICH before 4.2 may wait in MPI_Finalize for ever, one rank in PMI's barrier for another that needs its
// progress (github.com/pmodels/mpich/pull/6596). Those that stay are ended; what they measured is complete.
// Rejected: exec of the launcher in this process's place, whose notes would stand between the
// document and its reader; a file, for which a read-only sandbox may have no place.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stackx::kernels::collectives {

class RemoteShell;

inline constexpr std::chrono::seconds kLeave{10};

// Who started this process as one of several ranks: "STACKX_PI_RANKS", "OMPI_COMM_WORLD_SIZE", ...
// Nothing if it is alone. Throws LoadError for several tasks of srun that no MPI ties together.
std::optional<std::string> launched_by();

// The number of ranks that the first process of ours asked for; 0 if another launcher started it.
std::size_t ranks_asked_for();

// The launcher of that library ("openmpi", or another's kind); throws LoadError that says where it
// was looked for.
std::string find_launcher(const std::string& library, const std::string& kind);

struct Ran {
  std::string document;  // what rank 0 printed
  bool left = true;      // all, by themselves
};

// Runs this program `ranks` times with those words (argv without the program), on this machine or, by
// `shell`, one on each of its hosts; throws LoadError if they fail, which their messages on stderr have explained.
Ran run_ranks(const std::string& launcher, const std::string& kind, std::size_t ranks,
                      const std::vector<std::string>& words, RemoteShell* shell = nullptr);

}  // namespace stackx::kernels::collectives
