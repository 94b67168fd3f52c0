#include "workspace/progress.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>


namespace stackx::workspace {
namespace {

constexpr std::chrono::seconds kQuietInterval{5};  // between lines where stderr is a file or a pipe

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 100;
}

}  // namespace

ProgressLine::ProgressLine(std::string name)
    : name_(std::move(name)), terminal_(name_.empty() && isatty(STDERR_FILENO) == 1) {}

void ProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

void ProgressLine::show(std::string line) {
  last_ = std::move(line);
  if (terminal_) {
    clear();
    fmt::print(stderr, "{}", last_.substr(0, terminal_width() - 1));
    std::fflush(stderr);
    drawn_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kQuietInterval;
  fmt::print(stderr, "{}{}\n", name_, last_);
  last_.clear();
}

void ProgressLine::say(const std::string& line) {
  clear();
  fmt::print(stderr, "{}{}\n", name_, line);
}

void ProgressLine::finish() {
  if (terminal_ && drawn_) fmt::print(stderr, "\n");
  if (!terminal_ && !last_.empty()) fmt::print(stderr, "{}{}\n", name_, last_);
  drawn_ = false;
  last_.clear();
}

}  // namespace stackx::workspace
