#include "analysis/ranking/stack_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace stackx::analysis {
namespace {

constexpr std::size_t longest_name = 60;

struct Called {
  const char *component, *name;
};
// What computes, most telling first, by the names that its makers give it.
constexpr std::array called{Called{"ngc", "NGC"},
                            Called{"torch", "torch"},
                            Called{"tensorflow", "tensorflow"},
                            Called{"jax", "jax"},
                            Called{"mxnet", "mxnet"},
                            Called{"onnxruntime", "onnxruntime"},
                            Called{"onednn-cpu-gomp", "oneDNN"},
                            Called{"onednn-cpu-iomp", "oneDNN"},
                            Called{"mkl", "MKL"},
                            Called{"debian-openblas", "OpenBLAS"},
                            Called{"scipy-openblas32", "OpenBLAS"},
                            Called{"scipy-openblas64", "OpenBLAS"},
                            Called{"openblas", "OpenBLAS"},
                            Called{"debian-blis", "BLIS"},
                            Called{"netlib-blas", "netlib BLAS"},
                            Called{"numpy", "numpy"},
                            Called{"cublas", "cuBLAS"},
                            Called{"cudnn", "cuDNN"},
                            Called{"cuda", "CUDA"}};

std::size_t place_of(const std::string& component) {
  const auto found =
      std::ranges::find(called, component, [](const Called& one) { return std::string(one.component); });
  return static_cast<std::size_t>(found - called.begin());
}

bool is_version(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front()));
}

std::string threads_text(const std::string& number) { return number + (number == "1" ? " thread" : " threads"); }

bool is_switch(const std::string& value) { return value == "on" || value == "off"; }

// Words that say nothing without the setting they are of.
bool says_little(const std::string& value) {
  return is_switch(value) || value.size() < 3 || value == "auto" || value == "default" || value == "system" || value == "none";
}

// Libraries and frameworks, other versions, threads, settings.
std::size_t priority(const std::string& component, const std::string& version) {
  if (const auto place = place_of(component); place < called.size()) return place;
  if (component == "threads") return called.size() + 1;
  return called.size() + (is_version(version) ? 0 : 2);
}

}  // namespace

StackNames::StackNames(const Ranking& ranking) : common_(common_components(ranking)) {
  for (const auto* rows : {&ranking.recommendations, &ranking.failed})
    for (const Recommendation& row : *rows) {
      stacks_.push_back(&row.stack);
      for (const auto& [name, version] : row.stack.components) {
        components_.insert(name);
        if (!common_.contains(name)) differing_.insert(name);
      }
    }
}

// So few components, the most telling first, that no other stack has them all.
std::vector<StackNames::Part> StackNames::telling(const specs::Stack& stack) const {
  std::vector<Part> open;
  for (const auto& part : stack.components)
    if (differing_.contains(part.first) || (stacks_.size() == 1 && place_of(part.first) < called.size()))
      open.push_back(part);
  std::ranges::stable_sort(open, {}, [](const Part& part) { return priority(part.first, part.second); });
  std::vector<const specs::Stack*> others;
  for (const auto* other : stacks_)
    if (*other != stack) others.push_back(other);
  std::vector<Part> chosen;
  for (const Part& part : open) {
    const auto left = std::erase_if(others, [&](const specs::Stack* other) {
      const auto found = other->components.find(part.first);
      return found == other->components.end() || found->second != part.second;
    });
    if (left > 0 || chosen.empty()) chosen.push_back(part);
    if (others.empty()) break;
  }
  if (!others.empty()) chosen.emplace_back();  // another has all that this one has, and more
  return chosen;
}

// The component's own name where two of the ranking would be called alike.
std::string StackNames::label(const std::string& component) const {
  const auto place = place_of(component);
  if (place == called.size()) return component;
  const std::string name = called[place].name;
  const auto alike = std::ranges::count_if(
      called, [&](const Called& one) { return one.name == name && components_.contains(one.component); });
  return alike > 1 ? component : name;
}

std::string StackNames::text(const std::vector<Part>& parts, const specs::Stack& stack) const {
  std::string result, threads;
  bool cut = parts.empty();
  for (const auto& [name, version] : parts) {
    std::string words = says_little(version) || is_version(version) ? label(name) + " " + version : version;
    if (name.empty())
      cut = true;  // names nothing, see telling()
    else if (name == "threads")
      threads = threads_text(version);
    else if (result.size() + words.size() > longest_name)
      cut = true;
    else
      result += (result.empty() ? "" : ", ") + words;
  }
  if (!threads.empty()) result += (result.empty() ? "" : " with ") + threads;
  if (cut) result += result.empty() ? stack.short_id() : fmt::format(" ({})", stack.short_id());
  return result;
}

std::string StackNames::shared() const {
  constexpr std::size_t most = 4;
  std::vector<Part> parts;
  for (const auto& part : common_)
    if (part.first != "cpu" && part.first != "gpu") parts.push_back(part);
  std::ranges::stable_sort(parts, {}, [](const Part& part) { return priority(part.first, part.second); });
  std::string result;
  for (std::size_t i = 0; i < std::min(most, parts.size()); ++i) {
    const auto& [name, version] = parts[i];
    result += (i == 0 ? "" : ", ") + (name == "threads" ? threads_text(version) : label(name) + " " + version);
  }
  if (parts.size() > most) result += fmt::format(" and {} more", parts.size() - most);
  return result;
}

std::string StackNames::of(const specs::Stack& stack) const {
  const auto parts = telling(stack);
  if (differing_.size() == 1 && parts.size() == 1 && !parts.front().first.empty() &&
      !is_version(parts.front().second) && !is_switch(parts.front().second))
    return parts.front().second;
  return text(parts, stack);
}

std::string StackNames::subject(const specs::Stack& stack) const {
  const auto parts = telling(stack);
  if (parts.size() == 1 && !parts.front().first.empty() && parts.front().first != "threads")
    return label(parts.front().first) + " " + parts.front().second;
  return text(parts, stack);
}

}  // namespace stackx::analysis
