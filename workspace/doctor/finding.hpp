// What was found of one thing that this machine needs, or could use; in a person's words.
//
// `found` and `costs` may hold words of other programs: those went through brief_words() (outside.hpp), are one line, and
// drive no terminal. Rejected: numbers that say how bad it is; nobody can act on them.
#pragma once

#include <string>
#include <vector>

namespace stackx::workspace {

enum class Status {
  ok,
  poor,     // it goes without, at a cost
  broken,   // what needs it cannot be done
  none,     // not here, and nobody misses it
  unknown,  // not asked, or no answer in time
};
const char* to_string(Status status);  // "ok", "poor", ...

struct Finding {
  std::string what;  // "sandbox": unique, and the same in every run
  Status status = Status::unknown;
  std::string found;   // "bubblewrap 0.8.0"
  std::string costs;   // what cannot be done, or is worse; empty where that is nothing
  // What mends it: a command, to be typed as it is, or a sentence, which begins with a capital. Empty: nothing is to be done.
  std::string remedy;
};
using Findings = std::vector<Finding>;

// Null: nobody looked for it.
const Finding* find(const Findings& findings, const std::string& what);

}  // namespace stackx::workspace
