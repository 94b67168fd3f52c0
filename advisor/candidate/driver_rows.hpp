// What to run with which driver: one row for each range of drivers that another release is the newest for, the newest
// drivers first.
#pragma once

#include <string>
#include <vector>

#include "advisor/candidate/candidate.hpp"
#include "advisor/candidate/wish.hpp"

namespace stackx::advisor {

struct DriverRow {
  std::string driver;  // at least: "525.60.13"
  Candidate candidate;
};

// The first is `newest`; at most `most`. None where no driver decides: one row alone would tell nothing.
std::vector<DriverRow> driver_rows(const Knowledge& knowledge, const Wish& wish, const Candidate& newest, std::size_t most = 4);

}  // namespace stackx::advisor
