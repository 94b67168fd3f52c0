// What the user's machine has and keeps: `--have driver=535.183.01,python=3.11,cuda=11.8,glibc=2.31`.
//
// The answer is the best that keeps it; beside it stands what another driver or CUDA would bring.
#pragma once

#include <string>

namespace stackx::advisor {

struct Have {
  std::string driver, python, cuda, glibc;  // "": not said
  bool any() const { return !(driver.empty() && python.empty() && cuda.empty() && glibc.empty()); }
  std::string text() const;  // "cuda 11.8, python 3.11"
};

// Throws Error(bad_input) for what is not of that form. Versions are numbers with dots.
Have read_have(const std::string& text);

// 3.11, 535.183.01: what ranges of releases can be made of.
bool is_release(const std::string& version);

}  // namespace stackx::advisor
