// How many accelerators a name says: 8 of "8xH100", "8 x H100", "H100 x8" and "H100:8", and of an instance that gpus.json counts
// ("p5.48xlarge"). Rejected: what systems are called ("DGX", "HGX"), of which there are smaller ones.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace stackx::specs {

struct Accelerator;

struct CountedName {
  std::size_t count = 1;
  std::string_view one;  // "H100"
};

// Nothing for a name without a number of that kind.
std::optional<CountedName> counted_name(std::string_view name);

// 1 where the name does not say.
std::size_t how_many(const Accelerator& model, std::string_view name);

}  // namespace stackx::specs
