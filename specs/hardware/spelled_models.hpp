// The models that results name, each spelling looked up once: results are thousands, spellings dozens.
#pragma once

#include <string>
#include <unordered_map>

#include "specs/hardware/accelerator.hpp"

namespace stackx::specs {

class SpelledModels {
 public:
  explicit SpelledModels(const Accelerators& accelerators) : accelerators_(&accelerators) {}  // which must outlive it

  // Null: no model of the catalog.
  const Accelerator* of(const std::string& spelling) {
    const auto [known, fresh] = known_.try_emplace(spelling, nullptr);
    if (fresh && !spelling.empty()) known->second = accelerators_->identify(spelling);
    return known->second;
  }

 private:
  const Accelerators* accelerators_;
  std::unordered_map<std::string, const Accelerator*> known_;
};

}  // namespace stackx::specs
