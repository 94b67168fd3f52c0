// What a command says, taken instead of printed: for who asks it in this process and has no streams to give.
//
// While it lives, all that this thread writes through workspace/output.hpp is kept here: a server answers with it. Threads
// that a command begins write as always. Rejected: handing a stream to every function that prints, for one caller.
#pragma once

#include <cstddef>
#include <string>

namespace stackx::workspace {

class Captured {
 public:
  explicit Captured(std::size_t columns);
  ~Captured();
  Captured(const Captured&) = delete;

  std::string out, err;
  const std::size_t columns;  // how wide a line may be

  static Captured* current();  // of this thread; null: what is said is printed

 private:
  Captured* before_;
};

}  // namespace stackx::workspace
