#include "cli/output/print.hpp"

#include <unistd.h>

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

std::size_t output_width(std::size_t usual) { return workspace::page_columns(STDOUT_FILENO).value_or(usual); }

bool in_colour() {
  const char* refused = std::getenv("NO_COLOR");
  return stdout_is_terminal() && !(refused && *refused);
}

}  // namespace stackx::cli
