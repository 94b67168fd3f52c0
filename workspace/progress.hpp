// The progress line of what takes long, on stderr: rewritten in place on a terminal, else a line now and then.
#pragma once

#include <chrono>
#include <string>

namespace stackx::workspace {

class ProgressLine {
 public:
  // With a name, which begins each line, it shares stderr with others: nothing is rewritten in place.
  explicit ProgressLine(std::string name = {});
  void show(std::string line);
  void say(const std::string& line);  // a remark above the progress line
  void finish();                      // leaves the last state standing

 private:
  void clear();
  std::string name_;
  bool terminal_;
  bool drawn_ = false;
  std::string last_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace stackx::workspace
