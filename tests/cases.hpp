// How many cases of a random test: few enough to run with every change, or as many as an hour allows
// (`./run test --thorough`, which sets STACKX_THOROUGH=1).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace stackx::test {

inline std::uint64_t cases(std::uint64_t usual, std::uint64_t thorough) {
  const char* asked = std::getenv("STACKX_THOROUGH");
  return asked != nullptr && std::string_view(asked) == "1" ? thorough : usual;
}

}  // namespace stackx::test
