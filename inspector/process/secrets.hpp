// The secrets of our environment, taken out of what is kept of other programs' words.
//
// Nothing that runs foreign code is given them (passed_environment.hpp); uv and pip are, to fetch, and may repeat them in
// a message. What such a message becomes (a reason, the end of a log) is stored, exported and shared. A secret is the
// value of a variable whose name says so (..._TOKEN, ..._PASSWORD, AWS_SECRET_ACCESS_KEY), the password in a URL, and
// what stands before the '@' where uv and pip are told of an index, URL or not; values of fewer than six characters stand
// for too much else.
#pragma once

#include <string>
#include <vector>

#include "inspector/process/process.hpp"

namespace stackx::inspector {

class Secrets {
 public:
  explicit Secrets(const Environment& environment = current_environment());

  // Each as "***"; what remains of one whose beginning was cut off with the text's, too. Mask first, then cut.
  std::string masked(std::string text) const;
  // The same of a text that is whole: one that merely begins as a secret ends stays.
  std::string without(std::string text) const;

 private:
  std::vector<std::string> values_;  // the longest first: one may hold another
};

}  // namespace stackx::inspector
