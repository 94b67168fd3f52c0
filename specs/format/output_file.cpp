#include "specs/format/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "specs/error.hpp"
#include "specs/format/real_file.hpp"

namespace stackx::specs {
namespace {

[[noreturn]] void fail_writing(const std::string& name) {
  throw broken_environment(
      fmt::format("{}: cannot be written: {}; name another file", name, std::strerror(errno)));
}

// "/dev/stdout", "/dev/fd/3": a descriptor of this process. Opened by name it would be another one, or a file that is
// replaced, and stdout that was closed would be open again.
std::optional<int> descriptor_of(std::string_view name) {
  if (name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(directory)) continue;
    int number = -1;
    const auto [end, wrong] = std::from_chars(name.data() + directory.size(), name.data() + name.size(), number);
    if (wrong == std::errc() && end == name.data() + name.size()) return number;
  }
  return std::nullopt;
}

// One slip of the hand would cost all that was ever measured.
void refuse_database(const std::string& name) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  std::string begin(magic.size(), ' ');
  std::ifstream(name, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin == magic)
    throw bad_input(fmt::format("{}: is a database, perhaps the store, and would be replaced; name another file, or "
                                "remove it first", name));
}

bool is_device(const std::string& name) {
  std::error_code unknown;
  return std::filesystem::exists(name, unknown) && !std::filesystem::is_regular_file(name, unknown);
}

}  // namespace

OutputFile::OutputFile(const std::string& name) : name_(name) {
  if (name.empty() || name == "-") {
    name_ = "stdout";
    device_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  } else if (const auto descriptor = descriptor_of(name)) {
    device_ = ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
  } else if (is_device(name)) {
    device_ = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    refuse_database(name);
    draft_.emplace(real_file(name));
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
    if (n < 0 && errno == EAGAIN) {  // who made the pipe said that nobody waits for it
      pollfd one{device_, POLLOUT, 0};
      ::poll(&one, 1, -1);
      continue;
    }
    if (n < 0) fail_writing(name_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void OutputFile::finish() {
  if (draft_) draft_->put_in_place();
}

}  // namespace stackx::specs
