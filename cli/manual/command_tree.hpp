// The command line as plain data: each command with its options, what their values are, and its examples. Read from the
// declarations that --help comes from (cli/options/command_tree.cpp), so that man pages and completions cannot say anything else.
//
// Rejected: reading the text of --help, as help2man does, which loses what a value is; CLI11's own formatters, which
// write help and configuration files only; a generator beside the declarations, which would be a second truth.
#pragma once

#include <string>
#include <vector>

namespace stackx::cli::manual {

// What completes a value. The last three are names that the program is asked for when they are needed (names.hpp).
enum class Kind { other, words, files, directories, hardware, workload, catalog };

// What a value is, as its name in --help says: FILE, DIR, MODEL, WORKLOAD...
Kind kind_of(const std::string& value_name);

struct Example {
  std::string does;     // "What to run on hardware that is not here"
  std::string command;  // "stackx advise --hw v100 --workload matmul"
};

// What a command says beyond its options: declared beside them, shown by `man`; the examples by --help, too.
struct Manual {
  std::string about;  // paragraphs, apart by an empty line; `words` that are typed in backquotes
  std::vector<Example> examples;
};

// An option or a positional.
struct Argument {
  std::vector<std::string> names;  // "-o", "--output"; of a positional its name
  std::string value;               // "FILE"; "": a flag
  Kind kind = Kind::other;
  std::vector<std::string> words;  // that the value can be
  std::string range;               // "from 1 to 3"; "": not bounded
  std::string help, default_value;
  bool required = false, repeated = false;
  bool value_optional = false;              // "--resume" alone is fine, too
  std::vector<std::string> needs, excludes;  // other options
};

struct Command {
  std::string path;  // "stackx", "stackx hw show"
  std::string name;  // its last word
  std::string help;  // one line
  std::string notes;  // lines that --help ends with, as they are
  Manual manual;
  std::vector<Argument> options, positionals;
  std::vector<Command> commands;
  bool needs_command = false;  // one of `commands` must be given
};

// "hw show": what is typed behind "stackx"; "" of stackx itself.
std::string words_of(const Command& command);
// What `stackx completion names` calls names of a kind: "hardware"; "" of kinds that need no program.
std::string names_of(Kind kind);
// Options of stackx itself that may stand behind any command, too: all but --help and --version.
std::vector<Argument> global_options(const Command& root);
// "--output", else "-o".
const std::string& main_name(const Argument& argument);
// In one piece, for a list of choices: to the first end of a sentence or semicolon.
std::string brief(const std::string& help);

}  // namespace stackx::cli::manual
