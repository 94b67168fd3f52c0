// Scripts that complete the command line in bash, zsh and fish: what commands and options there are stands in them, names
// of hardware, workloads and catalogs they ask the program for (names.hpp), so that none is ever stale.
//
// Each is as its shell wants it: fish and zsh show what a choice means; bash's needs no package bash-completion and gets
// back the words that COMP_WORDBREAKS took apart. Rejected: argcomplete and the like, which are Python's; one script that
// asks the program for everything, whose options no reader finds by looking, and which costs a process a key.
#pragma once

#include <string>

#include "cli/manual/command_tree.hpp"

namespace stackx::cli::manual {

std::string bash_completion(const Command& root);
std::string zsh_completion(const Command& root);
std::string fish_completion(const Command& root);

}  // namespace stackx::cli::manual
