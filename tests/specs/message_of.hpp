// The message of the Error that a call ends in, for tests of messages.
#pragma once

#include <string>

#include "specs/error.hpp"

namespace stackx::tests {

template <typename Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace stackx::tests
