// A measurement from its row: what analysis needs, without the document around it.
#pragma once

#include "store/rows.hpp"
#include "store/store.hpp"

namespace stackx::store {

// What stands among the packed numbers: unpacking them takes as long as the rest, and amounts (yardstick.hpp) ten times as long.
struct Details {
  bool conditions = true;  // load and steal
  Yardsticks yardsticks = {};
};

std::string finished_of(const Row& row);  // as the document writes it
Measurement measurement_of(Row row, const Details& details);

// Of the arms whose rows these are, in the order they ran: by campaign, round and position.
void sort_measurements(std::vector<Measurement>& measurements);

}  // namespace stackx::store
