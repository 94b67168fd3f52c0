#include "tests/inspector/fake_powercap.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace stackx::inspector::testing {
namespace {

std::string directory_of(const std::string& entry) { return "/sys/class/powercap/" + entry; }

}  // namespace

void FakePowercap::zone(const std::string& entry, const std::string& name, std::uint64_t range_uj) {
  machine_.file(directory_of(entry) + "/name", name + "\n");
  machine_.file(directory_of(entry) + "/max_energy_range_uj", std::to_string(range_uj) + "\n");
  set(entry, 0);
  const std::scoped_lock lock(mutex_);
  zones_[entry].range = range_uj;
}

void FakePowercap::set(const std::string& entry, std::uint64_t microjoules) {
  const auto file = directory_of(entry) + "/energy_uj";
  machine_.file(file + ".new", std::to_string(microjoules) + "\n");
  std::filesystem::rename(machine_.root().string() + file + ".new", machine_.root().string() + file);
}

void FakePowercap::draw(std::function<double(const std::string& entry)> watts) {
  const std::scoped_lock lock(mutex_);
  move();
  watts_ = std::move(watts);
}

void FakePowercap::move_on() {
  const std::scoped_lock lock(mutex_);
  move();
}

void FakePowercap::move() {
  const auto now = std::chrono::steady_clock::now();
  if (watts_) {
    const double seconds = std::chrono::duration<double>(now - moved_).count();
    longest_pause_ = std::max(longest_pause_, seconds);
    for (auto& [entry, zone] : zones_) {
      zone.joules += watts_(entry) * seconds;
      set(entry, static_cast<std::uint64_t>(zone.joules * 1e6) % zone.range);
    }
  }
  moved_ = now;
}

void FakePowercap::keep_moving() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    for (; !stop.stop_requested(); move_on()) std::this_thread::sleep_for(std::chrono::milliseconds(4));
  });
}

double FakePowercap::longest_pause() const {
  const std::scoped_lock lock(mutex_);
  return longest_pause_;
}

double FakePowercap::joules(const std::string& entry) const {
  const std::scoped_lock lock(mutex_);
  return zones_.at(entry).joules;
}

}  // namespace stackx::inspector::testing
