// The models that results name, each spelling looked up once: results are thousands, spellings dozens.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "specs/hardware/accelerator.hpp"

namespace stackx::specs {

class SpelledModels {
 public:
  explicit SpelledModels(const Accelerators& accelerators) : accelerators_(&accelerators) {}  // which must outlive it

  // All that it may mean, the usual one first.
  const std::vector<const Accelerator*>& named(const std::string& spelling) {
    const auto [known, fresh] = known_.try_emplace(spelling);
    if (fresh && !spelling.empty()) known->second = accelerators_->named(spelling);
    return known->second;
  }

  // Null: no model of the catalog.
  const Accelerator* of(const std::string& spelling) {
    const auto& models = named(spelling);
    return models.empty() ? nullptr : models.front();
  }

 private:
  const Accelerators* accelerators_;
  std::unordered_map<std::string, std::vector<const Accelerator*>> known_;
};

}  // namespace stackx::specs
