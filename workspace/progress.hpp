// The progress line of a campaign, on stderr: rewritten in place on a terminal, else a line now and
// then.
//
//   [ 37/192]  0 failed  1 min 12 s left  4f1c09a2d7e1 mkl 2024.2.2
#pragma once

#include <chrono>
#include <string>

#include "campaigns/campaign.hpp"

namespace stackx::cli {

class ProgressLine {
 public:
  // With a name, which begins each line, it shares stderr with others: nothing is rewritten in place.
  explicit ProgressLine(std::string name = {});
  void show(const inspector::Progress& progress);
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

}  // namespace stackx::cli
