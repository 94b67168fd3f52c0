// The two sides of `stackx compare`: what of the store (or of two stores) each of them is, which
// workload and hardware are meant, and which stack is held against which.
//
// Campaigns, hosts and stores: each stack against itself on the other side. Stacks and locks: a
// stack of A against every stack of B that differs from it only in the components that A or B name;
// where there is none, also in those that only one side has at all (an OpenBLAS core type, where
// the other side is MKL). One stack on either side: these two, whatever they differ in.
#pragma once

#include <string>
#include <vector>

#include "analysis/ranking/side_by_side.hpp"
#include "cli/commands.hpp"
#include "cli/compare/compared.hpp"
#include "store/store.hpp"

namespace stackx::cli {

struct SidesOptions {
  std::string a, b;
  std::string hw;        // a name, `host`, `any`; empty: any, for stacks one microarchitecture
  std::string workload;  // empty: the one that both sides have most of
  // Whose results, as a program that is not stackx's own; empty: stackx's own PIs', and where both sides have nothing of
  // them in common, those of one other program.
  std::string pi;
  specs::Yardstick yardstick = {};
};

struct Side {
  Compared what;
  std::vector<store::Measurement> measurements;
  analysis::Rates rates;  // points into the measurements
};

struct Sides {
  Side a, b;
  specs::Workload workload;
  specs::Yardstick yardstick;
  std::vector<analysis::Couple> couples;  // points into the sides
  analysis::Finals finals;                // stacks and locks: of the campaigns that raced
  std::vector<std::string> notes;
  std::string nothing;  // why there is nothing to compare; empty if there is

  Sides() = default;
  Sides(Sides&&) = default;  // vectors move, what they hold stays where it is
  Sides& operator=(Sides&&) = default;
};

// Throws Error(bad_input) for A and B that are nothing, or not of one kind.
Sides find_sides(const SidesOptions& options, const Globals& globals);

// For sides that are not paired: under which load and steal each ran, from the documents of 200
// inspections of each at most, as a note.
void note_conditions(Sides& sides);

// Why no pair has a rate on both sides: what became of the inspections.
std::string why_no_rates(const Sides& sides);

}  // namespace stackx::cli
