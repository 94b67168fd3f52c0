#pragma once
#include <string>
#include "advisor/recipes/pinned.hpp"
namespace stackx::advisor {
std::string install_line(const Pinned& pinned);
}
