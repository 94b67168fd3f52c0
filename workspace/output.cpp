#include "workspace/output.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "analysis/text/table.hpp"
#include "specs/error.hpp"
#include "specs/format/printable.hpp"
#include "workspace/captured.hpp"

namespace stackx::workspace {
namespace {

thread_local Captured* captured = nullptr;
std::atomic<int> lost = 0;  // errno of the first time that stdout could not be written

[[noreturn]] void stdout_lost(int error) {
  lost = error;
  if (error == EPIPE) {  // the reader has what it wanted: as any filter ends
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  throw broken_environment(fmt::format("stdout cannot be written: {}; what was to stand there is lost", std::strerror(error)));
}

bool to_terminal() {
  static const bool terminal = isatty(STDOUT_FILENO) == 1;
  return terminal && !captured;
}

void put(std::string_view text) {
  if (captured) {
    captured->out += text;
    return;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) stdout_lost(errno);
}

void put_err(std::string_view text) {
  if (captured) {
    captured->err += text;
    return;
  }
  const int before = errno;
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  errno = before;
}

}  // namespace

Captured::Captured(std::size_t columns) : columns(columns), before_(std::exchange(captured, this)) {}
Captured::~Captured() { captured = before_; }
Captured* Captured::current() { return captured; }

void open_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // the lowest number that is free
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond `ulimit -f` is an error of write(2), said as others are
  std::signal(SIGPIPE, SIG_IGN);  // a reader of stderr that is gone ends nothing; of stdout, see stdout_lost()
}

void close_stdout() {
  if (lost != 0) stdout_lost(lost);                  // said to one who did not pass it on
  if (std::fclose(stdout) != 0) stdout_lost(errno);  // disks in a network report some errors only now
}

void write_out(std::string_view text) {
  const auto keep = to_terminal() ? specs::Keep::colours : specs::Keep::lines;
  if (specs::is_printable(text, keep))
    put(text);
  else
    put(specs::printable(text, keep));
}

void write_documents(std::string_view lines) { to_terminal() ? write_out(lines) : put(lines); }

void flush_out() {
  if (captured) return;
  if (std::fflush(stdout) != 0) stdout_lost(errno);
}

void write_err(std::string_view text) { put_err(specs::printable(text, specs::Keep::lines)); }

void write_remark(std::string_view text) {
  const auto width = page_columns(STDERR_FILENO);
  if (!width) return write_err(text);
  write_err(analysis::folded(std::string(text), *width));
}

std::optional<std::size_t> terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::optional<std::size_t> page_columns(int descriptor) {
  constexpr std::size_t narrowest = 60, widest = 160;
  if (captured) return descriptor == STDOUT_FILENO ? std::optional(captured->columns) : std::nullopt;
  if (const auto width = terminal_width(descriptor)) return std::clamp(*width, narrowest, widest);
  const char* columns = std::getenv("COLUMNS");
  if (columns == nullptr || std::atoi(columns) <= 0) return std::nullopt;
  return std::clamp(static_cast<std::size_t>(std::atoi(columns)), narrowest, widest);
}

void redraw(std::string_view text) {
  if (!captured) put_err("\r\033[K" + specs::printable(text));
}

}  // namespace stackx::workspace
