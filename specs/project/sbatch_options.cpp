#include "specs/project/sbatch_options.hpp"

#include <algorithm>
#include <utility>

namespace stackx::specs {
namespace {

// Of the letters that sbatch has, those with a value: the rest of the word is that.
constexpr std::string_view letters_with_values = "aABcCdDeFGiJkLmMnNopqStwx";

// sbatch knows quotes and backslashes, and takes a # outside of quotes for a comment.
std::vector<std::string> sbatch_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool is_begun = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      is_begun = true;
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote != 0 ? 0 : c;
      is_begun = true;
    } else if (quote == 0 && c == '#') {
      break;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      if (is_begun) words.push_back(std::exchange(word, {}));
      is_begun = false;
    } else {
      word += c;
      is_begun = true;
    }
  }
  if (is_begun) words.push_back(word);
  return words;
}

}  // namespace

std::vector<std::string> sbatch_options(std::string_view line) {
  std::vector<std::string> options;
  for (const auto& word : sbatch_words(line)) {
    if (word.starts_with("--")) {
      options.push_back(word.substr(0, word.find('=')));
      continue;
    }
    for (std::size_t i = 1; word.starts_with('-') && i < word.size(); ++i) {
      options.push_back(std::string("-") + word[i]);
      if (letters_with_values.find(word[i]) != letters_with_values.npos) break;
    }
  }
  return options;
}

bool may_mean(std::string_view written, std::string_view option) {
  return option.starts_with("--") ? written.size() > 2 && option.starts_with(written) : written == option;
}

bool asks_for_memory(std::string_view line) {
  return std::ranges::any_of(sbatch_options(line), [](const auto& one) { return one == "--mem" || one.starts_with("--mem-p"); });
}

}  // namespace stackx::specs
