// A campaign as it lies on a spool, in a directory of its own, for the tests of what is made of it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "campaigns/cluster/kubernetes/manifest.hpp"
#include "specs/format/json.hpp"

namespace stackx::campaigns::cluster {

// `target` as a project writes it, under "kubernetes".
struct Frozen {
  specs::ClusterCampaign campaign;
  std::filesystem::path root;

  explicit Frozen(const std::string& target, bool with_gpu = true) {
    const auto name = with_gpu ? "h100" : "cpu";
    const auto text = std::string(R"({"targets": [{"hardware": ")") + name + R"(", "kubernetes": )" + target +
                      R"(}], "blocks": 8, "parallel": 3, "spool": "/shared/stackx"})";
    campaign.id = "3f2a09c1d2e4" + std::string(52, '0');
    campaign.settings = specs::cluster_settings_from(specs::Node::parse_text(text, "settings"));
    specs::FrozenTarget frozen{campaign.settings.targets.front(), {}};
    specs::Arm arm{"a", {{{"lib", "1"}}}, {"matmul", {{"threads", "6"}}}};
    if (with_gpu) arm.stack.components["gpu"] = "h100-sxm";
    frozen.plan.arms = {arm};
    campaign.targets = {frozen};
    char place[] = "/tmp/stackx-frozen-XXXXXX";
    root = mkdtemp(place);
    std::filesystem::create_directories(root / name / "log");
    write("campaign.json", "{\"campaign\": true}\n");
    for (const char* file :
         {"project.json", "blas.json", "wave-0.json", "wave-1.json", "wave-2.json", "submission-0.json", "notes.txt"})
      write(std::filesystem::path(name) / file, std::string("{\"file\":\"") + file + "\"}\n");
  }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;
  ~Frozen() { std::filesystem::remove_all(root); }

  void write(const std::filesystem::path& file, const std::string& text) const { std::ofstream(root / file) << text; }
  Asked asked() const { return {campaign, campaign.targets.front(), root, root, "/usr/bin/stackx"}; }
  Manifest manifest(const Blocks& blocks = {0, 1, 2, 9}) const { return manifest_of(asked(), {4, blocks}, {1000, 100}); }
};

}  // namespace stackx::campaigns::cluster
