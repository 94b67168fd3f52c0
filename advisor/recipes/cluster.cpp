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
  const auto profile = mig_profile(recipe), of_card = profile.empty() ? "" : "_" + profile;
  std::string word, first;
  for (const char c : recipe.accelerator->name + "-") {
    if (lower_or_digit(c)) {
      word += c;
      continue;
    }
    if (first.empty()) first = word;
    if (std::ranges::any_of(word, digit)) return word + of_card;
    word.clear();
  }
  return first + of_card;
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

unsigned threads(const RecipeParts& parts) {
  std::vector<std::string> said;
  if (const auto at = parts.parameters.find("threads"); at != parts.parameters.end()) said.push_back(at->second);
  for (const auto& [name, value] : parts.variables)
    if (name.ends_with("_NUM_THREADS")) said.push_back(value);
  unsigned most = 0;
  for (const auto& text : said) {
    unsigned count = 0;
    const bool is_number = std::from_chars(text.data(), text.data() + text.size(), count).ptr == text.data() + text.size();
    if (is_number && count <= 1024) most = std::max(most, count);
  }
  return most > 0 ? most : 4;
}

std::string memory_gib(const RecipeParts& parts) { return parts.gpu ? "16" : "4"; }

std::string mig_profile(const Recipe& recipe) {
  constexpr std::string_view mark = "-mig-";
  const auto at = recipe.accelerator == nullptr ? std::string::npos : recipe.accelerator->name.find(mark);
  return at == std::string::npos ? "" : recipe.accelerator->name.substr(at + mark.size());
}

}  // namespace stackx::advisor
