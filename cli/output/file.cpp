#include "cli/output/file.hpp"

#include <filesystem>

#include "specs/format/output_file.hpp"
#include "workspace/output.hpp"

namespace stackx::cli {

void write_output(const std::string& output, const std::string& text) {
  if (output.empty() || output == "-") {
    workspace::write_out(text);
    return;
  }
  specs::OutputFile file(output);
  file.write(text);
  file.finish();
}

void write_whole(const std::string& output, const std::string& text) {
  const auto directory = std::filesystem::path(output).parent_path();
  if (!directory.empty()) std::filesystem::create_directories(directory);
  write_output(output, text);
}

}  // namespace stackx::cli
