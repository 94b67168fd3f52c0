// Errors that end a command: a broken input or a broken environment, never an expected outcome.
//
// Expected outcomes (unsolvable, build failed, timed out, wrong result) are values: enums with a
// reason. An Error is thrown where the mistake is found, carries the whole message, and is caught
// once, in main. A message names the file, the place in it, what was expected and what to do:
//   blas.json: /components/mkl/versions/2024.2.2: unknown key "requirs"; did you mean "requires"?
#pragma once

#include <stdexcept>
#include <string>

namespace stackx {

// The value is the exit code of the command line.
enum class ErrorCode {
  bad_input = 2,    // the user's document or usage is wrong
  environment = 3,  // I/O, network, a missing program
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

inline Error bad_input(const std::string& message) { return {ErrorCode::bad_input, message}; }
inline Error broken_environment(const std::string& message) {
  return {ErrorCode::environment, message};
}

}  // namespace stackx
