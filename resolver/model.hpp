// A problem laid out for the search: which versions there are at first, what selecting a version
// rules out, and what it demands.
//
// Version sets are ranges of 64-bit words: a component's begin at `first_word` of its row. What two
// versions rule out between them is written at both, so that a set of candidates, once filtered, is
// compatible with everything selected. Slots are numbered in the order in which the search decides
// them, chosen so that few undecided components touch decided ones: equal subproblems then meet
// again soon.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "resolver/problem.hpp"

namespace stackx::resolver {

using Word = std::uint64_t;

// Narrows what a component may be.
struct Effect {
  std::uint32_t component = 0;
  std::uint32_t words = 0;  // where in Model::sets
};

struct ModelHolder {
  std::uint32_t component = 0;
  std::uint32_t words = 0;  // versions that hold the slot
};

// Who holds the slot is in the set; `sets` go beside the slot's holders.
struct Literal {
  std::uint32_t slot = 0;
  std::vector<std::uint32_t> sets;
};

struct Condition {
  std::vector<Literal> if_;
  std::vector<std::uint32_t> demands;  // slots
  std::vector<Effect> effects;
};

struct ModelVersion {
  std::vector<Effect> effects;
  std::vector<std::uint32_t> demands;     // slots that must be held
  std::vector<std::uint32_t> conditions;  // in Model::conditions
  std::vector<std::uint32_t> holds;       // slots
};

struct ModelComponent {
  std::uint32_t first_word = 0, words = 0;
  std::vector<ModelVersion> versions;
  // What its versions may touch, for the key of a subproblem.
  std::vector<std::uint32_t> demands;     // slots, conditional ones too; sorted
  std::vector<std::uint32_t> conditions;  // all of its versions'
};

struct ModelSlot {
  std::vector<ModelHolder> holders;
  bool must_be_held = false;  // in every stack counted, though that does not found it
};

struct Model {
  std::vector<ModelComponent> components;
  std::vector<ModelSlot> slots;
  std::vector<Condition> conditions;
  std::vector<Word> sets;
  std::vector<Word> start;           // a row: the candidates before anything is selected
  std::vector<std::uint32_t> roots;  // slots
};

// Which part of the problem to lay out.
struct Selection {
  std::vector<bool> clauses;  // empty: all
  // Stacks in which `slot` is held by component `holder`, or by nobody.
  struct Stratum {
    std::size_t slot;
    std::optional<std::size_t> holder;
  };
  std::optional<Stratum> stratum;
};

Model lay_out(const Problem& problem, const Selection& selection = {});

}  // namespace stackx::resolver
