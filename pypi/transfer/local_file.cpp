#include "pypi/transfer/local_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "pypi/distribution/archive.hpp"
#include "pypi/transfer/url.hpp"
#include "specs/version/text_scanner.hpp"

namespace stackx::pypi {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t tail_bytes = 64 << 10;

class Local {
 public:
  explicit Local(const fs::path& file) : stream_(file, std::ios::binary) {
    std::error_code error;
    size_ = fs::file_size(file, error);
    ok_ = stream_.is_open() && !error;
  }
  bool ok() const { return ok_; }
  std::uint64_t size() const { return size_; }

  std::string bytes(std::uint64_t first, std::uint64_t last) {  // inclusive; less where it ends before
    if (first >= size_) return "";
    std::string result(std::min(last, size_ - 1) - first + 1, '\0');
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(first));
    stream_.read(result.data(), static_cast<std::streamsize>(result.size()));
    result.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream_.gcount(), 0)));
    return result;
  }

 private:
  std::ifstream stream_;
  std::uint64_t size_ = 0;
  bool ok_ = false;
};

std::unexpected<std::string> unreadable() {
  return std::unexpected(fmt::format("its file cannot be read: {}", std::strerror(errno)));
}

std::expected<std::string, std::string> wheel_metadata(Local& wheel) {
  auto first = wheel.size() - std::min(wheel.size(), tail_bytes);
  auto found = find_metadata(wheel.bytes(first, wheel.size()), wheel.size());
  if (!found) return std::unexpected(found.error());
  if (const auto* directory = std::get_if<ByteRange>(&*found)) {
    found = find_metadata(wheel.bytes(directory->first, wheel.size()), wheel.size());
    if (!found) return std::unexpected(found.error());
  }
  const auto* member = std::get_if<Member>(&*found);
  if (!member) return std::unexpected("wheel cannot be read: no zip file");
  const auto range = bytes_of(*member);
  return read_member(wheel.bytes(range.first, range.last), *member);
}

}  // namespace

bool is_file_url(const std::string& url) { return specs::lowered(std::string_view(url).substr(0, 5)) == "file:"; }

std::string file_url(const fs::path& path) {
  std::string result = "file://";
  for (const unsigned char c : path.string())
    if (std::isalnum(c) != 0 || std::string_view("/-._~+!").find(static_cast<char>(c)) != std::string_view::npos)
      result += static_cast<char>(c);
    else
      result += fmt::format("%{:02X}", c);
  return result;
}

fs::path path_of_file_url(const std::string& url) {
  std::string_view rest = std::string_view(url).substr(5);
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    if (rest.starts_with("localhost/")) rest.remove_prefix(9);
    if (!rest.starts_with('/')) return {};
  }
  return percent_decoded(rest.substr(0, rest.find_first_of("?#")));
}

std::expected<std::string, std::string> local_bytes(const fs::path& file, std::uint64_t most) {
  errno = 0;
  Local local(file);
  if (!local.ok()) return unreadable();
  if (local.size() > most) return std::unexpected("its file is larger than it may be");
  return local.size() == 0 ? std::string() : local.bytes(0, local.size() - 1);
}

std::expected<std::string, std::string> local_metadata(const fs::path& file) {
  errno = 0;
  Local local(file);
  if (!local.ok()) return unreadable();
  if (file.extension() == ".whl") return wheel_metadata(local);
  if (local.size() > largest_source) return std::unexpected(source_too_large);
  const auto facts = read_source_archive(local.bytes(0, local.size()));
  if (!facts) return std::unexpected(facts.error());
  return source_metadata(*facts);
}

}  // namespace stackx::pypi
