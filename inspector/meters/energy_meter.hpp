// Reads this machine's counters of energy beside a run, from outside of whatever confines the PI, and says what was drawn in its
// phases `measure`.
//
// So it works for every PI that states the phase, in times of the clock that both know (CLOCK_REALTIME). A thread of its own reads
// the counters every 50 ms, which takes some microseconds of the inspector's processor, not of the PI's. Idle draw is
// what a counter showed in the second before the first run, and stays the same for all that follow: each second more would be waited
// for, and stacks are compared by what they draw beyond the same. Rejected: a PI that reads its own counters, which
// the sandbox hides, and programs of the user's would not.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "inspector/machine/energy_counter.hpp"
#include "inspector/meters/energy_trace.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::inspector {

class EnergyMeter {
 public:
  void add(std::unique_ptr<EnergyCounter> counter);  // null: none

  // Idle draw of the counters that were added since: waits for a second if there are any. `stop` cuts it short.
  void watch_idle(const std::function<bool()>& stop = {});
  void begin();
  void end();  // once all counters have moved again, or do not
  // Of what was read from begin() to end(): by source, of counters that moved often enough in the phases.
  specs::Energies drawn(const std::vector<specs::Phase>& phases) const;

 private:
  struct Watched {
    std::unique_ptr<EnergyCounter> counter;
    EnergyTrace trace;
    bool idled = false;
    std::optional<double> idle_watts;
  };
  void read();
  void read_until(const std::stop_token& stop);
  std::optional<specs::Energy> drawn_by(const Watched& watched, const std::vector<specs::Phase>& phases) const;

  std::vector<Watched> counters_;
  std::int64_t began_ns_ = 0, began_steady_ns_ = 0;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread reader_;  // last: it ends before what it reads does
};

}  // namespace stackx::inspector
