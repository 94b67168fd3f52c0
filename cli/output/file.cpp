#include "cli/output/file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "specs/error.hpp"

namespace stackx::cli {

namespace fs = std::filesystem;

void write_output(const std::string& output, const std::string& text) {
  if (output.empty() || output == "-") {
    fmt::print("{}", text);
    return;
  }
  std::error_code unknown;
  const bool device = fs::exists(output, unknown) && !fs::is_regular_file(output, unknown);
  const fs::path part = device ? output : output + ".part";  // /dev/null is written, never replaced
  std::ofstream stream(part, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream && !device) fs::rename(part, output, error);
  if (stream && !error) return;
  if (!device) fs::remove(part, error);
  throw broken_environment(
      fmt::format("{}: cannot be written; name another file", output));
}

}  // namespace stackx::cli
