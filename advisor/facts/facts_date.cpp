#include "advisor/facts/facts_date.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <string_view>
#include <system_error>

namespace stackx::advisor {
namespace {

// The date is written before the releases (specs::to_text), so the beginning is enough.
std::string date_in(const std::filesystem::path& file) {
  constexpr std::string_view key = "\"as_of\": \"";
  constexpr std::size_t date_length = 10;
  std::array<char, 1024> buffer{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(buffer.data(), buffer.size());
  const std::string_view head(buffer.data(), static_cast<std::size_t>(stream.gcount()));
  const std::size_t at = head.find(key);
  if (at == head.npos) return "";
  const auto date = head.substr(at + key.size(), date_length);
  const bool good = date.size() == date_length && date.find_first_not_of("0123456789-") == date.npos;
  return good ? std::string(date) : "";
}

}  // namespace

std::string facts_date(const std::filesystem::path& directory) {
  std::string newest;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".json") newest = std::max(newest, date_in(at->path()));
  return newest;
}

}  // namespace stackx::advisor
