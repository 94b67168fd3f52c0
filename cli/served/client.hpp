// --server URL: a question is asked of a server instead of this machine's store, and its answer printed as it is.
#pragma once

#include <string>

#include "cli/commands.hpp"

namespace stackx::cli {

void add_server_option(Command command, std::string& url);

// What was given to `command` becomes the question; its exit code is the answer's. Throws Error(bad_input) for options that
// no server takes: those which name files of this machine.
void ask_server(const std::string& url, const Command& command, Globals& globals);

}  // namespace stackx::cli
