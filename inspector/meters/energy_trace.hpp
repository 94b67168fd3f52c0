// What a counter of energy (machine/energy_counter.hpp) showed and when: how much was drawn in a phase, between its updates.
//
// A counter moves in steps, and only when it has just moved is it known how much was drawn up to now: readings that repeat the
// last one are left out, and what was drawn at a moment lies on the line between two updates. So each end of a phase is known to
// within a step of the counter and the time between two readings, and much better where the power before and after it is
// about the same. Rejected: the difference of a reading at each end, where nobody knows how old it is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stackx::inspector {

struct Drawn {
  double joules = 0;
  std::uint64_t updates = 0;
};

class EnergyTrace {
 public:
  void add(std::int64_t at_ns, double joules);  // in the order of time
  void clear() { *this = EnergyTrace(); }
  // When the counter moved last; nothing: it never did.
  std::optional<std::int64_t> last_update() const;

  // Nothing where the phase is not within the updates.
  std::optional<Drawn> between(std::int64_t begin_ns, std::int64_t end_ns) const;
  // The least power over so long: what else happens on an idle machine comes and goes.
  std::optional<double> least_watts(std::int64_t window_ns) const;

 private:
  struct Update {
    std::int64_t at_ns;
    double joules;
  };
  double joules_at(std::int64_t at_ns) const;

  std::optional<double> last_;  // reading
  std::vector<Update> updates_;
};

}  // namespace stackx::inspector
