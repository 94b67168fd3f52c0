// What a person pastes where packages are asked for: the command of an installer, read as what it installs.
//
//   pip install torch -i URL, python -m pip install ...      also pip3, uv pip install, uv add; behind "$", "!", "%", "sudo"
//   "pip install torch" as one word                          read as a shell would (shell_words.hpp)
//   conda install ..., docker run ..., nvcr.io/nvidia/pytorch:24.10-py3
//                                                            errors: their builds are not judged, and what to ask instead
//   torch 2.5.1, torch=2.5.1, torch@2.5.1                    errors: torch==2.5.1 is meant
// The options that say what is installed count, and are what a requirements file has: indexes, -r, -c, -e, --pre. Those that say
// where or how (--user, -U) do not; others are errors, since the word behind one may be its value.
// Rejected: to leave out words that are no requirements. "2.5.1" is a package's name to pip, and the answer would be about another.
#pragma once

#include <string>
#include <vector>

namespace stackx::workspace {

struct Pasted {
  std::vector<std::string> requirements;        // as a requirements file has them: also "-e DIR" and addresses
  std::vector<std::string> indexes;             // "--index-url URL": lines of such a file
  std::vector<std::string> files, constraints;  // of -r and -c
  std::string python;                           // uv's --python; "" where none is named
};

// Whether the words, of a command line or one that holds all, are an installer's command.
bool is_installer(const std::vector<std::string>& words);

// Of such. Throws Error(bad_input) for an option that is not known.
Pasted read_installer(const std::vector<std::string>& words);

// Throws Error(bad_input) where a word is a version without its package, or all are a command or an image that nobody here judges.
void refuse_misread(const std::vector<std::string>& words);

}  // namespace stackx::workspace
