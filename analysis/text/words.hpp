// Words that many sentences need.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <map>
#include <string>

namespace stackx::analysis {

// "1 stack", "2 stacks"
std::string counted(std::integral auto count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "cuda 10.1.243, driver 418.67"
inline std::string components_text(const std::map<std::string, std::string>& components) {
  std::string text;
  for (const auto& [name, version] : components)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, version);
  return text;
}

// The same of those that are not in `common`: what tells a stack from the others.
inline std::string label_of(const std::map<std::string, std::string>& components, const std::map<std::string, std::string>& common) {
  std::map<std::string, std::string> own;
  for (const auto& [name, version] : components)
    if (!common.contains(name)) own.emplace(name, version);
  return components_text(own);
}

// What fits into a sentence of a reason, which may be a log of many lines.
inline std::string first_words(const std::string& reason, std::size_t most = 160) {
  const auto line = reason.substr(0, reason.find_first_of("\r\n"));
  return line.size() <= most ? line : line.substr(0, line.rfind(' ', most)) + " ...";
}

}  // namespace stackx::analysis
