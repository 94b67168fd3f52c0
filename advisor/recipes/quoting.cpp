// Texts as the readers of recipes take them: in a comment, for a shell, in YAML, in TOML.
#include "advisor/recipes/quoting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/format/json.hpp"

namespace stackx::advisor {

// Beside ASCII's controls those of Latin-1 and what is no character: readers of YAML refuse them, or end the line.
std::string one_line(std::string_view text) {
  const std::string valid = specs::to_utf8(text);
  std::string result;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto at = [&](std::size_t k) {
      return static_cast<unsigned char>(k < valid.size() ? valid[k] : 0);
    };
    const bool latin = at(i) == 0xc2 && at(i + 1) < 0xa0;  // U+0080 to U+009F
    const bool separator =
        at(i) == 0xe2 && at(i + 1) == 0x80 && (at(i + 2) | 1) == 0xa9;  // U+2028, U+2029
    const bool none =
        at(i) == 0xef && ((at(i + 1) == 0xbf && at(i + 2) >= 0xbe) ||  // U+FFFE, U+FFFF
                          (at(i + 1) == 0xbb && at(i + 2) == 0xbf));   // U+FEFF
    if (latin || separator || none) {
      result += ' ';
      i += latin ? 1 : 2;
    } else {
      result += at(i) < 0x20 || at(i) == 0x7f ? ' ' : valid[i];
    }
  }
  return result;
}

bool has_control(const std::string& text) {
  return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// An interactive bash reads `!` in double quotes, too.
std::string shell_word(const std::string& text) {
  if (shell_quoted(text) == text) return text;
  return text.find_first_of("\"$`\\!") == text.npos && !has_control(text) ? "\"" + text + "\"" : shell_quoted(text);
}

// Double-quoted YAML is JSON's string in ASCII, except that what takes two \u in JSON is one \U there.
std::string yaml_text(const std::string& text) {
  const auto json = specs::Json(specs::to_utf8(text)).dump(-1, ' ', true);
  std::string result;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] != '\\') {
      result += json[i];
      continue;
    }
    const auto unit = [&](std::size_t at) { return std::stoul(json.substr(at, 4), nullptr, 16); };
    if (json[i + 1] == 'u' && unit(i + 2) >= 0xd800 && unit(i + 2) < 0xdc00) {
      result += fmt::format("\\U{:08x}",
                            0x10000 + ((unit(i + 2) - 0xd800) << 10) + (unit(i + 8) - 0xdc00));
      i += 11;
    } else {
      result += json.substr(i, 2);
      ++i;
    }
  }
  return result;
}

// JSON's strings are TOML's basic strings once DEL is escaped.
std::string toml_text(const std::string& text) {
  std::string result = specs::Json(specs::to_utf8(text)).dump();
  for (std::size_t at; (at = result.find('\x7f')) != result.npos;) result.replace(at, 1, "\\u007F");
  return result;
}

}  // namespace stackx::advisor
