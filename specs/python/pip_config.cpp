#include "specs/python/pip_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

#include "specs/error.hpp"
#include "specs/format/brief.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {
namespace {

// 'a', "it's", and \n between several.
std::string unquoted(std::string_view text) {
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"')) return std::string(text);
  std::string result;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != '\\' || i + 2 >= text.size()) {
      result += text[i];
      continue;
    }
    const char escaped = text[++i];
    result += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
  }
  return result;
}

// PIP_EXTRA_INDEX_URL -> extra-index-url
std::string key_of(std::string_view variable) {
  auto key = lowered(variable.substr(4));
  std::ranges::replace(key, '_', '-');
  return key;
}

[[noreturn]] void refuse(const std::string& key, const std::string& value, const char* expected) {
  throw bad_input(fmt::format("pip's {} ($PIP_..., `pip config list`) is {}; expected {}", key, in_quotes(value), expected));
}

}  // namespace

PipConfig::PipConfig(const std::string& listed, const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment)
    if (name.starts_with("PIP_") && !value.empty()) values_.emplace(key_of(name), value);
  for (const std::string section : {":env:.", "install.", "global."}) {
    std::istringstream lines(listed);
    for (std::string line; std::getline(lines, line);) {
      const auto equals = line.find('=');
      if (!line.starts_with(section) || equals == line.npos) continue;
      const auto value = unquoted(trim(std::string_view(line).substr(equals + 1)).text);
      if (!value.empty()) values_.emplace(line.substr(section.size(), equals - section.size()), value);
    }
  }
}

bool pip_reads_files(const std::map<std::string, std::string>& environment) {
  const auto file = environment.find("PIP_CONFIG_FILE");
  return file == environment.end() || file->second != "/dev/null";
}

std::string PipConfig::text(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? "" : std::string(trim(found->second).text);
}

std::vector<std::string> PipConfig::list(const std::string& key) const {
  std::istringstream words(text(key));
  std::vector<std::string> result;
  for (std::string word; words >> word;) result.push_back(word);
  return result;
}

bool PipConfig::flag(const std::string& key) const {
  const auto value = text(key), word = lowered(value);
  for (const char* no : {"", "n", "no", "f", "false", "off", "0"})
    if (word == no) return false;
  for (const char* yes : {"y", "yes", "t", "true", "on", "1"})
    if (word == yes) return true;
  refuse(key, value, "yes or no, true or false, 1 or 0");
}

std::optional<double> PipConfig::number(const std::string& key) const {
  const auto value = text(key);
  if (value.empty()) return std::nullopt;
  double result = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (error != std::errc() || end != value.data() + value.size() || !(result >= 0 && result < 1e6))
    refuse(key, value, "a number, 0 or more");
  return result;
}

}  // namespace stackx::specs
