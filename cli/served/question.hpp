// The questions of the command line that a server answers: by which address, and with which of their options.
//
// A question is run as the command line runs it, in this process, with what it prints taken: the answer is the same by
// construction, and one declaration says what an option may be, for --help, man page, completion and OpenAPI. What names a
// file, makes one or reaches the network is not among the options. Rejected: a second set of handlers, which would soon answer
// differently; starting stackx for each question, which reads everything from the disk again.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/manual/command_tree.hpp"
#include "serve/http/target.hpp"
#include "serve/asker.hpp"

namespace stackx::cli {

// Whose spaces can be asked about: a request names one, and never the file.
using ServedProjects = std::map<std::string, std::filesystem::path>;

struct ServedQuestion {
  std::vector<std::string> path;   // {"v1", "query"}
  std::string variable;            // a further segment, which is a positional: "question"; "": none
  std::vector<std::string> words;  // of the command: {"hw", "list"}
  void (*declare)(Command, Globals&);
  std::vector<std::string> options;  // without dashes, that a request may give
  std::vector<std::string> positionals;  // and these, as parameters: "what"; in their order
  std::vector<std::string> not_files;    // values that the command line would also take for the name of a file
  std::vector<std::string> required;     // parameters
  std::string says;                      // what it answers, in one line
  std::string content_type = "application/json";
  std::vector<std::string> members = {};  // that an answer's object always has
};

const std::vector<ServedQuestion>& served_questions();
const ServedQuestion* question_at(const serve::Target& target);          // null: none
const ServedQuestion* question_of(const std::vector<std::string>& words);  // of a command, by its address without variable

// "/v1/query/{question}" with "{}" around its variable, "/v1/query/QUESTION" with "".
std::string address_of(const ServedQuestion& question, std::string_view braces);

// The declaration of its command.
manual::Command declaration_of(const ServedQuestion& question, const Globals& globals);

// Never throws: what goes wrong is an answer, too.
serve::Answer run_question(const ServedQuestion& question, const serve::Target& target, const serve::Form& form, const Globals& globals,
                           const ServedProjects& projects);

}  // namespace stackx::cli
