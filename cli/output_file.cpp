#include "cli/output_file.hpp"

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
  const fs::path part = output + ".part";
  std::ofstream stream(part, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) fs::rename(part, output, error);
  if (stream && !error) return;
  fs::remove(part, error);
  throw broken_environment(
      fmt::format("{}: cannot be written; name another file with -o, or none for stdout", output));
}

}  // namespace stackx::cli
