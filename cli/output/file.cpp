#include "cli/output/file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

namespace fs = std::filesystem;

void write_output(const std::string& output, const std::string& text) {
  if (output.empty() || output == "-") {
    workspace::print("{}", text);
    return;
  }
  std::error_code unknown;
  const bool device = fs::exists(output, unknown) && !fs::is_regular_file(output, unknown);
  if (device) {  // /dev/null is written, never replaced
    std::ofstream stream(output, std::ios::binary);
    stream << text;
    stream.close();
    if (stream) return;
  } else if (specs::replace_text_file(output, text)) {
    return;
  }
  throw broken_environment(
      fmt::format("{}: cannot be written; name another file", output));
}

}  // namespace stackx::cli
