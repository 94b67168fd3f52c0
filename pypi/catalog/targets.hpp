// The Pythons that one catalog is imported for, on one platform: oldest first, each minor version once, because
// wheels do not tell 3.9.2 from 3.9.18.
//
// One catalog for several, not one catalog each: a component is declared in one catalog only, and which Python is
// the best is a question to the stacks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "specs/python/wheel_target.hpp"

namespace stackx::pypi {

using Indices = std::vector<std::size_t>;  // of targets, ascending

class Targets {
 public:
  // Throws Error(bad_input) for what is no target, and for two Pythons that wheels do not tell apart.
  Targets(const std::vector<std::string>& pythons, const std::string& platform);

  std::size_t size() const { return all_.size(); }
  const specs::Target& operator[](std::size_t i) const { return all_[i]; }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  std::string range(std::size_t i) const;  // "==3.9.*"
  std::vector<std::string> ranges(const Indices& some) const;
  std::string text() const;  // "CPython 3.9, 3.11 on Linux x86_64"

 private:
  std::vector<specs::Target> all_;
};

}  // namespace stackx::pypi
