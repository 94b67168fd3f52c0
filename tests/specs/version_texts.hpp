// Adversarial version and specifier texts for the property tests: valid ones in every odd spelling,
// near misses of valid ones, and pairs that differ little. Small numbers, so that versions meet.
#pragma once

#include <string>

#include "specs/random.hpp"

namespace stackx::tests {

using specs::Random;

std::string pep440_text(Random& random);       // valid, in any spelling
std::string semver_text(Random& random);       // valid
std::string debian_text(Random& random);       // valid
std::string pep440_specifier(Random& random);  // mostly valid: one to three clauses

// One or two random edits (insert, delete, replace, double), with characters that versions are made
// of.
std::string mutated(Random& random, std::string text);

}  // namespace stackx::tests
