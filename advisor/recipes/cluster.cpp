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
  // The driver's own name is the first with a brand: "NVIDIA H100 80GB HBM3" before "NVIDIA H100-SXM5-80GB", as MLPerf writes it.
  std::vector<std::string> names{recipe.accelerator->aliases};
  names.push_back(recipe.accelerator->title);
  for (const auto& name : names)
    for (const char* brand : {"Tesla ", "NVIDIA ", "Quadro "})
      if (name.starts_with(brand)) return label(name);
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
