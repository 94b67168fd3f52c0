// /sys/class/powercap of a fake machine: zones whose counters move on at watts that the test knows, when a reader asks for it, or by
// a thread. A thread is late where the machine does much else; by how much at most, longest_pause() says.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "tests/inspector/fake_machine.hpp"

namespace stackx::inspector::testing {

class FakePowercap {
 public:
  explicit FakePowercap(FakeMachine& machine) : machine_(machine) {}

  // "intel-rapl:0", "package-0". Counters begin again above their range.
  void zone(const std::string& entry, const std::string& name, std::uint64_t range_uj = 262'143'328'850);
  void set(const std::string& entry, std::uint64_t microjoules);  // as a reader sees it whole: never half a number

  void draw(std::function<double(const std::string& entry)> watts);  // from now on
  void move_on();       // counters show what was drawn up to now
  void keep_moving();   // about every 4 ms, until the end
  double longest_pause() const;  // seconds between two moves
  double joules(const std::string& entry) const;  // drawn so far, wraps or not

 private:
  struct Zone {
    std::uint64_t range = 0;
    double joules = 0;
  };
  void move();

  FakeMachine& machine_;
  mutable std::mutex mutex_;
  std::map<std::string, Zone> zones_;
  std::function<double(const std::string& entry)> watts_;
  std::chrono::steady_clock::time_point moved_;
  double longest_pause_ = 0;
  std::jthread thread_;
};

}  // namespace stackx::inspector::testing
