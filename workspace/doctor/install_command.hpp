// How packages of the system are installed here, as this user types it: "sudo apt-get install bubblewrap".
#pragma once

#include <string>

namespace stackx::workspace {

// Names are Debian's. A sentence where none of the package managers that are known is here.
std::string install_command(const std::string& packages);

}  // namespace stackx::workspace
