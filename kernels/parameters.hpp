// The parameters of a PI: key=value words on the command line.
//
// Every PI declares what it takes; what it does not take, takes twice, or cannot read is a
// UsageError that names the key, what was expected and, for a misspelt key, the nearest known one.
// All values come back in the PI's output, defaults included, so that a result says what was really
// run.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stackx::kernels {

struct UsageError : std::runtime_error {  // exit status 2
  using runtime_error::runtime_error;
};

struct Parameter {
  std::string key;
  std::string fallback;  // the default, as text
  std::string help;
};

class Parameters {
 public:
  Parameters(std::vector<Parameter> known, const std::vector<std::string>& words);

  const std::string& text(std::string_view key) const;
  std::uint64_t whole(std::string_view key, std::uint64_t least, std::uint64_t most) const;
  double number(std::string_view key, double least) const;  // finite
  std::string one_of(std::string_view key, const std::vector<std::string>& choices) const;
  void set(std::string_view key,
           std::string value);  // what a run decided: the calibrated mini-batch

  // {"m": 512, "dtype": "float32", ...}: numbers as numbers.
  nlohmann::json json() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// The candidate with the smallest edit distance to `word`; empty if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace stackx::kernels
