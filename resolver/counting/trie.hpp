// A message as a trie: level after level the classes of its scope, those eliminated last first, and
// at the end the numbers of what is not zero.
//
// A node says which classes go on, and where its first child is; the others follow in a row. As the
// variable that the reader eliminates is always the last of the scope, a reader walks down all its
// messages at once and finds in each a row of numbers: nothing is searched, and nothing kept for
// what is zero. 16 bytes a node and, as a message of few variables needs few bits, one word or
// more a number: a tenth of what table.hpp takes where one joint class in a thousand has an entry.
// It cannot be read at any place at once, so drawing and ranking keep to tables.
//
// Rejected: vectors, which hold everything twice while they grow; hash tables, twice the size of
// their entries and a cache miss each.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "resolver/network/plan.hpp"

namespace stackx::resolver {

// Grows in place: the system moves large blocks without copying them.
template <typename T>
class Growing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t at) const { return values_.get()[at]; }
  const T* data() const { return values_.get(); }
  // Room for `count` more at the end.
  T* add(std::size_t count = 1) {
    if (size_ + count > room_) resize(std::max(2 * room_, size_ + count));
    size_ += count;
    return values_.get() + size_ - count;
  }
  void fit() { resize(size_); }

 private:
  struct Free {
    void operator()(T* values) const { std::free(values); }
  };
  void resize(std::size_t room) {
    if (room == 0 || room == room_) return;
    auto* const moved = static_cast<T*>(std::realloc(values_.get(), room * sizeof(T)));
    if (!moved) throw std::bad_alloc();
    static_cast<void>(values_.release());
    values_.reset(moved);
    room_ = room;
  }

  std::unique_ptr<T, Free> values_;
  std::size_t size_ = 0, room_ = 0;
};

struct Trie {
  struct Node {
    Word classes = 0;         // that have a child, 64 of them
    std::uint32_t first = 0;  // child
  };
  struct Level {
    std::size_t words = 1;  // nodes side by side for all classes of a variable
    Growing<Node> nodes;
  };

  std::vector<Level> levels;   // by place in the scope
  std::size_t number = 1;      // words of a number, two's complement
  std::size_t bits = 1;        // no number has more, but for its sign
  Growing<Word> numbers;       // children of the last level
  std::size_t bytes() const {
    std::size_t bytes = numbers.size() * sizeof(Word);
    for (const auto& level : levels) bytes += level.nodes.size() * sizeof(Node);
    return bytes;
  }
};

}  // namespace stackx::resolver
