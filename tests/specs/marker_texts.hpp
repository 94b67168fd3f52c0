// Random PEP 508 markers and requirements for the property tests, valid in every odd spelling.
#pragma once

#include <string>

#include "specs/random.hpp"

namespace stackx::tests {

using specs::Random;

std::string marker_text(Random& random);       // mostly of small depth
std::string requirement_text(Random& random);  // mostly valid

}  // namespace stackx::tests
