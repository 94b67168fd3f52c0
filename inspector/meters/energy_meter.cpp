#include "inspector/meters/energy_meter.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "inspector/process/signals_blocked.hpp"

namespace stackx::inspector {
namespace {

using namespace std::chrono_literals;
constexpr auto between_readings = 50ms, between_idle_readings = 20ms;
constexpr auto idle_watch = 1000ms, idle_window = 500ms;
constexpr auto last_step = 300ms;  // longer than a GPU's counter takes to move

template <typename Clock>
std::int64_t ns_of() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}
std::int64_t wall_ns() { return ns_of<std::chrono::system_clock>(); }
std::int64_t steady_ns() { return ns_of<std::chrono::steady_clock>(); }

double rounded(double value, double digits) { return std::round(value * digits) / digits; }  // documents pack better

}  // namespace

void EnergyMeter::add(std::unique_ptr<EnergyCounter> counter) {
  if (counter) counters_.push_back({std::move(counter), {}, false, std::nullopt});
}

void EnergyMeter::read() {
  for (auto& [counter, trace, idled, watts] : counters_) {
    const auto before = wall_ns();
    const auto joules = counter->joules();
    if (joules) trace.add(before + (wall_ns() - before) / 2, *joules);
  }
}

void EnergyMeter::watch_idle(const std::function<bool()>& stop) {
  if (std::ranges::all_of(counters_, &Watched::idled)) return;
  for (auto& watched : counters_) watched.trace.clear();
  const auto until = std::chrono::steady_clock::now() + idle_watch;
  while (std::chrono::steady_clock::now() < until && !(stop && stop())) {
    read();
    std::this_thread::sleep_for(between_idle_readings);
  }
  for (auto& watched : counters_) {
    if (watched.idled) continue;
    watched.idled = true;
    if (const auto watts = watched.trace.least_watts(std::chrono::nanoseconds(idle_window).count()))
      watched.idle_watts = rounded(*watts, 1e3);
  }
}

void EnergyMeter::begin() {
  for (auto& watched : counters_) watched.trace.clear();
  if (counters_.empty()) return;
  began_ns_ = wall_ns(), began_steady_ns_ = steady_ns();
  const SignalsBlocked blocked;
  reader_ = std::jthread([this](const std::stop_token& stop) { read_until(stop); });
}

void EnergyMeter::read_until(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    read();
    wake_.wait_for(lock, stop, between_readings, [] { return false; });
  }
}

void EnergyMeter::end() {
  if (!reader_.joinable()) return;
  reader_.request_stop();
  reader_.join();
  const auto now = wall_ns();
  const auto until = std::chrono::steady_clock::now() + last_step;
  const auto moved = [&](const Watched& one) { return one.trace.last_update().value_or(0) >= now; };
  for (bool last = false; !last;) {  // the last reading is one after the wait, however late a busy machine lets us go on
    last = std::chrono::steady_clock::now() >= until;
    read();
    if (last || std::ranges::all_of(counters_, moved)) break;
    std::this_thread::sleep_for(2ms);
  }
  // Phases are in times of a clock that somebody may have set meanwhile; slewed by less than a thousandth it may be.
  constexpr std::int64_t tolerance = 20'000'000;
  const auto ran = steady_ns() - began_steady_ns_;
  if (std::abs(wall_ns() - began_ns_ - ran) > tolerance + ran / 1000)
    for (auto& watched : counters_) watched.trace.clear();
}

std::optional<specs::Energy> EnergyMeter::drawn_by(const Watched& watched, const std::vector<specs::Phase>& phases) const {
  specs::Energy energy;
  for (const auto& phase : phases) {
    if (phase.name != "measure" || phase.duration_ns <= 0) continue;
    const auto drawn = watched.trace.between(phase.start_ns, phase.start_ns + phase.duration_ns);
    if (!drawn) return std::nullopt;
    energy.joules += drawn->joules;
    energy.updates += drawn->updates;
    energy.seconds += static_cast<double>(phase.duration_ns) / 1e9;
  }
  energy.joules = rounded(energy.joules, 1e6), energy.seconds = rounded(energy.seconds, 1e6);
  if (energy.updates < specs::least_updates || !(energy.joules > 0)) return std::nullopt;
  energy.counters = watched.counter->names();
  energy.idle_watts = watched.idle_watts;
  return energy;
}

specs::Energies EnergyMeter::drawn(const std::vector<specs::Phase>& phases) const {
  specs::Energies result;
  for (const auto& watched : counters_)
    if (auto energy = drawn_by(watched, phases)) result[watched.counter->source()] = std::move(*energy);
  return result;
}

}  // namespace stackx::inspector
