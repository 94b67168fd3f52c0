// The Python interpreters of this machine: what is asked of them, and where they are found.
//
// Looked for: python2, python2.7, python3, python3.N on PATH and in /usr/bin, /usr/local/bin and /opt/*/bin,
// pyenv's versions ($PYENV_ROOT, ~/.pyenv), conda environments ($CONDA_PREFIX, ~/miniconda3, ~/miniforge3, ...).
// Each is asked once by running it (isolated: -E -s -S); one that does not answer is left out. The same program
// under several names is one interpreter.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stackx::inspector {

struct Interpreter {
  std::filesystem::path program;      // as found, absolute: /usr/bin/python3.11
  std::string version;                // "3.11.2"
  std::string cache_tag;              // of its bytecode: "cpython-311"; empty for Python 2
  std::filesystem::path prefix;       // sys.base_prefix: what it needs of the file system, beside libc
  std::filesystem::path environment;  // sys.prefix where it belongs to a virtual environment, else empty
};

// Newest first; of equal versions the one of the system first.
std::vector<Interpreter> find_interpreters();

// What one program says of itself; nothing if it is no CPython, or does not answer within 10 s.
std::optional<Interpreter> ask_interpreter(const std::filesystem::path& program);

// The one that serves a stack's python component: the same release as far as the component states it
// ("3.6" is served by 3.6.15, "3.6.15" by that alone). Virtual environments serve nobody but themselves.
const Interpreter* serving(const std::vector<Interpreter>& interpreters, const std::string& version);

}  // namespace stackx::inspector
