// Input: a command as a person types it for --pi, a line.
#include <string>

#include "specs/error.hpp"
#include "tests/fuzz/lines.hpp"
#include "workspace/asked/shell_words.hpp"

using namespace stackx;
using namespace stackx::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto line : lines(data, size)) {
    std::vector<std::string> words;
    try {
      words = workspace::shell_words(line, "--pi");
    } catch (const Error& error) {
      require(error.code() == ErrorCode::bad_input, "a command that cannot be split is bad input");
      require(std::string(error.what()).find("--pi") != std::string::npos, "the error names the option");
      continue;
    }
    std::string again;
    for (const auto& word : words) again += workspace::shell_quoted(word) + " ";
    require(workspace::shell_words(again, "--pi") == words, "a word that was quoted is read back");
  }
  return 0;
}
