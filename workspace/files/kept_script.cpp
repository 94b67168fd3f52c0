#include "workspace/files/kept_script.hpp"

#include <fmt/format.h>

#include "inspector/cache/exposure.hpp"
#include "inspector/paths.hpp"
#include "specs/error.hpp"
#include "specs/format/digest.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::workspace {

std::filesystem::path kept_script(const std::string& text) {
  const auto file = inspector::cache_directory() / "scripts" / (specs::sha256(text) + ".py");
  const inspector::ReadableByAll readable;
  std::error_code error;  // then writing tells
  std::filesystem::create_directories(file.parent_path(), error);
  if (!specs::replace_text_file(file, text))
    throw broken_environment(fmt::format("{}: cannot be written; set XDG_CACHE_HOME to another directory", file.string()));
  return file;
}

}  // namespace stackx::workspace
