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

bool stdout_is_terminal() { return !workspace::Captured::current() && isatty(STDOUT_FILENO) == 1; }

std::size_t output_width() {
  if (const auto* captured = workspace::Captured::current()) return captured->columns;
  winsize size{};
  int width = 100;
  if (stdout_is_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    width = size.ws_col;
  else if (const char* columns = std::getenv("COLUMNS"); columns && std::atoi(columns) > 0)
    width = std::atoi(columns);
  return static_cast<std::size_t>(std::clamp(width, 60, 160));
}

bool in_colour() {
  const char* refused = std::getenv("NO_COLOR");
  return stdout_is_terminal() && !(refused && *refused);
}

}  // namespace stackx::cli
