// Was what ran the stack that was asked for? Versions as the library states them, and files as the
// loader mapped them.
//
//   - The library that was asked for is mapped, from where it was installed; so is every file that
//     has the name of a shared object in one of the stack's wheels (not a libtbb.so.12 of the
//     system beside the stack's own).
//   - What `loaded` says of a component equals the catalog's `reports` ("*": whatever it says), else
//     its version.
//   - A library that states no version (netlib) is taken at its package manager's word, if the file
//     is mapped.
//   - A plain program says nothing of all this as a rule, and is believed; what it does say is held against the stack.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "inspector/environment/environment.hpp"
#include "inspector/run/protocol.hpp"

namespace stackx::inspector {

struct Verified {
  std::map<std::string, std::string> loaded;  // what was really loaded
  std::optional<std::string> wrong;           // why this is another stack
};

Verified verify(const StackEnvironment& environment, const PiReport& report, bool plain = false);

}  // namespace stackx::inspector
