#include "kernels/reference/comparison.hpp"

#include <fmt/format.h>

namespace stackx::kernels {

std::string Comparison::describe(const std::string& place, double found, double expected) {
  return fmt::format("{} is {:.9g}, expected {:.9g}", place, found, expected);
}

}  // namespace stackx::kernels
