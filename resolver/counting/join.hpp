// Eliminates one variable: all joint classes of the scope that its messages and relations allow, and
// for each the sum over the variable's own classes of the products of what the messages say. A
// worst-case optimal join (Ngo, Porat, Ré, Rudra 2012) of the messages' tries, depth first.
#pragma once

#include <chrono>
#include <limits>

#include "resolver/counting/trie.hpp"

namespace stackx::resolver {

// What a count may take.
struct Budget {
  std::size_t bytes = std::numeric_limits<std::size_t>::max();  // of all tries alive at once
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();

  bool is_over() const { return std::chrono::steady_clock::now() >= until; }
};

enum class Joined { done, too_large, out_of_time };

// `weights`: by own class. `read`: the messages' tries, as the bucket lists them. `bytes`: what
// `made` may take; what it holds unless done is nothing.
Joined join(const Bucket& bucket, const std::vector<std::int64_t>& weights,
            const std::vector<const Trie*>& read, std::size_t bytes, const Budget& budget,
            Trie& made);

}  // namespace stackx::resolver
