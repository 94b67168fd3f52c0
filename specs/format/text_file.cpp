#include "specs/format/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"
#include "specs/format/draft.hpp"
#include "specs/format/input_file.hpp"
#include "specs/format/json.hpp"
#include "specs/format/printable.hpp"

namespace stackx::specs {

std::string read_text_file(const std::filesystem::path& file, std::string_view kind, std::size_t most_mib) {
  std::string text = InputFile(file, kind).whole(most_mib << 20);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

bool replace_text_file(const std::filesystem::path& file, std::string_view text) {
  try {
    Draft draft(file);
    draft.write(text);
    draft.put_in_place_unsynced();
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& one : std::filesystem::directory_iterator(directory, error))
    if (one.path().extension() == ".json") files.push_back(one.path());
  std::ranges::sort(files);
  return files;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 200;
  return fmt::format("\"{}{}\"", printable(text.substr(0, most)), text.size() > most ? "..." : "");
}

}  // namespace stackx::specs
