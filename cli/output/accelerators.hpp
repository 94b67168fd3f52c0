// GPUs and other accelerators as `stackx hw list` and `stackx hw show v100` print them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "specs/hardware/accelerator.hpp"

namespace stackx::cli {

// {"kind": "accelerator", "id", "name", "peaks_tflop_s", "sources", ...}
nlohmann::json accelerator_json(const specs::Accelerator& model);

void print_accelerators(const specs::Accelerators& table);  // a line each

// What `name` may mean: its models with capability, memory, bandwidth, peaks, and numbered sources.
void print_models(const std::string& name, const std::vector<const specs::Accelerator*>& models);

}  // namespace stackx::cli
