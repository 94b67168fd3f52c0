// One comparison of a specifier set (">=1.4") as an interval of order keys (key.hpp).
//
// Every operator of every scheme but === is an interval or, for !=, the outside of one: PEP 440's
// special rules for
// `<` and `>` only move an end. So a set of clauses is one interval, some holes and some literal
// texts.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "specs/version/version.hpp"

namespace stackx::specs {

struct KeyRange {
  std::string lower;                 // inclusive
  std::optional<std::string> upper;  // exclusive; none: unbounded

  bool contains(std::string_view key) const { return key >= lower && (!upper || key < *upper); }
  void intersect(const KeyRange& other);
  bool unite(const KeyRange& above);  // with one that begins no lower; false, and nothing is done, if they are apart
};

enum class Operator {
  arbitrary_equal,  // ===
  equal,
  compatible,  // ~=
  not_equal,
  less_equal,
  greater_equal,
  less,
  greater,
};

struct Clause {
  Operator operation;
  KeyRange range;                 // what it holds for; for not_equal, what it does not hold for
  std::string literal;            // of arbitrary_equal, instead of the range
  bool names_prerelease = false;  // by PEP 440's rule this makes pre-releases acceptable
};

// `text` without surrounding white space and not empty.
std::expected<Clause, ParseError> parse_clause(std::string_view text, Versioning scheme);

}  // namespace stackx::specs
