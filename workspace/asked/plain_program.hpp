// --pi COMMAND: an ordinary command that measures, as a person types it, as the program of a plan (pi_program.hpp).
//
//   ./bench.py --batch 8          under the stack's Python
//   python bench.py --batch 8     the same; also python2, python3, python3.N: whichever it is, the stack's
//   python -c CODE [WORD...], python -m MODULE [WORD...]
//                                 kept as a script (kept_script.hpp) that does it
//   ./bench --batch 8, sort data  any other file, which must be executable; or a program on PATH
// Which Python runs is the stack's matter, so another one can only be named by its path, /usr/bin/python3, and is then
// just a program.
#pragma once

#include <filesystem>
#include <string>

#include "specs/project/pi_program.hpp"

namespace stackx::workspace {

// `files`: a directory that it is shown read-only and begins in; empty: none. `number`: what it prints, of
// specs::printed_numbers. Throws Error(bad_input) for a command that cannot be run, files that no sandbox may show
// (inspector/environment/shown_paths.hpp), and what no document can hold (texts that are not UTF-8, or too long).
specs::PiProgram plain_program(const std::string& command, const std::filesystem::path& files, const std::string& number);

// The directory as a document has it; "" for none. Throws Error(bad_input) as above.
std::string shown_files(const std::filesystem::path& files);

}  // namespace stackx::workspace
