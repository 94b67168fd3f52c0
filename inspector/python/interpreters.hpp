// The Python interpreters of this machine: what is asked of them, and where they are found.
//
// Looked for: python, python2, python2.N, python3, python3.N on PATH and in /usr/bin, /usr/local/bin and
// /opt/*/bin; the installations of pyenv ($PYENV_ROOT, ~/.pyenv), asdf, mise and uv; conda environments
// ($CONDA_PREFIX, ~/miniconda3, ~/miniforge3, ..., ~/.conda/environments.txt). Each is asked once by running it
// (isolated: -E -s -S); one that does not answer is left out. The same program under several names is one
// interpreter. Left out: PyPy, free-threaded and 32-bit builds, for which no wheel of a catalog is meant; the
// shims of pyenv, asdf and mise, which need a shell and the user's settings to find the interpreter they stand for.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stackx::inspector {

struct Interpreter {
  std::filesystem::path program;  // absolute: /usr/bin/python3.11; of several names the real file's
  std::string version;            // "3.11.2", "3.14.0rc1"
  std::string cache_tag;          // of its bytecode: "cpython-311"; empty for Python 2
  std::string abi;                // as wheels name it: "cp311", "cp36m", "cp27mu"
  std::filesystem::path prefix;   // sys.base_prefix: what it needs of the file system, beside libc
  std::filesystem::path
      environment;  // sys.prefix where it belongs to a virtual environment, else empty
};

// Where to look.
struct InterpreterPlaces {
  std::vector<std::filesystem::path> programs;  // directories of programs, the system's first
  std::vector<std::filesystem::path> prefixes;  // of installations: PREFIX/bin/python3
};
InterpreterPlaces usual_interpreter_places();

// Starts a program: what it printed, or nothing if it failed.
using Start = std::function<std::optional<std::string>(const std::vector<std::string>& argv)>;
std::optional<std::string> start_directly(const std::vector<std::string>& argv);  // for at most 10 s

// Newest first; of equal versions the one of the system first, virtual environments last. For a `release` ("3.11") those
// alone that can serve it: no virtual environment, and none whose name is another's (python3.12), which is not asked.
std::vector<Interpreter> find_interpreters(const InterpreterPlaces& places = usual_interpreter_places(),
                                           const Start& start = start_directly, const std::string& release = {});

// What one program says of itself; nothing if it is no CPython, or does not answer. A program that is not this user's
// own is to be started in a sandbox, and not believed.
std::optional<Interpreter> ask_interpreter(const std::filesystem::path& program, const Start& start = start_directly);

// The one that serves a stack's python component: the same release as far as the component states it
// ("3.6" is served by 3.6.15, "3.6.15" by that alone). Virtual environments serve nobody but themselves.
const Interpreter* serving(const std::vector<Interpreter>& interpreters,
                           const std::string& version);

}  // namespace stackx::inspector
