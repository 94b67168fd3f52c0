#include "specs/project/model_name.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

std::vector<std::string> words_of_model(std::string_view text) {
  text.remove_prefix(text.rfind('/') == text.npos ? 0 : text.rfind('/') + 1);
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool in_number = c == '.' && i > 0 && is_digit(text[i - 1]) && i + 1 < text.size() && is_digit(text[i + 1]);
    if (is_alphanumeric(c) || in_number)
      words.back() += to_lower(c);
    else
      words.emplace_back();
  }
  std::erase(words, "");
  return words;
}

std::optional<double> billions_in(const std::string& word) {
  double number = 0;
  const auto* end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || at + 1 != end || *at != 'b' || !(number > 0)) return std::nullopt;
  return number;
}

// GPTQ and AWQ of 4 bits unless another word says more.
std::optional<int> bits_in(const std::vector<std::string>& words) {
  constexpr std::pair<std::string_view, int> known[] = {
      {"fp8", 8}, {"int8", 8}, {"w8a8", 8}, {"w8a16", 8}, {"8bit", 8}, {"q8", 8},  {"int4", 4}, {"fp4", 4},
      {"nvfp4", 4}, {"mxfp4", 4}, {"w4a16", 4}, {"4bit", 4}, {"nf4", 4}, {"q4", 4}, {"awq", 4},  {"gptq", 4}};
  for (const auto& [said, bits] : known)
    if (std::ranges::find(words, said) != words.end()) return bits;
  return std::nullopt;
}

}  // namespace

std::optional<ModelName> model_name(std::string_view text) {
  const auto words = words_of_model(text);
  const auto numbered = std::ranges::find_if(words, [](const auto& word) { return std::ranges::any_of(word, is_digit); });
  if (numbered == words.end()) return std::nullopt;
  ModelName model;
  const auto add = [&](std::string_view word) { model.kind += (model.kind.empty() ? "" : "-") + std::string(word); };
  for (auto word = words.begin(); word != numbered; ++word) add(*word);
  const auto letters = numbered->substr(0, numbered->find_first_of("0123456789"));
  if (letters.size() > 1) add(letters);  // "llama3"; of "v3" none
  if (model.kind.empty()) return std::nullopt;
  for (const auto& word : words)
    if (const auto size = billions_in(word)) model.billions = size;
  model.bits = bits_in(words);
  return model;
}

std::string hyphenated_model(std::string_view text) {
  std::string joined = "-";
  for (const auto& word : words_of_model(text)) joined += word + "-";
  return joined;
}

double weight_gb(double billions, int bits) { return billions * bits / 8; }

}  // namespace stackx::specs
