// How to count the solutions of a network by eliminating one variable after the other.
//
// Eliminating a variable sums over its values and leaves a message: a table over the variables that
// it shared a relation or an earlier message with, its scope. Scopes are tables over classes of
// values, as few as this bucket can tell apart: real catalogs have hundreds of versions and a
// handful of classes. Joint classes that a relation within the scope forbids are left out: they
// would be multiplied by zero later.
//
// Support (network.hpp) is counted by a difference. Beside each value that needs support stands
// the same value in its unsupported form, where no neighbour may support it: the solutions in which
// some neighbour does are all minus none. So an extended value is `any` (0 .. size-1) or, for the
// i-th value that needs support, `none` (size + i), which weighs minus one. Where a neighbour's only
// business is to demand the component, "present but not demanded" and "absent" are one class, and
// support costs nothing. Rejected: a bit of support beside each variable of a scope, which doubles
// the table for each.
#pragma once

#include "resolver/network/factors.hpp"

namespace stackx::resolver {

using Word = std::uint64_t;
using Mask = std::vector<Word>;

// A message as a later bucket reads it.
struct Message {
  Index bucket = 0;             // that made it
  std::vector<Index> position;  // by place in its scope: place in the reader's scope, or own()
  std::vector<std::vector<Index>> class_of;  // by place in its scope: reader's class -> its class
};

// Some neighbouring places of a scope: their joint classes that relations among them allow, in a
// row. The ranks in all groups say where an entry of the table is.
struct Group {
  static constexpr Index forbidden = static_cast<Index>(-1);
  Index first = 0, last = 0;  // places
  std::vector<Index> rank;    // by joint class
  std::size_t count = 1;      // of ranks
};

struct Bucket {
  Index variable = 0;
  std::vector<Index> scope;                  // variables eliminated later
  std::vector<Index> classes;                // by place in the scope: how many
  std::vector<std::vector<Index>> class_of;  // by place: extended value -> class
  std::vector<Group> groups;
  std::vector<Index> group, stride;  // by place: its group, and its stride there
  std::size_t places = 1;            // for entries of its message
  double entries = 0;                // of its message, by the order's estimate

  // By place: what earlier places allow there, by class of the earlier one.
  struct Agreement {
    Index earlier;
    std::vector<Mask> allowed;
  };
  std::vector<std::vector<Agreement>> agreements;

  Index own_classes = 0;
  std::vector<Index> own_class_of;  // extended value -> class
  std::size_t words = 1;            // of a set of own classes
  // By place in the scope and class there: the own classes that the relation allows; empty where
  // there is no relation.
  std::vector<std::vector<Mask>> allows;
  std::vector<Message> messages;

  Index own() const { return static_cast<Index>(scope.size()); }
  // The place of an entry, by class of each variable of the scope; nothing where a relation forbids
  // it.
  std::optional<std::size_t> at(const std::vector<Index>& joint) const;
};

struct Plan {
  std::vector<Bucket> buckets;                      // in the order of elimination
  double entries = 0;                               // of all tables, by the order's estimate
  std::vector<std::vector<std::int32_t>> extended;  // by variable: the value of a `none`, in order
  double places = 0;                                // of all tables; may be far beyond what fits
  std::size_t widest = 0;                           // the bucket with the most places
  std::size_t bits = 0;                             // no number of solutions needs more
};

// The order is greedy, cheapest table next, with some seeded restarts where the tables are large.
Plan make_plan(const Network& network, Shape shape = Shape::table, std::uint64_t attempts = 400);
// For tries a scope begins with what is eliminated last, and is not grouped.
Plan make_plan(const Network& network, Shape shape, const std::vector<std::size_t>& order);

}  // namespace stackx::resolver
