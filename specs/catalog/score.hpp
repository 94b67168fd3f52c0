// What each version is worth, added up over a stack (format stackx/score/1).
//
//   {"$schema": "stackx/score/1", "scores": {"numpy": {"2.0.1": 1.25, "1.26.4": -3}}}
// What is not listed scores 0. Scores are exact: all are multiples of one power of ten, kept as
// integers, so that sums that are equal compare equal. Rejected: doubles, whose sums depend on their
// order.
#pragma once

#include <map>
#include <string>

#include "specs/catalog/catalog.hpp"

namespace stackx::specs {

__extension__ typedef __int128 Score;  // in units of 10^-decimals

struct Scores {
  std::map<std::string, std::map<std::string, Score>>
      of;  // component -> version, as catalogs write it
  unsigned decimals = 0;

  std::string text(Score score) const;  // "-1.25"
};

// Throws Error(bad_input) for components and versions that the catalog does not know.
Scores load_scores(const std::filesystem::path& file, const Catalog& catalog);
Scores parse_scores(const Node& document, const Catalog& catalog);

}  // namespace stackx::specs
