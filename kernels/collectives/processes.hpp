// The processes that measure one collective together: what they must agree on.
//
// Every rank decides for itself when calibrating is over, whether it is late, whether the check
// passed; if two ranks decide differently they wait for each other for ever. So they decide on the
// same numbers: the slowest rank's time, rank 0's clock, the worst check.
//
// Numbers go from rank to rank by messages to and from rank 0, never by the collective operations
// that are under test: a library whose MPI_Allreduce leaves out a rank would otherwise lose the very
// verdict that says so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernels/phases.hpp"

namespace stackx::kernels::collectives {

class Processes {
 public:
  virtual ~Processes() = default;
  virtual std::size_t count() const { return 1; }
  virtual std::size_t index() const { return 0; }  // 0 writes the document
  // Returns when all have come.
  virtual void barrier() const {}
  virtual std::int64_t largest(std::int64_t mine) const { return mine; }
  // An error in this process: ends all others too, which would wait for it for ever. May return.
  virtual void end_all(int status) const { (void)status; }
  // What that process says, of which 511 bytes are kept.
  virtual std::string text_of(std::size_t process, const std::string& mine) const {
    (void)process;
    return mine;
  }
};

// The first process's time in all of them, so that measure() takes the same decisions everywhere.
// Each question is a message, so ask as often everywhere: `clock` still times the calls themselves.
// `processes` is asked each time: before they are connected, each has its own time.
Clock shared_clock(std::function<const Processes&()> processes, const Clock& clock);

}  // namespace stackx::kernels::collectives
