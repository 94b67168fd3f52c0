#include "inspector/python/wheel_manifest.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace stackx::inspector {
namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;  // of 500,000 files, the most that a wheel may have

// Without values between: 12,000 files as Nodes take as long as linking them.
class ManifestReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<WheelFile> files;
  bool is_ours = false;

  bool key(std::string& name) override {
    key_.swap(name);
    return true;
  }
  bool string(std::string& value) override {
    if (key_ == "path" && depth_ == in_file) files.back().path.swap(value);
    if (key_ == "sha256" && depth_ == in_file) files.back().sha256.swap(value);
    if (key_ == "$schema" && depth_ == 1) is_ours = value == wheel_schema;
    return true;
  }
  bool number_unsigned(std::uint64_t value) override {
    if (key_ != "size" || depth_ != in_file) return false;
    files.back().size = value;
    return true;
  }
  bool start_object(std::size_t) override {
    if (++depth_ == in_file) files.emplace_back();
    return depth_ == 1 || depth_ == in_file;
  }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override { return ++depth_ == 2 && key_ == "files"; }
  bool end_array() override { return --depth_, true; }
  // What no manifest of ours holds.
  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_integer(std::int64_t) override { return false; }
  bool number_float(double, const std::string&) override { return false; }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  static constexpr int in_file = 3;
  std::string key_;
  int depth_ = 0;
};

}  // namespace

std::optional<std::vector<WheelFile>> read_wheel_manifest(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || size > most_bytes) return std::nullopt;
  std::string text(size, '\0');
  if (!std::ifstream(file, std::ios::binary).read(text.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  ManifestReader reader;
  const bool read = nlohmann::json::sax_parse(text, &reader) && reader.is_ours &&
                    std::ranges::none_of(reader.files, &std::string::empty, &WheelFile::path);
  return read ? std::optional(std::move(reader.files)) : std::nullopt;
}

}  // namespace stackx::inspector
