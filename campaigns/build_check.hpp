// What a framework states of its own build, held against the catalog: `loaded` of a result has "torch-gpus" where the PI
// could ask (kernels/python/stackx_pi/versions.py).
#pragma once

#include <optional>
#include <string>

#include "specs/catalog/catalog.hpp"
#include "specs/result/inspection.hpp"

namespace stackx::campaigns {

// "torch 2.7.1+cu128 states code for 7.0, which the catalog denies"; nothing where they agree or nobody says.
std::optional<std::string> build_contradiction(const specs::Inspection& inspection, const specs::Catalog& catalog);

}  // namespace stackx::campaigns
