#pragma once

#include <map>
#include <string>

#include "specs/result/published.hpp"

namespace stackx::tests {

// Made-up numbers; nobody measured them.
inline specs::Published made_up_published(const std::map<std::string, std::string>& stack, double rate, int image,
                         const std::string& model, const std::string& hardware = "NVIDIA GeForce RTX 3090",
                         const std::string& tool = "evidence:made-up") {
  specs::Published p;
  p.source = {"https://example.org/made-up", "made up", "", "2026-01-01", "2026-11-20", "", tool};
  p.hardware = hardware;
  p.devices = 1;
  p.workload = {"infer_timm", {{"model", model}, {"image_size", std::to_string(image)}}};
  p.stack.components = stack;
  p.metric = "samples_per_s";
  p.value = rate;
  return p;
}

}  // namespace stackx::tests
