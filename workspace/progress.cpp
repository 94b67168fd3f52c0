#include "workspace/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "specs/format/printable.hpp"
#include "workspace/output.hpp"

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
  if (drawn_) redraw("");
  drawn_ = false;
}

void ProgressLine::show(std::string line) {
  last_ = std::move(line);
  if (terminal_) {
    redraw(last_.substr(0, terminal_width() - 1));
    drawn_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kQuietInterval;
  workspace::say("{}{}\n", name_, last_);
  last_.clear();
}

void ProgressLine::say(const std::string& line) {
  clear();
  workspace::say("{}{}\n", name_, specs::printable(line));
}

void ProgressLine::finish() {
  if (terminal_ && drawn_) workspace::say("\n");
  if (!terminal_ && !last_.empty()) workspace::say("{}{}\n", name_, last_);
  drawn_ = false;
  last_.clear();
}

}  // namespace stackx::workspace
