// A SAT solver: is there an assignment of truth values that meets all clauses, and if there is none
// under some assumptions, which of these clash. Clauses can be added between calls.
//
// CryptoMiniSat, because it takes parities (xor) natively, which counting by hashing needs
// (count.hpp), and because Debian has it. One thread and a fixed seed: the same answers on every
// machine. Its simplifications that pay off after seconds are left out: ours are many short calls.
// Nothing else includes its header.
#pragma once

#include <memory>
#include <vector>

namespace CMSat {
class SATSolver;
}

namespace stackx::resolver {

using Literal = int;  // a variable (from 1), or its negation -variable
using Literals = std::vector<Literal>;

class Sat {
 public:
  Sat();
  ~Sat();
  Sat(const Sat&) = delete;
  Sat& operator=(const Sat&) = delete;

  Literal variable();                                    // a new one
  void add(const Literals& clause);                      // one of them holds
  void add_parity(const Literals& variables, bool odd);  // an odd or even number of them holds
  bool solve(const Literals& assumptions = {});
  bool value(Literal literal) const;  // in the assignment that the last solve() found
  Literals core() const;              // assumptions of the last solve() that clash

 private:
  std::unique_ptr<CMSat::SATSolver> solver_;
};

}  // namespace stackx::resolver
