// Which releases of NVIDIA's driver are as new as a product: a driver may know a chip's architecture and be older than the card.
//
// Of a model in gpus.json: "driver_since": "535.104.05", the least release that names the product among the GPUs that it drives;
// "driver_also": ["525.147.05"], of each other branch the first release that names it or was made after the first that did. Older branches
// are kept alive and learn of new products without naming them (an H200 NVL was measured with 550.144.03, and no 550 names it), so
// only what was made before any that names it counts as older. Rejected: one least number, which calls the newer releases of a
// long-lived branch too old and the betas of a newer one new enough.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stackx::specs {

struct FirstDriver {
  std::string since = {};              // "535.104.05"; "": nobody says
  std::vector<std::string> also = {};  // one a branch

  bool is_older(std::string_view driver) const;  // than the product; never where nobody says
  // Of that driver's branch, the first release that is as new as the product; "" where none is.
  std::string in_branch_of(std::string_view driver) const;
};

}  // namespace stackx::specs
