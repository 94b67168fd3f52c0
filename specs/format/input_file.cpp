#include "specs/format/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "specs/error.hpp"
#include "specs/format/nearest.hpp"
#include "specs/format/text_file.hpp"

namespace stackx::specs {

std::string where_instead(const std::filesystem::path& file) {
  constexpr std::size_t most_looked_at = 10'000;
  const auto name = file.filename().string();
  std::vector<std::string> others;
  std::error_code error;
  const auto directory = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  for (auto entry = std::filesystem::directory_iterator(directory, error);
       !error && entry != std::filesystem::directory_iterator() && others.size() < most_looked_at; entry.increment(error))
    if (const auto other = entry->path().filename().string(); other != name) others.push_back(other);  // a dangling link is called so
  std::ranges::sort(others);
  const auto near = nearest(name, others);
  if (!near || edit_distance(name, *near) > std::max<std::size_t>(1, std::min(name.size(), near->size()) / 4))
    return "; check the path";
  return fmt::format("; did you mean {}?", in_quotes((file.parent_path() / *near).string()));
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto writer_comes_within = std::chrono::seconds(10);
// Of a file: what lies on a disk is there at once.
constexpr auto content_comes_within = std::chrono::seconds(1);

[[noreturn]] void fail_opening(const std::string& name) {
  if (errno == ENOENT || errno == ENOTDIR) throw bad_input(name + ": no such file" + where_instead(name));
  if (errno == ELOOP || errno == ENAMETOOLONG)
    throw bad_input(
        fmt::format("{}: cannot be read: {}; check the path", name, std::strerror(errno)));
  throw broken_environment(
      fmt::format("{}: cannot be read: {}; check its permissions", name, std::strerror(errno)));
}

bool is_endless(int descriptor, const struct stat& status) {
  if (S_ISBLK(status.st_mode)) return true;
  return S_ISCHR(status.st_mode) && !isatty(descriptor) &&
         status.st_rdev != makedev(1, 3);  // /dev/null ends
}

// Whether all who wrote into this pipe since it was opened are gone.
bool is_hung_up(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return poll(&one, 1, 0) > 0 && (one.revents & POLLHUP);
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& file, std::string_view kind, bool or_stdin)
    : name_(file.string()), kind_(kind) {
  if (or_stdin && name_ == "-") {
    name_ = "stdin";
    begun_ = true;  // its flags are not ours to change
    descriptor_ = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  } else {
    descriptor_ = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  }
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail_opening(name_);
  is_file_ = S_ISREG(status.st_mode);
  const char* what = S_ISDIR(status.st_mode)           ? "directory"
                     : is_endless(descriptor_, status) ? "device"
                                                       : nullptr;
  if (!what) return;
  ::close(descriptor_);
  throw bad_input(fmt::format("{}: is a {}; expected {}", name_, what, kind_));
}

InputFile::~InputFile() { ::close(descriptor_); }

// The first bytes: opened without waiting, a pipe shows whether somebody has it open for writing.
std::size_t InputFile::begin(char* buffer, std::size_t size) {
  const auto last = Clock::now() + writer_comes_within;
  ssize_t got = 0;
  while ((got = ::read(descriptor_, buffer, size)) == 0) {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISFIFO(status.st_mode) || is_hung_up(descriptor_))
      break;
    if (Clock::now() > last)
      throw bad_input(
          fmt::format("{}: is a pipe into which nobody writes; start its writer first", name_));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  begun_ = true;
  if (!is_file_) ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
  return got > 0 ? static_cast<std::size_t>(got) : got == 0 ? 0 : read(buffer, size);
}

// A stdin that somebody made non-blocking is waited for as any other; of files, those of the kernel that never end
// (/proc/kmsg) have nothing to read for a while.
void InputFile::wait(Clock::time_point since) const {
  if (is_file_ && Clock::now() - since > content_comes_within)
    throw bad_input(fmt::format("{}: has no end, and nothing more comes; expected {}", name_, kind_));
  pollfd one{descriptor_, POLLIN, 0};
  ::poll(&one, 1, is_file_ ? 50 : -1);
}

std::size_t InputFile::read(char* buffer, std::size_t size) {
  if (!begun_) return begin(buffer, size);
  for (const auto since = Clock::now();;) {
    const ssize_t got = ::read(descriptor_, buffer, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EAGAIN)
      wait(since);
    else if (errno != EINTR)
      throw broken_environment(fmt::format("{}: reading failed half-way: {}; check the disk", name_,
                                           std::strerror(errno)));
  }
}

std::string InputFile::whole(std::size_t most) {
  std::string text;
  std::vector<char> buffer(1 << 16);
  while (const std::size_t got = read(buffer.data(), buffer.size())) {
    text.append(buffer.data(), got);
    if (text.size() > most)
      throw bad_input(fmt::format("{}: larger than {} MiB; expected {}", name_, most >> 20, kind_));
  }
  return text;
}

}  // namespace stackx::specs
