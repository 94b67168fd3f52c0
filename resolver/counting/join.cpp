#include "resolver/counting/join.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "resolver/tables/wide.hpp"

namespace stackx::resolver {
namespace {

// By a number of `words` words of two's complement.
template <std::size_t W>
Wide<W> times(const Wide<W>& a, const Word* b, std::size_t words) {
  Wide<W> result;
  if constexpr (W == 1) {
    result.words[0] = a.words[0] * b[0];
    return result;
  }
  for (std::size_t j = 0; j < words; ++j) {
    Word carry = 0;
    for (std::size_t i = 0; i + j < W; ++i) {
      const auto product = static_cast<Product>(a.words[i]) * b[j] + result.words[i + j] + carry;
      result.words[i + j] = static_cast<Word>(product);
      carry = static_cast<Word>(product >> 64);
    }
  }
  if (words < W && b[words - 1] >> 63) {  // its sign: minus a, shifted by its words
    Word borrow = 0;
    for (std::size_t i = 0; i + words < W; ++i) {
      Word difference;
      const bool one = __builtin_sub_overflow(result.words[i + words], a.words[i], &difference);
      const bool two = __builtin_sub_overflow(difference, borrow, &result.words[i + words]);
      borrow = one || two;
    }
  }
  return result;
}

// From the reader's classes of a variable to those of a message.
class Translation {
 public:
  Translation(const std::vector<Index>& class_of, std::size_t words) : class_of_(class_of) {
    for (std::size_t k = 0; k < class_of.size() && same_; ++k) same_ = class_of[k] == k;
    if (same_) return;
    const auto theirs = *std::ranges::max_element(class_of) + 1;
    expanded_.assign((theirs + 3) / 4 * 16, Mask(words));
    for (std::size_t k = 0; k < class_of.size(); ++k)
      for (std::size_t nibble = 0; nibble < 16; ++nibble)
        if (nibble >> (class_of[k] % 4) & 1)
          expanded_[class_of[k] / 4 * 16 + nibble][k / 64] |= Word{1} << (k % 64);
  }

  Index operator[](std::size_t k) const { return class_of_[k]; }
  bool is_same() const { return same_; }
  // Leaves those of `mask` whose class goes on.
  void restrict(Word* mask, std::size_t words, const Trie::Node* node, std::size_t theirs) const {
    if (same_) {
      for (std::size_t w = 0; w < words; ++w) mask[w] &= node[w].classes;
      return;
    }
    for (std::size_t w = 0; w < words; ++w) {
      Word allowed = 0;
      for (std::size_t v = 0; v < theirs; ++v) {
        const auto* nibbles = expanded_.data() + v * 256;
        for (Word left = node[v].classes; left; left >>= 4, nibbles += 16)
          allowed |= nibbles[left & 15][w];
      }
      mask[w] &= allowed;
    }
  }

 private:
  std::vector<Index> class_of_;
  bool same_ = true;
  std::vector<Mask> expanded_;  // by four of their classes, and which of them
};

template <std::size_t W>
class Join {
 public:
  Join(const Bucket& bucket, const std::vector<std::int64_t>& weights,
       const std::vector<const Trie*>& read, std::size_t bytes, const Budget& budget, Trie& made)
      : bucket_(bucket),
        bytes_(bytes),
        budget_(budget),
        made_(made),
        depths_(bucket.scope.size()),
        steps_(depths_),
        rows_(depths_ + 1),
        own_(bucket.words * (depths_ + 1)),
        allowed_(depths_),
        at_(depths_),
        weights_(weights.begin(), weights.end()),
        products_((depths_ + 1) * bucket.own_classes) {
    made.number = W;
    for (const auto classes : bucket.classes) made.levels.push_back({(classes + 63) / 64, {}});
    for (std::size_t i = 0; i < depths_; ++i) allowed_[i].resize(made.levels[i].words);
    std::size_t cursors = 0;
    for (const auto& message : bucket.messages) cursors += message.position.size();
    cursors_.resize(cursors);
    cursors = 0;
    for (std::size_t m = 0; m < read.size(); ++m) {
      add(bucket.messages[m], *read[m], cursors);
      cursors += bucket.messages[m].position.size();
    }
    for (Index t = 0; t < bucket.own_classes; ++t)
      if (weights[t] != 0) own_[t / 64] |= Word{1} << (t % 64);
  }

  Joined run() {
    descend(0, weights_.data());
    for (auto& level : made_.levels) level.nodes.fit();
    made_.numbers.fit();
    std::size_t top = W;
    while (top > 1 && bits_[top - 1] == 0) --top;
    if (result_ == Joined::done && made_.bytes() > bytes_) result_ = Joined::too_large;
    made_.bits = (top - 1) * 64 + static_cast<std::size_t>(std::bit_width(bits_[top - 1]));
    return result_;
  }

