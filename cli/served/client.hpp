// --server URL: a question is asked of a server instead of this machine's store, and its answer printed as it is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace stackx::cli {

void add_server_option(Command command, std::string& url);

// What was given to `command` becomes the question; its exit code is the answer's. Throws Error(bad_input) for options that
// no server takes: those which name files of this machine. `instead`: values for those that were given under a name, none where
// they are in what is sent.
using Instead = std::map<std::string, std::vector<std::string>>;
void ask_server(const std::string& url, const Command& command, Globals& globals, const Instead& instead = {});

}  // namespace stackx::cli
