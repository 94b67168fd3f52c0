#include "specs/hardware/model_pattern.hpp"

#include <algorithm>

#include "specs/hardware/glued_name.hpp"
#include "specs/hardware/name.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

bool fits(char pattern, char c) {
  if (pattern == '#') return is_digit(c);
  return pattern == '?' ? is_alphanumeric(c) : pattern == c;
}

bool fits(std::string_view pattern, std::string_view word) {
  const bool open = pattern.ends_with('*');
  if (open) pattern.remove_suffix(1);
  if (open ? word.size() < pattern.size() : word.size() != pattern.size()) return false;
  if (!std::ranges::equal(pattern, word.substr(0, pattern.size()), [](char a, char b) { return fits(a, b); })) return false;
  const auto rest = word.substr(pattern.size());
  return rest.empty() || pattern.empty() || !is_digit(rest.front()) || is_letter(pattern.back());
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (c == ' ' || c == '-')
      words.emplace_back();
    else
      words.back() += to_lower(c);
  std::erase(words, "");
  return words;
}

// "2698v4": a number, and which version of it.
bool ends_in_version(const std::string& word) {
  return word.size() > 4 && is_digit(word.front()) && word[word.size() - 2] == 'v' && is_digit(word.back());
}

}  // namespace

ModelPattern::ModelPattern(std::string_view text) : text_(text), words_(split(text)) {
  for (const auto& word : words_) run_together_ += word;
}

std::size_t ModelPattern::fixed() const {
  return static_cast<std::size_t>(std::ranges::count_if(run_together_, is_alphanumeric));
}

bool ModelPattern::matches(const std::vector<std::string>& words) const {
  std::size_t found = 0;
  for (const auto& word : words)
    if (found < words_.size() && fits(words_[found], word)) ++found;
  return found == words_.size() ||
         std::ranges::any_of(words, [&](const auto& word) { return fits(run_together_, word); });
}

std::vector<std::string> model_words(std::string_view name) {
  std::vector<std::string> words;
  for (auto& word : words_of(hardware_words(name))) {
    const auto version = ends_in_version(word) ? word.substr(word.size() - 2) : "";
    word.resize(word.size() - version.size());
    words.push_back(std::move(word));
    if (!version.empty()) words.push_back(version);
  }
  return words;
}

}  // namespace stackx::specs
