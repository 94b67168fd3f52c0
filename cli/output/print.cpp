#include "cli/output/print.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "workspace/captured.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

void print_json(const nlohmann::json& document) { workspace::print("{}\n", document.dump()); }

void print_paragraph(const std::string& text, std::size_t indent) { print_paragraph(analysis::split(text), indent); }

void print_paragraph(const std::vector<std::string>& words, std::size_t indent) {
  workspace::write_out(analysis::wrap(words, indent, "", output_width(analysis::unfolded)) + "\n");
}

void print_line(const std::string& text, std::size_t indent) {
  workspace::write_out(analysis::hanging(text, indent, output_width(analysis::unfolded)));
}

void print_table(std::vector<analysis::Column> columns, const std::vector<std::vector<std::string>>& rows) {
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) columns[c].cells.push_back(row[c]);
  workspace::write_out(analysis::table_text(columns, analysis::Paint{in_colour()}, output_width(analysis::unfolded)));
}

bool stdout_is_terminal() { return !workspace::Captured::current() && isatty(STDOUT_FILENO) == 1; }

std::optional<std::size_t> terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::size_t output_width(std::size_t usual) {
  if (const auto* captured = workspace::Captured::current()) return captured->columns;
  std::size_t width = 0;
  if (const auto terminal = terminal_width(STDOUT_FILENO))
    width = *terminal;
  else if (const char* columns = std::getenv("COLUMNS"); columns && std::atoi(columns) > 0)
    width = static_cast<std::size_t>(std::atoi(columns));
  return width == 0 ? usual : std::clamp<std::size_t>(width, 60, 160);
}

bool in_colour() {
  const char* refused = std::getenv("NO_COLOR");
  return stdout_is_terminal() && !(refused && *refused);
}

}  // namespace stackx::cli
