#include "specs/hardware/several_names.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/glued_name.hpp"
#include "specs/hardware/name.hpp"

namespace stackx::specs {
namespace {

bool is_separator_word(std::string_view word) { return word == "and" || word == "or" || word == "vs" || word == "+" || word == "&" || word == "/"; }

// Cut at these characters, and at nothing else.
std::vector<std::string> cut(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(separators), text.size());
    std::string part(text.substr(0, end));
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty()) parts.push_back(std::move(part));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

void drop_doubles(std::vector<std::string>& parts) {
  std::vector<std::string> once;
  for (auto& part : parts)
    if (std::ranges::find(once, part) == once.end()) once.push_back(std::move(part));
  parts = std::move(once);
}

// "h100 and rtx 4090": "h100", "rtx 4090"
std::vector<std::string> cut_at_words(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  for (const auto& word : cut(text, " "))
    if (!is_separator_word(word))
      part += (part.empty() ? "" : " ") + word;
    else if (!part.empty())
      parts.push_back(std::exchange(part, {}));
  if (!part.empty()) parts.push_back(part);
  return parts;
}

// One word as models are called: "b2000"; not "80GB", nor "PCIe".
bool looks_like_a_model(const std::string& part) {
  return part.find(' ') == part.npos && std::isalpha(static_cast<unsigned char>(part[0])) && std::ranges::any_of(part, [](unsigned char c) { return std::isdigit(c); });
}

// A word that may be a whole name by itself: "v100", "4090"; not "8", nor "Ti".
bool may_be_a_name(const std::string& part) {
  const auto digits = std::ranges::count_if(part, [](unsigned char c) { return std::isdigit(c); });
  return digits >= 4 || (digits > 0 && static_cast<std::size_t>(digits) < part.size());
}

// A word of what a model is called by itself ("rtx-4090"); the memory ("HBM3") or power ("400W") that names of drivers end with is none.
bool is_word_of_a_model(const std::string& part, const Accelerators& accelerators) {
  return std::ranges::any_of(accelerators.all(), [&](const Accelerator& model) { return is_cut_of(glued(part), words_of(hardware_words(model.name))); });
}

bool share_a_model(const std::string& one, const std::string& other, const Accelerators& accelerators) {
  const auto models = accelerators.named(one);
  return std::ranges::any_of(accelerators.named(other), [&](const auto* model) { return std::ranges::find(models, model) != models.end(); });
}

bool name_different_models(const std::vector<std::string>& parts, const Accelerators& accelerators) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!share_a_model(parts[j], parts[i], accelerators)) return true;
  return false;
}

bool is_of_one_model(std::string_view text, const Accelerators& accelerators) {
  const auto words = words_of(hardware_words(text));
  const auto has_all = [&](const std::string& label) {
    const auto there = hardware_words(label);
    return std::ranges::all_of(words, [&](const auto& word) { return has_word(there, word); });
  };
  return std::ranges::any_of(accelerators.all(), [&](const Accelerator& model) {
    return has_all(model.name) || has_all(model.title) || std::ranges::any_of(model.aliases, has_all);
  });
}

}  // namespace

std::vector<std::string> several_names(std::string_view text, const Accelerators& accelerators) {
  if (is_of_one_model(text, accelerators)) return {};
  const auto is_known = [&](const std::string& part) { return !accelerators.named(part).empty(); };
  auto parts = cut(text, ",;");
  std::erase_if(parts, [&](const auto& part) { return !is_known(part) && !looks_like_a_model(part); });
  drop_doubles(parts);
  if (parts.size() > 1 && std::ranges::any_of(parts, is_known)) return parts;
  auto words = cut(text, " ");
  std::erase_if(words, [&](const auto& word) { return !is_word_of_a_model(word, accelerators); });
  for (auto again : {cut(text, "+&|/"), cut_at_words(text), words}) {
    std::erase_if(again, [&](const auto& part) { return !may_be_a_name(part) || !is_known(part); });
    drop_doubles(again);
    if (again.size() > 1 && name_different_models(again, accelerators)) return again;
  }
  return {};
}

bool is_one_word(std::string_view text) { return text.find_first_of(" ,;+&|/") == text.npos; }

std::string gpu_beside_processor(std::string_view text, const Accelerators& accelerators) {
  auto parts = cut(text, ",;+&/");
  if (parts.size() < 2) return "";
  std::erase_if(parts, [&](const auto& part) { return accelerators.named(part).empty(); });
  return parts.size() == 1 ? parts.front() : "";
}

}  // namespace stackx::specs
