// Keeps what looking around says, for tests to ask.
#pragma once

#include <string>
#include <vector>

#include "inspector/discover/remark.hpp"

namespace stackx::inspector::testing {

struct KeptRemarks {
  std::vector<Remark> list;
  Remarks keep() {
    return [this](const Remark& remark) { list.push_back(remark); };
  }
  bool has(Remark::Kind kind, const std::string& part) const {
    for (const auto& remark : list)
      if (remark.kind == kind && remark.text.find(part) != std::string::npos) return true;
    return false;
  }
};

}  // namespace stackx::inspector::testing
