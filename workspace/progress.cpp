#include "workspace/progress.hpp"

#include <unistd.h>

#include "workspace/output.hpp"

namespace stackx::workspace {
namespace {

constexpr std::chrono::seconds kQuietInterval{5};  // between lines where stderr is a file or a pipe
constexpr std::size_t usual_width = 100;           // of a terminal that does not say

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
    redraw(last_.substr(0, terminal_width(STDERR_FILENO).value_or(usual_width) - 1));
    drawn_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kQuietInterval;
  remark("{}{}\n", name_, last_);
  last_.clear();
}

void ProgressLine::say(const std::string& line) {
  clear();
  remark("{}{}\n", name_, line);
}

void ProgressLine::finish() {
  if (terminal_ && drawn_) workspace::say("\n");
  if (!terminal_ && !last_.empty()) remark("{}{}\n", name_, last_);
  drawn_ = false;
  last_.clear();
}

}  // namespace stackx::workspace
