// A word on the command line of a run's supervisor, by which processes of the run are told from others from outside: whoever
// has an ancestor with that word belongs to it.
//
// So it is in bubblewrap, whose supervisor is our descendant, and in a container, whose supervisor is a daemon's; the pids are
// those of our namespace. Rejected: control groups, which not every machine gives us, and pid namespaces, which only the
// owner of a process may look at.
#pragma once

#include <map>
#include <string>

#include <sys/types.h>

namespace stackx::inspector {

class RunMark {
 public:
  RunMark();  // unlike any other
  const std::string& word() const { return word_; }
  bool covers(pid_t pid);  // what was once answered of a pid stays: it is asked while the run goes on

 private:
  std::string word_;
  std::map<pid_t, bool> known_;
};

}  // namespace stackx::inspector
