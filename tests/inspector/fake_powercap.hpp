// /sys/class/powercap of a fake machine: zones whose counters a thread moves on, at watts that the test knows.
#pragma once

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

  // From now on, about every 4 ms; asked each time. Until the next call, or the end.
  void draw(std::function<double(const std::string& entry)> watts);
  double joules(const std::string& entry) const;  // drawn so far, wraps or not

 private:
  struct Zone {
    std::uint64_t range = 0;
    double joules = 0;
  };
  FakeMachine& machine_;
  mutable std::mutex mutex_;
  std::map<std::string, Zone> zones_;
  std::jthread thread_;
};

}  // namespace stackx::inspector::testing
