// What is left of a network while its variables are eliminated: relations, and the messages that
// took the place of those eliminated. Knows what eliminating a variable would cost.
//
// Everything is over classes of extended values (plan.hpp), those that a factor tells apart.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "resolver/network/network.hpp"

namespace stackx::resolver {

using Index = std::uint32_t;
using Classes = std::vector<Index>;  // by extended value, from 0

Index count_of(const Classes& classes);

struct Factor {
  std::vector<Index> scope;                // variables
  std::vector<Classes> class_of;           // by place in the scope
  std::vector<Index> classes;              // by place: how many
  std::optional<Index> bucket;             // of a message: how many were eliminated before
  std::vector<std::vector<bool>> allowed;  // of a relation: by class of the first and the second
  double entries = 0;                      // of a message
  // Of a relation the part of all pairs that is allowed, of a message that of its joint classes.
  double density = 1;
};

// What eliminating a variable means now.
struct Candidate {
  std::vector<Index> scope;       // of the message it leaves
  std::vector<Classes> class_of;  // by place in the scope
  std::vector<Index> classes;     // by place: how many
  Classes own;                    // of the variable itself
  double joint = 1;               // classes of the scope
  double entries = 1;             // of its table
  double operations = 0;
  double gain = 0;  // entries of the messages that it would consume
};

// What an estimate of entries is for: a table that has a place for whatever relations within the
// scope do not forbid, or a trie of those that are not zero, which knows how few a message left.
enum class Shape { table, trie };
// How much of a trie's estimate is left to messages, rather than to relations.
enum class Trust { messages, relations };

class Factors {
 public:
  explicit Factors(const Network& network, Shape shape = Shape::table,
                   Trust trust = Trust::messages);

  std::size_t variables() const { return of_.size(); }
  std::size_t extended(std::size_t variable) const { return extended_[variable].total(); }
  // The values of `none`, in order.
  const std::vector<std::int32_t>& unsupported(std::size_t variable) const {
    return extended_[variable].unsupported;
  }

  Candidate candidate(std::size_t variable) const;
  // Factors that mention the variable.
  std::vector<std::size_t> of(std::size_t variable) const { return of_[variable]; }
  const Factor& operator[](std::size_t factor) const { return *factors_[factor]; }
  void eliminate(std::size_t variable, const Candidate& candidate);

 private:
  struct Extended {
    std::size_t size;
    std::vector<std::int32_t> unsupported;
    std::size_t total() const { return size + unsupported.size(); }
    std::size_t value(std::size_t e) const {
      return e < size ? e : static_cast<std::size_t>(unsupported[e - size]);
    }
    bool is_none(std::size_t e) const { return e >= size; }
  };

  Factor factor_of(const Relation& relation) const;
  double density_within(const std::vector<Index>& scope) const;

  double part_of_entries(double related, double messages) const;

  Shape shape_;
  Trust trust_;
  std::vector<Extended> extended_;
  // Relations, then messages as they are made; shared, because each try of an order copies all this.
  std::vector<std::shared_ptr<const Factor>> factors_;
  std::size_t relations_ = 0;
  std::vector<std::vector<std::size_t>> of_;  // by variable: waiting factors
};

}  // namespace stackx::resolver
