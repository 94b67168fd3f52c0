#include "inspector/machine/tree.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace stackx::inspector {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view blanks = " \t\r\n";
constexpr int most_cpus = 1 << 16;  // a list that names more is not believed

}  // namespace

std::optional<std::string> Tree::text(const std::string& path) const {
  const fs::path file = root_ / fs::path(path).relative_path();
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  try {
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  } catch (const std::ios_base::failure&) {  // of a process that ended meanwhile
    return std::nullopt;
  }
}

std::optional<std::string> Tree::line(const std::string& path) const {
  const auto content = text(path);
  if (!content) return std::nullopt;
  std::string first = trim(std::string_view(*content).substr(0, content->find('\n')));
  if (first.empty()) return std::nullopt;
  return first;
}

std::optional<std::uint64_t> Tree::number(const std::string& path) const {
  const auto content = line(path);
  return content ? parse_unsigned(*content) : std::nullopt;
}

bool Tree::exists(const std::string& path) const {
  std::error_code error;
  return fs::exists(root_ / fs::path(path).relative_path(), error);
}

std::vector<std::string> Tree::entries(const std::string& directory) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(root_ / fs::path(directory).relative_path(), error), end;
       !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::vector<std::string> words(std::string_view text, std::string_view separators) {
  std::vector<std::string> result;
  for (std::size_t from = text.find_first_not_of(separators); from != std::string_view::npos;) {
    const std::size_t to = text.find_first_of(separators, from);
    result.emplace_back(text.substr(from, to - from));
    from = text.find_first_not_of(separators, to);
  }
  return result;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> value_of(std::string_view text, std::string_view key, char separator) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t split = line.find(separator);
    if (split != std::string_view::npos && trim(line.substr(0, split)) == key)
      return trim(line.substr(split + 1));
  }
  return std::nullopt;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  for (const std::string& part : words(text, ", \t\n")) {
    const std::size_t dash = part.find('-');
    const auto first = parse_unsigned(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : parse_unsigned(std::string_view(part).substr(dash + 1));
    if (!first || !last || *last < *first || *last >= most_cpus) return {};
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

}  // namespace stackx::inspector
