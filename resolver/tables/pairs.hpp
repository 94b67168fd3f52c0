// What the entries of a message say of each two variables: most contradictions of a large scope show
// there, long before all of it is decided and the message can be read. Without it, tables with some
// thousand entries took a hundred times as long, all of it spent where nothing comes of it.
//
// Known of sparse tables only; of others it is hardly less than all. Rejected: the same of three
// variables, and of all that are decided so far: the pairs leave few dead ends.
#pragma once

#include <cstdint>
#include <vector>

#include "resolver/network/plan.hpp"

namespace stackx::resolver {

// Which classes of each two places of a scope stand together in some entry.
class Pairs {
 public:
  void clear(const std::vector<Index>& classes) {
    rows_.clear();
    std::size_t size = 0;
    for (std::size_t j = 0; j < classes.size(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        rows_.push_back({size, (classes[j] + 63) / 64});
        size += classes[i] * rows_.back().words;
      }
    last_.assign(classes.size(), static_cast<Index>(-1));
    bits_.assign(size, 0);
  }
  void forget() { rows_.clear(); }
  bool known() const { return !rows_.empty(); }
  // Quick where entries come in order: of the places before the first that changed all is known.
  void add(const std::vector<Index>& joint) {
    std::size_t j = 0;
    while (j < joint.size() && joint[j] == last_[j]) ++j;
    const Row* row = rows_.data() + first_row(j);
    for (; j < joint.size(); ++j) {
      last_[j] = joint[j];
      for (std::size_t i = 0; i < j; ++i, ++row)
        bits_[row->first + joint[i] * row->words + joint[j] / 64] |= Word{1} << (joint[j] % 64);
    }
  }
  // Class k of place i and class l of place j > i.
  bool has(std::size_t i, Index k, std::size_t j, Index l) const {
    const Row& row = rows_[first_row(j) + i];
    return bits_[row.first + k * row.words + l / 64] >> (l % 64) & 1;
  }

 private:
  struct Row {
    std::size_t first, words;  // in bits_; of a class of the first place
  };
  static std::size_t first_row(std::size_t j) { return (j * j - j) / 2; }

  std::vector<Row> rows_;  // by the later place, then by the earlier
  std::vector<Index> last_;
  Mask bits_;
};

}  // namespace stackx::resolver