 private:
  // Going on in a message by a class of a variable of the scope.
  struct Step {
    const Trie::Level* level;
    std::size_t from;  // cursor; the next one is set
    Translation translation;
  };
  // The numbers of a message by own class.
  struct Row {
    const Trie* trie;
    std::size_t cursor;
    Translation translation;
  };

  void add(const Message& message, const Trie& trie, std::size_t cursor) {
    const std::size_t last = message.position.size() - 1;  // our own variable
    for (std::size_t i = 0; i < last; ++i) {
      const auto place = message.position[i];
      steps_[place].push_back(
          {&trie.levels[i], cursor + i,
           Translation(message.class_of[i], (bucket_.classes[place] + 63) / 64)});
    }
    const std::size_t depth = last == 0 ? 0 : message.position[last - 1] + 1;
    rows_[depth].push_back(
        {&trie, cursor + last, Translation(message.class_of[last], bucket_.words)});
  }

  // The entries below this node; false if there are none.
  bool descend(std::size_t depth, const Wide<W>* products) {
    if (depth == depths_) return finish(products);
    for (const auto& row : rows_[depth])
      if (!(products = multiply(row, depth, products))) return false;
    Word* const allowed = allowed_[depth].data();
    const std::size_t words = allowed_[depth].size();
    if (!find_allowed(depth, allowed, words)) return false;
    bool any = false;
    std::array<Trie::Node, few> short_node{};
    std::vector<Trie::Node> long_node(words > few ? words : 0);
    Trie::Node* const node = words > few ? long_node.data() : short_node.data();
    for (std::size_t w = 0; w < words; ++w) {
      node[w].first = static_cast<std::uint32_t>(children(depth));
      for (Word left = allowed[w]; left; left &= left - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(left));
        if (!enter(depth, w * 64 + bit) || !descend(depth + 1, products)) continue;
        node[w].classes |= Word{1} << bit;
        any = true;
      }
    }
    if (any) {
      std::copy_n(node, words, made_.levels[depth].nodes.add(words));
      if (depth + 1 == depths_) watch();
    }
    return any;
  }

  std::size_t children(std::size_t depth) const {
    if (depth + 1 == depths_) return made_.numbers.size() / W;
    return made_.levels[depth + 1].nodes.size() / made_.levels[depth + 1].words;
  }

  // The classes that earlier ones and all messages leave here.
  bool find_allowed(std::size_t depth, Word* allowed, std::size_t words) const {
    if (result_ != Joined::done) return false;
    std::fill_n(allowed, words, ~Word{0});
    if (const auto rest = bucket_.classes[depth] % 64) allowed[words - 1] = (Word{1} << rest) - 1;
    for (const auto& agreement : bucket_.agreements[depth]) {
      const auto& theirs = agreement.allowed[at_[agreement.earlier]];
      for (std::size_t w = 0; w < words; ++w) allowed[w] &= theirs[w];
    }
    for (const auto& step : steps_[depth])
      step.translation.restrict(allowed, words, node_at(*step.level, step.from),
                                step.level->words);
    Word any = 0;
    for (std::size_t w = 0; w < words; ++w) any |= allowed[w];
    return any != 0;
  }

  const Trie::Node* node_at(const Trie::Level& level, std::size_t cursor) const {
    return level.nodes.data() + cursors_[cursor] * level.words;
  }
  static std::size_t child(const Trie::Node* node, Index k) {
    const auto& part = node[k / 64];
    return part.first + static_cast<std::size_t>(
                            std::popcount(part.classes & ((Word{1} << (k % 64)) - 1)));
  }

  // False if no own class is left.
  bool enter(std::size_t depth, std::size_t k) {
    const std::size_t words = bucket_.words;
    const Word* const from = own_.data() + depth * words;
    Word* const to = own_.data() + (depth + 1) * words;
    const auto& allows = bucket_.allows[depth];
    Word any = 0;
    for (std::size_t w = 0; w < words; ++w)
      any |= to[w] = allows.empty() ? from[w] : from[w] & allows[k][w];
    if (any == 0) return false;
    at_[depth] = static_cast<Index>(k);
    for (const auto& step : steps_[depth])
      cursors_[step.from + 1] = child(node_at(*step.level, step.from), step.translation[k]);
    return true;
  }

  // Nothing if no own class is left.
  const Wide<W>* multiply(const Row& row, std::size_t depth, const Wide<W>* products) {
    const Trie::Node* const node = node_at(row.trie->levels.back(), row.cursor);
    if (!restrict_own(row, depth, node)) return nullptr;
    Wide<W>* const into = products_.data() + depth * bucket_.own_classes;
    each_product(row, node, depth, products,
                 [&](std::size_t t, const Wide<W>& product) { into[t] = product; });
    return into;
  }

