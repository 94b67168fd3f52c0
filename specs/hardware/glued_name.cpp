#include "specs/hardware/glued_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "specs/hardware/name.hpp"

namespace stackx::specs {
namespace {

using namespace std::string_view_literals;

// What tells products of one number apart, as it stands in a label. "max" is that of "Max-Q".
constexpr std::array product_words{"-ti-"sv, "-super-"sv, "-laptop-"sv, "-mobile-"sv, "-max-"sv, "-maxq-"sv};

bool is_product_word(std::string_view word) {
  return std::ranges::any_of(product_words, [&](std::string_view one) { return one.substr(1, one.size() - 2) == word; });
}

// "80gb" is written "80g" and "80gib", too; "sxm4" just "sxm".
std::vector<std::string> spellings_of(const std::string& word) {
  std::vector<std::string> result{word};
  const bool number = std::isdigit(static_cast<unsigned char>(word.front()));
  if (number && word.ends_with("gb") && word.size() > 2) {
    const std::string digits = word.substr(0, word.size() - 2);
    result.push_back(digits + "gib");
    result.push_back(digits + "g");
  }
  if (word.starts_with("sxm") && word.size() > 3) result.push_back("sxm");
  return result;
}

bool cut(std::string_view rest, const std::vector<std::string>& words, std::vector<bool>& used) {
  if (rest.empty()) {
    const auto pcie = std::ranges::find(words, "pcie");
    const bool form = pcie != words.end() && used[static_cast<std::size_t>(pcie - words.begin())];
    for (std::size_t i = 0; i < words.size(); ++i)
      if (!used[i] && (is_product_word(words[i]) || (form && words[i] == "nvl"))) return false;
    return true;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (used[i] || words[i].empty()) continue;
    for (const auto& word : spellings_of(words[i])) {
      if (!rest.starts_with(word)) continue;
      used[i] = true;
      if (cut(rest.substr(word.size()), words, used)) return true;
      used[i] = false;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> words_of(const std::string& words) {
  std::vector<std::string> result;
  for (std::size_t at = 1; at < words.size();) {
    const std::size_t end = words.find('-', at);
    result.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

std::string glued(std::string_view name) {
  std::string words = hardware_words(name);
  std::erase(words, '-');
  return words;
}

bool is_glued(const std::string& label, std::string_view name) {
  for (const char c : label) {
    if (c == '-') continue;
    if (name.empty() || name.front() != c) return false;
    name.remove_prefix(1);
  }
  return name.empty();
}

bool has_word(const std::string& label, const std::string& word) {
  if (label.contains("-" + word + "-")) return true;
  if (word == "sxm") return label.contains("-sxm");
  const std::size_t unit = word.find_first_not_of("0123456789");
  if (unit == 0 || unit == word.npos || (word.substr(unit) != "g" && word.substr(unit) != "gib")) return false;
  return label.contains("-" + word.substr(0, unit) + "gb-");
}

bool is_cut_of(std::string_view name, const std::vector<std::string>& words) {
  constexpr std::size_t longest = 100;  // of any name; what is longer would only take time
  std::vector<bool> used(words.size(), false);
  return !name.empty() && name.size() < longest && cut(name, words, used);
}

bool another_product(const std::string& words, const std::string& label) {
  // An "H100 PCIe" is a card of its own beside the "H100 NVL PCIe 94GB".
  if (words.contains("-pcie-") && label.contains("-nvl-") && !words.contains("-nvl-")) return true;
  return std::ranges::any_of(product_words,
                             [&](std::string_view word) { return words.contains(word) != label.contains(word); });
}

}  // namespace stackx::specs
