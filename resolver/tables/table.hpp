// The entries of a message that are not zero, by their place among all joint classes.
//
// Most joint classes of a large scope contradict each other. One bit a place says whether there is
// an entry, and a count beside each word of bits how many came before it: 3/16 of a byte a place,
// and nothing else for what is zero. Both are fresh memory of the system, which costs nothing where
// it is never touched: some tables have 400 million places for 1,600 entries.
// Rejected: dense arrays, which were filled to some hundredths where they were large; hash tables,
// which are slower to read and twice the size of their entries; pages of places, with those left
// out that are empty, which cost every other table a tenth of its time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "resolver/tables/pairs.hpp"

namespace stackx::resolver {

// Zeros that take memory only where something else is written.
template <typename T>
class Zeros {
 public:
  Zeros() = default;
  explicit Zeros(std::size_t size) : values_(static_cast<T*>(std::calloc(size, sizeof(T)))) {
    if (!values_) throw std::bad_alloc();
  }
  T& operator[](std::size_t at) { return values_.get()[at]; }
  const T& operator[](std::size_t at) const { return values_.get()[at]; }

 private:
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  std::unique_ptr<T, Free> values_;
};

template <typename Number>
class Table {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void clear(const Bucket& bucket) {
    pairs_.clear(bucket.classes);
    present_ = Zeros<Word>(bucket.places / 64 + 1);
    before_ = Zeros<std::uint32_t>(bucket.places / 64 + 1);
    chunks_.clear();
    size_ = 0;
  }
  // In ascending order of places; `joint` are the classes there.
  void push(std::size_t place, const std::vector<Index>& joint, Number value) {
    if (size_ == many && place < many * sparse) pairs_.forget();
    if (pairs_.known()) pairs_.add(joint);
    Word& word = present_[place / 64];
    if (word == 0) before_[place / 64] = static_cast<std::uint32_t>(size_);
    word |= Word{1} << (place % 64);
    if (size_ % chunk == 0) {
      chunks_.emplace_back();
      chunks_.back().reserve(size_ == 0 ? 1 : chunk);
    }
    chunks_.back().push_back(std::move(value));
    ++size_;
  }

  std::size_t size() const { return size_; }
  const Pairs& pairs() const { return pairs_; }
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
  static constexpr std::size_t many = 1024, sparse = 16;  // entries; places for each

  Pairs pairs_;
  Zeros<Word> present_;
  Zeros<std::uint32_t> before_;  // by word, where it is not zero
  std::vector<std::vector<Number>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace stackx::resolver
