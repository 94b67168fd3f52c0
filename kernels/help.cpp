#include "kernels/help.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/pi.hpp"

namespace stackx::kernels {
namespace {

// `first`, then the words of `text`; further lines begin at `indent`.
std::string folded_line(std::string first, const std::string& text, std::size_t indent, std::optional<std::size_t> width) {
  if (!width) return first + text + "\n";
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (at > 0 && first.size() + 1 + word.size() > *width) {
      lines += first + "\n";
      first = std::string(indent, ' ') + word;
    } else {
      first += (at > 0 ? " " : "") + word;
    }
    at = end + 1;
  }
  return lines + first + "\n";
}

}  // namespace

std::string help_text(std::optional<std::size_t> width) {
  constexpr std::size_t second_column = 17, of_options = 20;
  const std::string usage = "usage: ";
  auto text = fmt::format("stackx-pi {}: performance indicators, one JSON object on stdout\n\n", STACKX_VERSION);
  text += folded_line(usage, "stackx-pi NAME [--library PATH] [--component NAME] [--with PATH ...] [key=value ...]", usage.size() + 2, width);
  text += "       stackx-pi list | --help | --version\n\n";
  text += folded_line("  --library PATH    ", "the shared library to load and measure", of_options, width);
  text += folded_line("  --component NAME  ", "what to call it in the output (default: its kind)", of_options, width);
  text += folded_line("  --with PATH       ", "a further library of the stack, such as libcudart; repeatable", of_options, width);
  for (const Pi& pi : all_pis()) {
    text += folded_line("\n", fmt::format("{}: {}", pi.name, pi.summary), 2, width);
    for (const Parameter& p : pi.parameters)
      text += folded_line(fmt::format("  {:<14} ", p.key), fmt::format("{} [{}]", p.help, p.fallback), second_column, width);
  }
  return text;
}

std::optional<std::size_t> stdout_width() {
  constexpr std::size_t narrowest = 60, widest = 160;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::clamp<std::size_t>(size.ws_col, narrowest, widest);
  const char* columns = std::getenv("COLUMNS");
  if (columns == nullptr || std::atoi(columns) <= 0) return std::nullopt;
  return std::clamp(static_cast<std::size_t>(std::atoi(columns)), narrowest, widest);
}

}  // namespace stackx::kernels
