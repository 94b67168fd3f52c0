// What every kind of answer is made from, and the words that they share.
#pragma once

#include <functional>
#include <string>

#include "advisor/answer/advice.hpp"
#include "advisor/hardware_advice.hpp"

namespace stackx::advisor {

struct Grounds {
  const HardwareAdvice& known;
  const Knowledge& knowledge;
  const AdviceOptions& options;

  std::string hardware() const;     // "V100"
  std::string better() const;       // "faster"; "better in memory", of what --metric names
  std::string unknown() const;      // "Speed: UNKNOWN"; "Memory: UNKNOWN"
  std::string kept() const;         // " with cuda 11.8", what --have says; or ""
  std::string restriction() const;  // " with cuda 11.8 that r.txt allows"
  std::string project_called() const;  // "r.txt"
  std::string driver_of(const Candidate& candidate) const;  // ", driver >=525.60.13 (580 is the last branch for V100)"
  // "No stack to run matmul on V100 with python 2.7: ..."
  std::string nothing(const std::string& why, const std::string& with = {}) const;
  // "Unknown what runs matmul on ORIN: ...": never called no
  std::string not_known(const std::string& why, const std::string& with = {}) const;

 private:
  std::string sentence_of(const char* begin, const std::string& why, const std::string& with) const;
};

std::string pythons_text(const Pinned& pinned);  // "Python 3.10 to 3.14"

// "torhc is not known and not judged; did you mean torch": the install line has it as it was written.
void add_misspelt(const Checked& checked, Advice& answer);
void add_reported(const Checked& checked, Advice& answer);  // what check tells of versions that got slower
// "The nearest that runs: torch 2.7.1+cu118 instead of 2.15.0. To install it: pip install ..."; `more` is said of each.
void add_nearest(const Checked& checked, Advice& answer, const std::function<std::string(const Nearest&)>& more = {});

}  // namespace stackx::advisor
