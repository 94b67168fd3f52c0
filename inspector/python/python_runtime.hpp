// The interpreter that a stack runs on, of this machine or of an image, and which wheels suit it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "inspector/python/interpreters.hpp"
#include "specs/python/wheel_target.hpp"

namespace stackx::inspector {

struct PythonRuntime {
  std::filesystem::path program;
  std::string version;           // "3.11.2"
  std::string tag;               // of its bytecode: "cpython-311", "cpython-27"
  std::string glibc;             // "2.36"; empty if the C library is another one
  std::vector<std::filesystem::path> needs;  // what must be visible for it beside /usr; none in an image
  std::string origin = {};       // digest of a program that a catalog named; empty: this machine's own

  std::string minor() const;          // "3.11"
  std::string platform() const;       // "manylinux_2_36_x86_64"
  specs::Target target() const;       // throws Error(bad_input) for a version that no wheel can suit
};

PythonRuntime runtime_of(const Interpreter& interpreter);  // of this machine

// Whether a Python that says "3.11.2" is what a stack means by "3.11", or "3.11.2".
bool is_release(const std::string& says, const std::string& wanted);

// `PROGRAM -E -s -S -c question` prints one line that `answer` understands. For interpreters in images.
extern const char* const python_question;
std::optional<PythonRuntime> python_answer(const std::filesystem::path& program,
                                           const std::string& line);

}  // namespace stackx::inspector
