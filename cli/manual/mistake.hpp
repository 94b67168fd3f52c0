// What is wrong with the words of a command line, in a person's words: which, what was expected, how it is called.
//
// CLI11 names a positional as the program does ("names is required") and nothing that would be right; from the
// commands as plain data (command_tree.hpp) both can be said:
//   --python X.Y is missing: Python to import for, like 3.7
//     usage: stackx catalog import pypi REQUIREMENT... --python X.Y
#pragma once

#include <string>
#include <vector>

#include "cli/manual/command_tree.hpp"

namespace stackx::cli::manual {

struct Mistake {
  enum class Kind { missing, unexpected, no_value, too_often, takes_no_value, needs, excludes, other };
  Kind kind = Kind::other;
  std::vector<std::string> path;   // of the command that was read last: "catalog", "import"
  std::string name, other;         // the option that it is about, and that which it needs or excludes
  std::vector<std::string> extra;  // unexpected words, as they were typed
  std::string text;                // of kind other: what is said
};

std::string mistake_text(const Mistake& mistake, const Command& root);

}  // namespace stackx::cli::manual
