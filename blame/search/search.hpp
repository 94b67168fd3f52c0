// Which groups of changes make the difference between two ends: adaptive search, then proof (DESIGN section 11).
//
//   ends     OLD and NEW until they are told apart
//   halves   OLD side, middle and NEW side of the way between them in the same rounds; go on where the larger step is:
//            log2(groups) times. Cheap, and never believed
//   proof    on fresh rounds (proof.hpp), per suspect: OLD plus only it against OLD (the least stack that has it, against
//            the same without it), NEW against NEW without only it; and what all others do without it, and with it. If
//            these do something, there is another culprit or a partner: it is sought the same way, and all is proved anew
//   hidden   where the ends do not differ, splits that separate every two groups: what cancels out shows there
// Up to `few` stacks between the ends: all of them run, and every group is a suspect from the beginning.
// A stack that does not run is walked around; what cannot be told apart for that reason is one suspect.
//
// `Ask` runs one round of these stacks and gives their values (log of the metric, larger is better), or nothing: no more
// budget, and the answer is what is known so far. A function of seed and values alone, so that a resumed search repeats
// what it did. Rejected: delta debugging on pass/fail (it needs a threshold, and noise makes it lie).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "blame/search/lattice.hpp"
#include "blame/search/proof.hpp"
#include "blame/search/rounds.hpp"

namespace stackx::blame {

struct Settings {
  double delta = 0.01;           // smaller differences do not matter
  double error = 0.05;           // of the whole answer: any claim of an effect is wrong that often at most
  std::size_t most_rounds = 60;  // of one proof
  std::size_t few = 8;           // stacks
  std::size_t most_suspects = 6;
  std::size_t most_inspections = 1000;  // then what is known is the answer
  std::uint64_t seed = 1;
};

enum class Stage { ends, halves, hidden, proof };
using Ask = std::function<std::optional<Rounds::Values>(Stage stage, const std::vector<Subset>& stacks)>;

struct Suspect {
  Groups groups;     // one, but where no stack that runs tells them apart
  Effect low, high;  // OLD plus it; NEW without it, as the effect of having it
  // culprit: shown both ways. together: shown with others only (Answer::together), or without them. none: not shown
  enum class Role { culprit, together, none } role = Role::none;
  double log() const { return role == Role::culprit ? (low.log + high.log) / 2 : low.shown ? low.log : high.log; }
};

struct Answer {
  enum class Kind { difference, none, old_fails, new_fails } kind = Kind::none;
  bool complete = false;         // else what is known so far
  bool out_of_budget = false;    // incomplete because of Settings::most_inspections
  Effect total;                  // NEW over OLD
  std::vector<Suspect> suspects; // those with an effect first
  Effect together;               // of all suspects, over OLD
  Effect rest_low, rest_high;    // of all others, without the suspects and with them
  Groups rest;                   // all others
  std::size_t hidden = 0;        // splits in which the others were measured, too (kind none)
  Groups narrowed;               // incomplete: where it was being sought
  double noise = 0;              // standard deviation of one value, as a log
  std::size_t rounds = 0, inspections = 0, stacks = 0;
};

Answer search(const Lattice& lattice, const Settings& settings, const Ask& ask);

// The same, a round at a time: what to run after these rounds, or the answer. Rounds that the search would not have asked for
// (a version of stackx ago), and all after them, are not looked at: `used` says how many were.
struct MeasuredRound {
  std::vector<Subset> stacks;
  Rounds::Values values;
};
struct Next {
  std::optional<Stage> stage;   // none: the answer stands
  std::vector<Subset> stacks;
  Answer answer;                // so far
  std::size_t used = 0;
};
Next next(const Lattice& lattice, const Settings& settings, const std::vector<MeasuredRound>& history);

// How many inspections it usually takes to find one culprit on a quiet machine, whatever the budget: the search itself, on a
// made-up clock.
std::size_t usual_inspections(const Lattice& lattice, const Settings& settings);

}  // namespace stackx::blame
