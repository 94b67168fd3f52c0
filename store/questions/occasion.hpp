// Occasions: what a series did in one campaign, so that its history is told without reading its inspections.
//
// One row a series and campaign (FORMAT.md), made with the sums of the series and as they are: a function of the
// inspections alone, proved by a checksum when it is read, compared with a recomputation by `check`. It says when the
// first inspection finished, which orders a history, and how many have a rate, which decides what is compared with what;
// the rates themselves are read for the occasions that are shown. Sentinels do not count. Rejected: medians and intervals
// here, too (four more columns, a third of the row, and a comparison needs the rates all the same).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/connection.hpp"

namespace stackx::store {

struct Occasion {
  std::string first;  // `finished` of the inspection where that is smallest, as its document writes it
  std::int64_t ok = 0, inspections = 0;
  bool operator==(const Occasion&) const = default;
};
using Occasions = std::map<std::string, Occasion>;  // by campaign

struct StoredOccasion {
  std::int64_t series = 0, campaign = 0;  // rows
  std::string name;                       // of the campaign
  Occasion occasion;
  bool holds = false;  // its checksum
};

std::vector<StoredOccasion> stored_occasions(Connection& connection, std::int64_t series);
std::vector<StoredOccasion> stored_occasions(Connection& connection);  // of all series that are not stale

// Inside of a transaction: what is stored of the series becomes this; rows that say so already stay.
void write_occasions(Connection& connection, std::int64_t series, const Occasions& occasions);

}  // namespace stackx::store
