// What an answer about energy says of idle draw: that it is taken off, and how much that is of all that was drawn, or that it is
// still in (specs/result/energy.hpp). Where some inspections have it taken off and others not, they do not compare well.
#pragma once

#include <string>
#include <vector>

#include "store/store.hpp"

namespace stackx::analysis {

// Without a full stop; "" of other yardsticks, and where nothing tells energy. Measurements were read with the yardstick.
std::string idle_draw_text(const std::vector<const store::Measurement*>& measurements, const specs::Yardstick& yardstick);

}  // namespace stackx::analysis
