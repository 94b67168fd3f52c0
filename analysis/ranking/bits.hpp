// The bits of results (specs::Check::result_digest): do two stacks give the same, does one give the same in every run?
//
// Digests are held against each other where what was computed is the same: one workload, the same inputs (what made them, of
// which seed), the same machine and GPU. What is asked of a stack is two things: within an inspection its calls were repeated and
// gave other bits ("deterministic": false), or inspections have different digests. Either, and the stack is unsteady: the bits of
// two stacks then cannot be the same, whatever single digests say.
//
// Measurements must have been read with a yardstick of the check, else nothing is known. Rejected: a verdict with a level, as of
// rates. Bits are the same or not, and one pair of inspections shows it.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/ranking/rates.hpp"
#include "analysis/ranking/stack_names.hpp"

namespace stackx::analysis {

struct BitsPlace {
  std::string host, device, inputs;  // fingerprint, name of the device
  auto operator<=>(const BitsPlace&) const = default;
};

struct StackBits {
  std::string hostname;
  std::set<std::string> digests;
  std::size_t inspections = 0, unsteady = 0;  // that have a digest; whose own calls differed

  bool steady() const { return digests.size() == 1 && unsteady == 0; }
  std::string text() const;  // what is unsteady: "3 of 12 inspections gave other bits ..."; "" where nothing is
};

std::map<BitsPlace, StackBits> bits_of(const StackRates& stack);

struct BitsCompared {
  specs::Stack a, b;
  BitsPlace place;
  StackBits of_a, of_b;
  bool same() const { return of_a.steady() && of_b.steady() && of_a.digests == of_b.digests; }
};

// One each place where both have digests.
std::vector<BitsCompared> compare_bits(const StackRates& a, const StackRates& b);

// "Results are bit for bit the same on zen5." "" of nothing.
std::string bits_sentence(const std::vector<BitsCompared>& compared);
std::vector<std::string> unsteady_text(const std::vector<BitsCompared>& compared);  // a line a side and host: "A on zen5: ..."
nlohmann::json to_json(const std::vector<BitsCompared>& compared);

// Of a ranking's stacks, a line each that gave different bits.
std::vector<std::string> unsteady_stacks(const Rates& rates, const StackNames& names);

}  // namespace stackx::analysis
