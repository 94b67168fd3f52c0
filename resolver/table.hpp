// The entries of a message that are not zero, by their place among all joint classes.
//
// Most joint classes of a large scope contradict each other. One bit a place says whether there is
// an entry, and counts of the bits before each word say which: 3/16 of a byte a place, and nothing
// else for what is zero. Rejected: dense arrays, which were filled to some hundredths where they
// were large; hash tables, which are slower to read and twice the size of their entries.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "resolver/plan.hpp"

namespace stackx::resolver {

template <typename Number>
class Table {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void clear(std::size_t places) {
    present_.assign(places / 64 + 1, 0);
    before_.clear();
    chunks_.clear();
    size_ = 0;
  }
  // In ascending order of places; seal() comes after the last.
  void push(std::size_t place, Number value) {
    present_[place / 64] |= Word{1} << (place % 64);
    if (size_ % chunk == 0) {
      chunks_.emplace_back();
      chunks_.back().reserve(size_ == 0 ? 1 : chunk);
    }
    chunks_.back().push_back(std::move(value));
    ++size_;
  }
  void seal() {
    before_.reserve(present_.size());
    std::uint32_t count = 0;
    for (const auto word : present_) {
      before_.push_back(count);
      count += static_cast<std::uint32_t>(std::popcount(word));
    }
  }

  std::size_t size() const { return size_; }
  // Which entry the place has, or none.
  std::size_t find(std::size_t place) const {
    const Word word = present_[place / 64], bit = Word{1} << (place % 64);
    if (!(word & bit)) return none;
    return before_[place / 64] + static_cast<std::size_t>(std::popcount(word & (bit - 1)));
  }
  const Number& operator[](std::size_t entry) const {
    return chunks_[entry / chunk][entry % chunk];
  }

 private:
  static constexpr std::size_t chunk = 1 << 14;

  std::vector<Word> present_;
  std::vector<std::uint32_t> before_;
  std::vector<std::vector<Number>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace stackx::resolver
