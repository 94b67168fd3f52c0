// What all man pages say: exit status, environment and files, as roff.
#pragma once

#include <string>

namespace stackx::cli::manual {

std::string exit_status();
std::string environment();
std::string files();

}  // namespace stackx::cli::manual
