#include "analysis/report/csv.hpp"

#include <charconv>

#include "specs/format/printable.hpp"

namespace stackx::analysis {
namespace {

bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// `passed`: what may stand before it.
bool is_formula(std::string_view text, const char* passed = " ") {
  const auto first = text.find_first_not_of(passed);
  return first != text.npos && std::string_view("=+-@\t\r\n").find(text[first]) != text.npos && !is_number(text);
}

// Where commas are decimal, spreadsheets part cells at ';' instead, also inside of what is quoted here.
std::string guarded(std::string_view text) {
  std::string result = is_formula(text) ? "'" : "";
  while (true) {
    const auto end = text.find(';');
    result += text.substr(0, end);
    if (end == text.npos) return result;
    text.remove_prefix(end + 1);
    result += is_formula(text.substr(0, text.find(';')), " \"") ? ";'" : ";";
  }
}

}  // namespace

std::string csv_field(std::string_view text) {
  const std::string cell = specs::printable(guarded(text));
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + csv_field(fields[i]);
  return line + "\r\n";
}

}  // namespace stackx::analysis
