// What a command that threw says, and what it ends with: the same words for a terminal and for a server's client.
#pragma once

#include <exception>
#include <string>

namespace stackx::cli {

struct Failure {
  int exit_code;
  std::string text;  // further lines are indented; without passwords
};
Failure failure_of(const std::exception_ptr& thrown);

}  // namespace stackx::cli
