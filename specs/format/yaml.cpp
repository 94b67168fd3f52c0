#include "specs/format/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"

namespace stackx::specs {
namespace {

using Lines = std::vector<std::string>;

// Words that some reader of YAML takes for a boolean or for nothing.
bool yaml_word(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  for (const char* word : {"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
    if (lower == word) return true;
  return false;
}

std::string yaml_key(const std::string& key) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '_' ||
           c == '-';
  };
  const bool begins = !key.empty() && ((key[0] >= 'a' && key[0] <= 'z') || (key[0] >= 'A' && key[0] <= 'Z'));
  return begins && std::ranges::all_of(key, plain) && !yaml_word(key) ? key : yaml_text(key);
}

// Whether a literal block says exactly this: whole lines, the last one ended, nothing that readers refuse or change.
bool fits_block(const std::string& text) {
  return text.size() > 1 && text.ends_with('\n') && !text.ends_with("\n\n") && text[0] > ' ' &&
         text.find_first_of("\r\xef") == text.npos && is_printable(text, Keep::lines);
}

void add_comment(Lines& lines, const std::map<std::string, std::string>& comments, const std::string& pointer) {
  const auto found = comments.find(pointer);
  if (found == comments.end()) return;
  for (std::string_view rest = found->second; !rest.empty();) {
    const auto end = rest.find('\n');
    lines.push_back(fmt::format("# {}", rest.substr(0, end)));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
}

Lines block_lines(const std::string& text) {
  Lines lines{"|"};
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

struct Printer {
  const std::map<std::string, std::string>& comments;

  // The first line goes on where the key or the dash stands if `inlined`, as scalars and blocks do.
  static bool inlined(const Json& value) { return !value.is_structured() || value.empty(); }

  Lines lines_of(const Json& value, const std::string& pointer) const {
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      return fits_block(text) ? block_lines(text) : Lines{yaml_text(text)};
    }
    if (inlined(value)) return {value.dump()};
    return value.is_object() ? members(value, pointer) : items(value, pointer);
  }

  Lines members(const Json& object, const std::string& pointer) const {
    Lines lines;
    for (const auto& [key, value] : object.items()) {
      const auto at = pointer + (Json::json_pointer() / key).to_string();
      add_comment(lines, comments, at);
      const auto nested = lines_of(value, at);
      lines.push_back(yaml_key(key) + ":" + (inlined(value) ? " " + nested.front() : ""));
      for (auto line = nested.begin() + (inlined(value) ? 1 : 0); line != nested.end(); ++line) lines.push_back("  " + *line);
    }
    return lines;
  }

  Lines items(const Json& array, const std::string& pointer) const {
    Lines lines;
    for (std::size_t i = 0; i < array.size(); ++i) {
      const auto at = fmt::format("{}/{}", pointer, i);
      add_comment(lines, comments, at);
      bool begun = false;
      for (const auto& line : lines_of(array[i], at)) {
        const bool before = !begun && line.starts_with('#');
        lines.push_back((begun ? "  " : before ? "" : "- ") + line);
        begun = begun || !before;
      }
    }
    return lines;
  }
};

}  // namespace

// JSON's string in ASCII, except that what takes two \u in JSON is one \U there.
std::string yaml_text(const std::string& text) {
  const auto json = Json(to_utf8(text)).dump(-1, ' ', true);
  std::string result;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] != '\\') {
      result += json[i];
      continue;
    }
    const auto unit = [&](std::size_t at) { return std::stoul(json.substr(at, 4), nullptr, 16); };
    if (json[i + 1] == 'u' && unit(i + 2) >= 0xd800 && unit(i + 2) < 0xdc00) {
      result += fmt::format("\\U{:08x}", 0x10000 + ((unit(i + 2) - 0xd800) << 10) + (unit(i + 8) - 0xdc00));
      i += 11;
    } else {
      result += json.substr(i, 2);
      ++i;
    }
  }
  return result;
}

std::string yaml_of(const Json& document, const std::map<std::string, std::string>& comments) {
  std::string text;
  Lines lines;
  add_comment(lines, comments, "");
  for (auto& line : Printer{comments}.lines_of(document, "")) lines.push_back(std::move(line));
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace stackx::specs
