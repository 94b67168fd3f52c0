#include "advisor/recipes/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stackx::advisor {
namespace {

bool lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool digit(char c) { return c >= '0' && c <= '9'; }

// Node labels hold at most 63 of [A-Za-z0-9._-], and begin and end with a letter or digit.
std::string label(std::string_view text) {
  std::string result;
  for (const char c : text)
    result +=
        std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-' ? c : '-';
  result = result.substr(0, 63);
  while (!result.empty() && !std::isalnum(static_cast<unsigned char>(result.back())))
    result.pop_back();
  while (!result.empty() && !std::isalnum(static_cast<unsigned char>(result.front())))
    result.erase(0, 1);
  return result;
}

}  // namespace

std::string job_name(const Recipe& recipe, const RecipeParts& parts) {
  std::string pi;
  for (const char c : recipe.workload.pi) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    pi += lower_or_digit(lower) ? lower : '-';
  }
  return fmt::format("stackx-{}-{}", pi.substr(0, 40), parts.named.short_id());
}

std::string image_name(const RecipeParts& parts) {
  return "localhost/stackx:" + parts.named.short_id();
}

std::string gres_type(const Recipe& recipe) {
  if (recipe.accelerator == nullptr) return "";
  std::string word, first;
  for (const char c : recipe.accelerator->name + "-") {
    if (lower_or_digit(c)) {
      word += c;
      continue;
    }
    if (first.empty()) first = word;
    if (std::ranges::any_of(word, digit)) return word;
    word.clear();
  }
  return first;
}

std::string gpu_product(const Recipe& recipe) {
  if (recipe.accelerator == nullptr) return "";
  const auto& accelerator = *recipe.accelerator;
  std::vector<std::string> names{accelerator.aliases};
  names.push_back(accelerator.title);
  // The driver writes the form factor with a dash: "Tesla V100-SXM2-16GB", "NVIDIA A100-SXM4-40GB", "Tesla T4".
  for (const bool dashed : {true, false})
    for (const char* brand : {"Tesla ", "NVIDIA ", "Quadro "})
      for (const auto& name : names)
        if (name.starts_with(brand) && (name.find('-') != name.npos) == dashed) return label(name);
  return "";
}

unsigned threads(const Recipe& recipe) {
  const auto at = recipe.workload.params.find("threads");
  unsigned count = 4;
  if (at != recipe.workload.params.end()) {
    const auto& text = at->second;
    unsigned asked = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), asked).ptr ==
            text.data() + text.size() &&
        asked > 0 && asked <= 1024)
      count = asked;
  }
  return count;
}

}  // namespace stackx::advisor
