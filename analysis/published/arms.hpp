// Published results sorted for comparison: buckets of results that can be compared, in each the
// stacks, of each stack its results by shape. What ranking.hpp ranks; its comment says
// what makes results comparable.
//
// Entries point into the results they were made of, and buckets to entries: both must outlive them.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/published/stack.hpp"
#include "specs/result/published.hpp"

namespace stackx::analysis {

struct PublishedEntry {
  const specs::Published* published;
  PublishedStack stack;
  double value;  // in the unit
  std::string unit;
  bool smaller_is_better;

  specs::Workload shape;  // the workload, without the batch where it is free

  double goodness() const { return smaller_is_better ? -std::log(value) : std::log(value); }
};

struct PublishedCell {
  std::vector<const PublishedEntry*> entries;  // that count
  std::vector<const PublishedEntry*> all;      // and those of other batches
  double goodness = 0;                         // the median of theirs; of several batches the best
};

// One stack of a group, with its results by shape.
struct PublishedArm {
  const PublishedEntry* first = nullptr;
  std::map<std::string, PublishedCell> cells;  // by the workload's text
  std::vector<std::pair<std::size_t, double>> levels;  // the goodness of each, by the bucket's number of the shape
};

// What makes results comparable, and those that are.
struct PublishedBucket {
  std::vector<const PublishedEntry*> entries;
  std::map<std::string, PublishedArm> arms;  // by the stack's canonical text
  std::size_t shapes = 0;

  const PublishedEntry& sample() const { return *entries.front(); }
};

// A word that says what kind of work it is: not a number, and not one of those that vary within a
// benchmark (ta, cell, image, ...).
bool is_kind(const std::string& parameter, const std::string& value);

PublishedEntry entry_of(const specs::Published& published, const specs::Workload& asked);
std::string published_detail(const specs::Published& published,
                             const char* key);  // "" if there is none

// The same for results that can be compared.
std::string bucket_key(const PublishedEntry& entry);
// Entries with one key. Stacks that share shapes, directly or through others, are one bucket; the rest stand apart.
std::vector<PublishedBucket> connected(const std::vector<const PublishedEntry*>& entries);

// Log ratios over the shapes that both have; of one bucket.
std::vector<double> paired(const PublishedArm& a, const PublishedArm& b);
// The stacks by the level that a median polish gives them, then by the paired medians of
// neighbours; the best first.
std::vector<const PublishedArm*> by_level(const PublishedBucket& bucket);

}  // namespace stackx::analysis
