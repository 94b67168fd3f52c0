#include "workspace/asked/plain_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "inspector/environment/shown_paths.hpp"
#include "inspector/process/process.hpp"
#include "specs/error.hpp"
#include "specs/format/json.hpp"
#include "specs/format/text_file.hpp"
#include "specs/result/text_limits.hpp"
#include "workspace/asked/shell_words.hpp"
#include "workspace/files/kept_script.hpp"

namespace stackx::workspace {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t longest_command = specs::longest_together / 2;  // the other half is for paths
constexpr const char* what_python_does = "expected python FILE.py, python -c CODE or python -m MODULE, each with its words";

// Both begin with this: as for Python's own -c and -m, modules are looked for where the program stands, not where its
// text is kept.
constexpr std::string_view head = R"(import os, sys
if sys.path[0] == os.path.dirname(os.path.realpath(__file__)):
    sys.path[0] = ""
)";

[[noreturn]] void refuse_command(const std::string& command, const std::string& why) {
  throw bad_input(fmt::format("--pi {}: {}", specs::in_quotes(command), why));
}

bool all_among(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == text.npos;
}

// python, python2, python3, python3.11
bool is_stacks_python(std::string_view word) {
  if (!word.starts_with("python")) return false;
  word.remove_prefix(6);
  return word.empty() || word == "2" || word == "3" || (word.starts_with("3.") && all_among(word.substr(2), "0123456789"));
}

// Of ASCII alone, so that Python 2 reads it as well.
std::string bytes_literal(std::string_view text) {
  std::string literal = "b\"";
  for (const unsigned char c : text) {
    if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
      literal += fmt::format("\\x{:02x}", c);
    else
      literal += static_cast<char>(c);
  }
  return literal + '"';
}

// Without __file__, as under -c: what multiprocessing starts does not begin it again.
fs::path script_of_code(const std::string& code) {
  return kept_script(fmt::format("{}sys.argv[0] = \"-c\"\ndel os, sys, __file__\n"
                                 "exec(compile({}.decode(\"utf-8\"), \"<string>\", \"exec\", 0, True))\n",
                                 head, bytes_literal(code)));
}

fs::path script_of_module(const std::string& command, const std::string& module) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  if (module.starts_with('-') || !all_among(module, allowed))
    refuse_command(command, fmt::format("python -m {}: expected the name of a module", specs::in_quotes(module)));
  return kept_script(fmt::format("{}import runpy\nrunpy.run_module(\"{}\", run_name=\"__main__\", alter_sys=True)\n", head, module));
}

// What Python is to run; takes the words that say so.
fs::path python_script(const std::string& command, Words& words) {
  if (words.empty()) refuse_command(command, fmt::format("python alone measures nothing; {}", what_python_does));
  const auto first = words.front();
  words.erase(words.begin());
  if (!first.starts_with('-')) {
    if (fs::path(first).extension() != ".py")
      refuse_command(command, fmt::format("python {}: {}; rename the script so that it ends in .py", first, what_python_does));
    return first;
  }
  if (first != "-c" && first != "-m")
    refuse_command(command, fmt::format("python {}: options of Python's are not passed on; {}", first, what_python_does));
  if (words.empty()) refuse_command(command, fmt::format("python {}: {}", first, what_python_does));
  const auto text = words.front();
  words.erase(words.begin());
  return first == "-c" ? script_of_code(text) : script_of_module(command, text);
}

// A file of that name comes first: `inspect --pi bench` means it, too.
fs::path program_file(const std::string& command, const std::string& word) {
  std::error_code error;
  const bool is_file = fs::is_regular_file(word, error);
  if (is_file && (fs::path(word).extension() == ".py" || access(word.c_str(), X_OK) == 0)) return word;
  if (word.find('/') == word.npos)
    if (auto program = inspector::find_program(word); !program.empty()) return program;
  if (is_file) refuse_command(command, fmt::format("{} is not executable; chmod +x it", word));
  refuse_command(command, fmt::format("{}: {}", word, fs::is_directory(word, error) ? "a directory; expected a program"
                                                    : word.find('/') == word.npos ? "neither a file nor a program on PATH"
                                                                                  : "no such file"));
}

void check_command(const std::string& command) {
  if (command.size() > longest_command)
    throw bad_input(fmt::format("--pi: a command of {} bytes; expected at most {}: put it into a script", command.size(), longest_command));
  if (specs::to_utf8(command) != command) refuse_command(command, "expected UTF-8");
}

void check_words(const std::string& command, const Words& words) {
  for (const auto& word : words)
    if (word.size() > specs::longest_text)
      refuse_command(command, fmt::format("a word of {} bytes; expected at most {}: put it into a file", word.size(), specs::longest_text));
}

}  // namespace

std::string shown_files(const fs::path& files) {
  if (files.empty()) return "";
  const auto refuse = [&](const std::string& why) { throw bad_input(fmt::format("--files {}: {}", files.string(), why)); };
  std::error_code error;
  const auto real = fs::canonical(files, error);
  if (error) refuse(error.message() + "; expected a directory");
  if (!fs::is_directory(real, error)) refuse("not a directory; expected the one that holds what the program reads");
  if (const auto why = inspector::why_not_shown(real))
    throw bad_input(fmt::format("--files {}; put them into a directory of their own", *why));
  if (specs::to_utf8(real.string()) != real.string()) refuse("expected a path in UTF-8");
  return real.string();
}

specs::PiProgram plain_program(const std::string& command, const fs::path& files, const std::string& number) {
  if (std::ranges::find(specs::printed_numbers, number) == specs::printed_numbers.end())
    throw bad_input(fmt::format("what the program prints: expected seconds, rate or error, found {}", specs::in_quotes(number)));
  check_command(command);
  auto words = shell_words(command, "--pi");
  if (words.empty()) throw bad_input("--pi: expected a command: a program that measures, with its words (docs/own-pi.md)");
  const auto first = words.front();
  words.erase(words.begin());
  const auto file = is_stacks_python(first) ? python_script(command, words) : program_file(command, first);
  check_words(command, words);
  auto program = specs::foreign_program(file);
  program.plain = true;
  program.arguments = std::move(words);
  program.number = number;
  program.files = shown_files(files);
  return program;
}

}  // namespace stackx::workspace
