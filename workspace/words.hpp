// Numbers as people read them.
#pragma once

#include <string>

#include "resolver/resolver.hpp"

namespace stackx::workspace {

std::string grouped(const resolver::BigInt& number);  // 139,740,802
std::string duration(double seconds);                 // "4.2 s", "3 min 05 s", "2 h 10 min"
std::string bytes(double count);                      // "195.5 MB"

}  // namespace stackx::workspace
