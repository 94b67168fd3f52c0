// While it lives, SIGINT, SIGTERM and SIGHUP do not end the process at once: what was begun can be put away first. Then the
// signal that came does what it would have done. One that somebody handles or ignores is left to them.
#pragma once

#include <csignal>
#include <vector>

namespace stackx::inspector {

class Interruption {
 public:
  Interruption();
  ~Interruption();  // the signal that came takes effect
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool came() const;

 private:
  std::vector<int> taken_;
};

}  // namespace stackx::inspector
