#include "specs/project/is_project.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "specs/error.hpp"
#include "specs/format/input_file.hpp"
#include "specs/python/lock_file.hpp"
#include "specs/python/project.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::specs {

void check_is_project(const std::filesystem::path& file) {
  constexpr const char* what_is_one =
      "a project is a JSON document (stackx/project/1), requirements.txt (*.txt, *.in), Pipfile, pyproject.toml, conda's "
      "environment.yml or an Amun specification";
  if (is_lock_file(file))
    throw bad_input(file.string() +
                    ": a lock file is one stack, and no project to choose stacks of. `stackx advise --lock` says what to change in it, "
                    "`stackx blame OLD NEW` what an upgrade from it changed");
  if (is_python_project(file)) return;  // whose readers say what is wrong
  std::error_code ignored;
  const auto kind = std::filesystem::status(file, ignored).type();
  if (kind == std::filesystem::file_type::fifo) return;  // whose writer would be told that nobody reads
  try {
    InputFile input(file, "a project");
    std::array<char, 4096> beginning{};
    if (kind != std::filesystem::file_type::regular || file.extension() == ".json") return;
    const std::string_view text(beginning.data(), input.read(beginning.data(), beginning.size()));
    const auto first = trim(text.substr(text.starts_with("\xef\xbb\xbf") ? 3 : 0)).text;
    if (first.starts_with('{')) return;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}\n  {}", error.what(), what_is_one));
  }
  throw bad_input(fmt::format("{}: is no project\n  {}", file.string(), what_is_one));
}

}  // namespace stackx::specs
