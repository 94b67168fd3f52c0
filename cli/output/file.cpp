#include "cli/output/file.hpp"

#include <fmt/format.h>

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

}  // namespace stackx::cli
