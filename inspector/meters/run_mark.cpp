#include "inspector/meters/run_mark.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <sstream>

namespace stackx::inspector {
namespace {

std::string file_text(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Of "PID (name, which may hold anything) STATE PPID ..."; 0: it is gone.
pid_t parent_of(pid_t pid) {
  const auto text = file_text(fmt::format("/proc/{}/stat", pid));
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(text.substr(name_end + 1));
  std::string state;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

bool has_word(pid_t pid, const std::string& word) {
  const auto words = '\0' + file_text(fmt::format("/proc/{}/cmdline", pid));
  return words.find('\0' + word + '\0') != std::string::npos;
}

}  // namespace

RunMark::RunMark() {
  std::random_device random("/dev/urandom");
  word_ = fmt::format("run-{}-{:08x}{:08x}", getpid(), random(), random());
}

bool RunMark::covers(pid_t pid) {
  if (const auto found = known_.find(pid); found != known_.end()) return found->second;
  constexpr int most = 64;  // ancestors; they change while one looks
  pid_t ancestor = parent_of(pid);
  bool ours = false;
  for (int i = 0; !ours && ancestor > 1 && i < most; ++i, ancestor = parent_of(ancestor)) ours = has_word(ancestor, word_);
  return known_[pid] = ours;
}

}  // namespace stackx::inspector
