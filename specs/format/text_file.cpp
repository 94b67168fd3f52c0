#include "specs/format/text_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "specs/error.hpp"
#include "specs/format/printable.hpp"

namespace stackx::specs {

std::string read_text_file(const std::filesystem::path& file, std::string_view kind) {
  constexpr std::size_t most = std::size_t(64) << 20;
  const std::string name = file.string();
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw bad_input(name + ": no such file; check the path");
  if (std::filesystem::is_directory(status))
    throw bad_input(fmt::format("{}: is a directory; expected {}", name, kind));
  std::ifstream in(file, std::ios::binary);
  if (!in) throw broken_environment(name + ": cannot be read; check its permissions");
  std::string text;
  std::vector<char> buffer(1 << 16);
  while (in.read(buffer.data(), std::ssize(buffer)) || in.gcount() > 0) {
    text.append(buffer.data(), std::size_t(in.gcount()));
    if (text.size() > most)
      throw bad_input(fmt::format("{}: larger than 64 MiB; expected {}", name, kind));
  }
  if (in.bad()) throw broken_environment(name + ": reading failed half-way; check the disk");
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

bool replace_text_file(const std::filesystem::path& file, std::string_view text) {
  const std::filesystem::path part = fmt::format("{}.{}.part", file.string(), getpid());
  std::ofstream stream(part, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(part, file, error);
  if (stream && !error) return true;
  std::filesystem::remove(part, error);
  return false;
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
