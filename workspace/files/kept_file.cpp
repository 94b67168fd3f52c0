#include "workspace/files/kept_file.hpp"

#include "specs/error.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::workspace {

void keep_file(const std::filesystem::path& file, std::string_view text) {
  std::error_code refused;  // then writing tells
  std::filesystem::create_directories(file.parent_path(), refused);
  if (!specs::replace_text_file(file, text)) throw broken_environment(file.string() + ": cannot be written; is the disk full?");
}

}  // namespace stackx::workspace
