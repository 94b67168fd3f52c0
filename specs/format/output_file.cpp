#include "specs/format/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "specs/error.hpp"

namespace stackx::specs {
namespace {

[[noreturn]] void fail_writing(const std::string& name) {
  throw broken_environment(
      fmt::format("{}: cannot be written: {}; name another file", name, std::strerror(errno)));
}

bool is_device(const std::string& name) {
  std::error_code unknown;
  return std::filesystem::exists(name, unknown) && !std::filesystem::is_regular_file(name, unknown);
}

}  // namespace

OutputFile::OutputFile(const std::string& name) : name_(name) {
  if (name.empty() || name == "-") {
    name_ = "stdout";
    device_ = ::dup(STDOUT_FILENO);
  } else if (is_device(name)) {
    device_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    draft_.emplace(name);
    return;
  }
  if (device_ < 0) fail_writing(name_);
}

OutputFile::~OutputFile() {
  if (device_ >= 0) ::close(device_);
}

void OutputFile::write(std::string_view bytes) {
  if (draft_) return draft_->write(bytes);
  while (!bytes.empty()) {
    const ssize_t n = ::write(device_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_writing(name_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void OutputFile::finish() {
  if (draft_) draft_->put_in_place();
}

}  // namespace stackx::specs
