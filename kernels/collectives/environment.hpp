// A variable of the environment, "" where it is not set.
#pragma once

#include <cstdlib>
#include <string>

namespace stackx::kernels::collectives {

inline std::string text_in(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace stackx::kernels::collectives
