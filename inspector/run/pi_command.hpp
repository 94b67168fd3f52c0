// The words that start a PI for a stack.
//
//   native stack  PI NAME --library FILE --component NAME [--with FILE]... key=value...; --with: the stack's other
//                 libraries, told to our own PI only
//   Python stack  PYTHON -s [-S] bootstrap.py SITE pi.py NAME key=value...; SITE "-" and no -S: the
//                 interpreter's own site-packages
// A PI of the user's (--pi) stands in the place of ours: a .py file runs under the stack's Python, if it has one. A plain
// program (specs/project/pi_program.hpp) is started the same way, with its own arguments in the place of NAME and what
// follows.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inspector/environment/environment.hpp"
#include "specs/project/pi_program.hpp"
#include "specs/project/workload.hpp"

namespace stackx::inspector {

struct Pis {
  std::filesystem::path native;  // stackx-pi
  std::filesystem::path python;  // directory of bootstrap.py and pi.py
  std::filesystem::path own;     // the user's; empty: none
};

struct PiCommand {
  std::vector<std::string> argv;
  std::vector<std::filesystem::path> visible;  // what it needs to see, beside the environment
};

PiCommand pi_command(const Pis& pis, const StackEnvironment& environment, const std::string& name,
                     const std::map<std::string, std::string>& parameters);

// `program` is pis.own.
PiCommand plain_command(const Pis& pis, const StackEnvironment& environment, const specs::PiProgram& program);

// Why the PI that would be started for the stack is none to start; nothing if it is there.
std::optional<std::string> why_no_pi(const Pis& pis, const StackEnvironment& environment);

}  // namespace stackx::inspector