  // The sum of the products is the entry; false if it is zero.
  bool finish(const Wide<W>* products) {
    const auto& rows = rows_[depths_];
    Wide<W> sum(0);
    for (std::size_t r = 0; r + 1 < rows.size(); ++r)
      if (!(products = multiply(rows[r], depths_, products))) return false;
    if (rows.empty()) {
      each_own(depths_, [&](std::size_t t) { sum += products[t]; });
    } else {
      const auto& row = rows.back();
      const Trie::Node* const node = node_at(row.trie->levels.back(), row.cursor);
      if (!restrict_own(row, depths_, node)) return false;
      each_product(row, node, depths_, products,
                   [&](std::size_t, const Wide<W>& product) { sum += product; });
    }
    if (is_zero(sum)) return false;
    const Word sign = sum.words.back() >> 63 ? ~Word{0} : 0;
    for (std::size_t i = 0; i < W; ++i) bits_[i] |= sum.words[i] ^ sign;
    std::copy_n(sum.words.data(), W, made_.numbers.add(W));
    return true;
  }

  bool restrict_own(const Row& row, std::size_t depth, const Trie::Node* node) {
    Word* const own = own_.data() + depth * bucket_.words;
    row.translation.restrict(own, bucket_.words, node, row.trie->levels.back().words);
    Word any = 0;
    for (std::size_t w = 0; w < bucket_.words; ++w) any |= own[w];
    return any != 0;
  }

  // Own classes that are left, each with its product so far times the row's number.
  template <typename Visit>
  void each_product(const Row& row, const Trie::Node* node, std::size_t depth,
                    const Wide<W>* products, Visit visit) const {
    const std::size_t words = row.trie->number;
    const Word* const numbers = row.trie->numbers.data();
    if (bucket_.words > 1 || !row.translation.is_same()) {
      each_own(depth, [&](std::size_t t) {
        const Word* const number = numbers + child(node, row.translation[t]) * words;
        visit(t, times(products[t], number, words));
      });
      return;
    }
    const Word classes = node->classes;
    const Word* const first = numbers + node->first * words;
    for (Word left = own_[depth]; left; left &= left - 1) {
      const auto before = static_cast<std::size_t>(std::popcount(classes & ((left & -left) - 1)));
      const auto t = static_cast<std::size_t>(std::countr_zero(left));
      visit(t, times(products[t], first + before * words, words));
    }
  }

  template <typename Visit>
  void each_own(std::size_t depth, Visit visit) const {
    const Word* const mask = own_.data() + depth * bucket_.words;
    for (std::size_t w = 0; w < bucket_.words; ++w)
      for (Word left = mask[w]; left; left &= left - 1)
        visit(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
  }

  // Now and then: is there still room, and time?
  void watch() {
    if (++seen_ % 1024 != 0) return;
    if (made_.bytes() > bytes_ || made_.numbers.size() / W >= most_children)
      result_ = Joined::too_large;
    else if (seen_ % (1 << 16) == 0 && budget_.is_over())
      result_ = Joined::out_of_time;
  }

  static constexpr std::size_t few = 4;
  static constexpr std::size_t most_children = 0xfff00000;

  const Bucket& bucket_;
  std::size_t bytes_;
  const Budget& budget_;
  Trie& made_;
  std::size_t depths_;
  std::vector<std::vector<Step>> steps_;  // by depth
  std::vector<std::vector<Row>> rows_;    // by depth: messages that are decided
  std::vector<std::size_t> cursors_;      // by message and level: the node
  Mask own_;                              // by depth: own classes left
  std::vector<Mask> allowed_;             // by depth
  std::vector<Index> at_;                 // by depth: the class decided
  std::vector<Wide<W>> weights_, products_;
  std::array<Word, W> bits_{};  // that numbers have
  std::size_t seen_ = 0;
  Joined result_ = Joined::done;
};

// No number of the message, nor what it is a sum of, takes more words.
std::size_t words_for(const std::vector<std::int64_t>& weights,
                      const std::vector<const Trie*>& read) {
  double sum = 1, bits = 0;
  for (const auto weight : weights) sum += std::abs(static_cast<double>(weight));
  for (const auto* trie : read) bits += static_cast<double>(trie->bits);
  return static_cast<std::size_t>(bits + std::log2(sum) + 1) / 64 + 1;  // and its sign
}

template <std::size_t W, std::size_t... Wider>
Joined join_in(std::size_t words, const auto&... arguments) {
  if (words <= W) return Join<W>(arguments...).run();
  if constexpr (sizeof...(Wider) > 0) return join_in<Wider...>(words, arguments...);
  return Joined::too_large;
}

}  // namespace

Joined join(const Bucket& bucket, const std::vector<std::int64_t>& weights,
            const std::vector<const Trie*>& read, std::size_t bytes, const Budget& budget,
            Trie& made) {
  return join_in<1, 2, 3, 4, 6, 12, 24>(words_for(weights, read), bucket, weights, read, bytes,
                                        budget, std::ref(made));
}

}  // namespace stackx::resolver
