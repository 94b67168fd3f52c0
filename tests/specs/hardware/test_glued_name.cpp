// Names as people type them after --hw: what each means, and what must not be found.
#include "specs/hardware/glued_name.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "specs/hardware/accelerator.hpp"
#include "specs/hardware/name.hpp"

namespace glued_name_tests {

using namespace stackx::specs;

namespace {

const Accelerators& shipped() {
  static const Accelerators table = load_accelerators(STACKX_SOURCE_DIR "/specs/data");
  return table;
}

std::string identified(std::string_view name) {
  const auto* model = shipped().identify(name);
  return model == nullptr ? "" : model->name;
}

// Typed in by hand: which model somebody means who types this.
const std::vector<std::pair<const char*, std::vector<const char*>>> spellings{
    {"rtx-4090", {"rtx4090", "RTX4090", "RTX 4090", "rtx-4090", "rtx_4090", "geforce4090", "geforce-rtx-4090",
                  "GeForceRTX4090",
                  "nvidiartx4090", "NVIDIA RTX 4090", "4090", "4090 24GB", "rtx4090-24gb", "rtx4090 24g",
                      "1x rtx4090"}},
    {"rtx-4080", {"rtx4080", "4080", "RTX 4080", "rtx4080 16GB"}},
    {"rtx-5090", {"rtx5090", "RTX 5090", "5090", "GeForce5090", "nvidia rtx5090"}},
    {"rtx-3090", {"rtx3090", "3090", "geforce rtx3090", "RTX3090 24GB"}},
    {"rtx-3090-ti", {"rtx3090ti", "3090ti", "RTX 3090Ti", "rtx-3090ti", "3090-Ti"}},
    {"rtx-3080-10gb", {"rtx3080", "3080", "GeForce3080", "rtx3080-10g"}},
    {"rtx-3080-12gb", {"rtx3080-12gb", "rtx3080 12g", "RTX 3080 12GB"}},
    {"rtx-3080-laptop", {"rtx3080laptop", "rtx-3080-laptop", "RTX 3080 Laptop GPU"}},
    {"rtx-2080-ti", {"rtx2080ti", "2080ti", "RTX2080 Ti", "geforce2080ti"}},
    {"rtx-2080", {"rtx2080", "2080"}},
    {"gtx-1080-ti", {"gtx1080ti", "GTX1080Ti", "1080ti", "gtx-1080ti", "gtx 1080 ti", "geforce1080ti"}},
    {"gtx-1080", {"gtx1080", "GTX 1080", "1080", "gtx-1080"}},
    {"titan-v", {"titanv", "Titan V", "TITAN-V", "nvidiatitanv"}},
    {"titan-rtx", {"titanrtx", "Titan RTX"}},
    {"titan-xp", {"titanxp", "titan-xp", "TitanXp"}},
    {"rtx-a6000", {"a6000", "rtxa6000", "RTX A6000", "rtx-a6000", "A6000 48GB"}},
    {"rtx-6000-ada", {"rtx6000ada", "6000ada", "rtx-6000-ada", "RTX 6000 Ada Generation"}},
    {"rtx-pro-6000-blackwell", {"rtxpro6000", "RTX PRO 6000", "rtx-pro-6000"}},
    {"v100-sxm2-16gb", {"v100", "V100", "Tesla V100", "teslav100", "v100-sxm2", "v100sxm2", "V100SXM2-16GB",
                        "v100 16g", "v100-16g",
                        "v10016gb", "V-100", "4x V100", "p3", "p3.2xlarge", "ml.p3.2xlarge", "nvidia-tesla-v100"}},
    {"v100-sxm2-32gb", {"v100-32gb", "v100 32g", "v10032gb", "V100-SXM2-32G", "p3dn", "p3dn.24xlarge"}},
    {"v100-pcie-16gb", {"v100pcie", "V100-PCIe", "v100-pcie-16g", "NC6s_v3", "Standard_NC24s_v3"}},
    {"v100s-pcie-32gb", {"v100s", "V100S", "v100s-pcie", "Tesla V100S", "v100spcie32gb", "V100 S"}},
    {"p100-sxm2-16gb", {"p100", "P100", "teslap100", "p100-sxm2"}},
    {"p100-pcie-16gb", {"p100pcie", "P100-PCIe", "p100-pcie-16g"}},
    {"k80", {"k80", "K80", "Tesla K80", "teslak80", "p2.xlarge", "p2", "NC6", "Standard_NC6"}},
    {"t4", {"t4", "T4", "Tesla T4", "teslat4", "T4 16GB", "t4-16g", "g4dn", "g4dn.xlarge", "Standard_NC4as_T4_v3"}},
    {"a100-sxm4-40gb", {"a100", "A100", "a100-40g", "A100 40GB", "a10040gb", "a100-sxm", "A100SXM", "a100-sxm4-40gb",
                        "a100 sxm4",
                        "A100-SXM-40G", "p4d", "p4d.24xlarge", "a2-highgpu-1g", "a2-highgpu", "8xA100",
                            "8x A100 40GB", "DGX A100", "HGX A100 40GB"}},
    {"a100-sxm4-80gb", {"a100-80g", "A10080GB", "a100-80gb", "A100 80 GB", "a100sxm80gb", "A100-SXM4-80G",
                        "A100 80GiB", "HGX A100 80GB", "p4de",
                        "a2-ultragpu-1g", "Standard_ND96amsr_A100_v4"}},
    {"a100-pcie-40gb", {"a100pcie", "a100-pcie", "A100-PCIe-40G"}},
    {"a100-pcie-80gb", {"a100pcie80gb", "a100-pcie-80g", "A100-80G-PCIe", "Standard_NC24ads_A100_v4",
                        "Standard_NC48ads_A100_v4",
                        "NC96ads_A100_v4"}},
    {"a2", {"a2", "A2", "NVIDIA A2", "nvidia-a2"}},
    {"a10", {"a10", "A10", "A10 24GB", "a10-24g", "Standard_NV36ads_A10_v5"}},
    {"a10g", {"a10g", "A10G", "g5", "g5.xlarge", "g5.12xlarge", "ml.g5.2xlarge"}},
    {"a30", {"a30", "A30", "a30-24g"}},
    {"a40", {"a40", "A40", "A40 48GB", "a40-48g"}},
    {"l4", {"l4", "L4", "l4-24g", "g6", "g6.xlarge", "g2-standard-4", "nvidia-l4"}},
    {"l40", {"l40", "L40", "L40 48GB", "l40-48g"}},
    {"l40s", {"l40s", "L40S", "L40-S", "l40s-48g", "g6e", "g6e.xlarge"}},
    {"h100-sxm5-80gb", {"h100", "H100", "h100-sxm", "h100sxm", "H100SXM5", "h100-80g", "H10080GB",
                        "H100 SXM5 80GB HBM3", "8xH100", "DGX H100", "hgx-h100", "NVIDIA DGX H100",
                        "p5", "p5.48xlarge", "a3-highgpu-8g", "a3-megagpu", "Standard_ND96isr_H100_v5"}},
    {"h100-pcie-80gb", {"H100PCIe", "h100-pcie", "h100pcie", "H100 PCIe", "h100pcie80gb", "NVIDIAH100PCIe",
                        "h100-pcie-80g"}},
    {"h100-nvl-94gb", {"h100nvl", "h100-nvl", "H100NVL", "h100-94g", "H100 NVL 94GB", "Standard_NC40ads_H100_v5"}},
    {"h200-sxm-141gb", {"h200", "H200", "h200-sxm", "h200sxm", "h200-141g", "DGX H200", "hgx h200", "p5en", "p5e.48xlarge"}},
    {"h200-nvl-141gb", {"h200nvl", "h200-nvl"}},
    {"gh200-480gb", {"gh200", "GH200", "gh200-480g", "NVIDIA GH200"}},
    {"b200", {"b200", "B200", "dgx-b200", "nvidia-b200", "p6-b200.48xlarge", "p6-b200"}},
    {"gb200", {"gb200", "GB200"}},
    {"gb10", {"gb10", "GB10", "dgxspark", "DGX Spark"}},
    {"mi300x", {"mi300x", "MI300X", "amd-mi300x", "AMDMI300X", "instinct mi300x", "InstinctMI300X",
                "Standard_ND96isr_MI300X_v5"}},
    {"mi250x", {"mi250x", "MI-250X"}},
    {"mi300a", {"mi300a", "MI300A", "AMD Instinct MI300A"}},
    {"mi100", {"mi100", "MI100", "AMD Instinct MI100"}},
    {"mi50-16gb", {"MI50 16GB", "AMD Radeon Instinct MI50 16GB"}},
    {"rx-7900-xtx", {"RX 7900 XTX", "rx7900xtx", "7900 XTX", "7900xtx", "AMD Radeon RX 7900 XTX", "Radeon RX7900XTX"}},
    {"rx-7900-xt", {"RX 7900 XT", "rx7900xt", "7900xt"}},
    {"rx-9070", {"RX 9070", "rx9070", "AMD Radeon RX 9070"}},
    {"rx-6800", {"RX 6800", "AMD Radeon RX 6800"}},
    {"w7900", {"W7900", "Radeon PRO W7900", "AMD Radeon Pro W7900"}},
    {"r9700", {"R9700", "Radeon AI PRO R9700"}},
    {"radeon-vii", {"Radeon VII", "radeonvii"}},
    {"agx-orin-64gb", {"orin", "agxorin", "Jetson AGX Orin"}},
    {"tpu-v3", {"tpuv3", "TPU v3", "tpu-v3", "v3-8"}},
    {"tpu-v4", {"TPU v4", "v4-8", "ct4p-hightpu-4t", "tpu-v4-podslice"}},
    {"tpu-v5e", {"TPU v5 lite", "v5e", "v5litepod-8", "v5e-8", "ct5lp-hightpu-4t", "tpu-v5-lite-podslice"}},
    {"tpu-v5p", {"TPU v5", "TPU v5p", "v5p-128", "ct5p-hightpu-4t", "tpu-v5p-slice"}},
    {"tpu-v6e", {"TPU v6 lite", "v6e-8", "ct6e-standard-8t", "tpu-v6e-slice", "Trillium"}},
    {"tpu7x", {"TPU7x", "tpu7x-standard-4t", "Ironwood"}},
    {"inferentia", {"inf1", "Inferentia", "inf1.6xlarge"}},
    {"inferentia2", {"inf2", "Inferentia2", "inf2.xlarge", "ml.inf2.48xlarge"}},
    {"trainium", {"trn1", "Trainium", "trainium1", "trn1.32xlarge", "trn1n"}},
    {"trainium2", {"trn2", "Trainium 2", "trn2.48xlarge", "trn2u"}},
    {"trainium3", {"trn3", "Trainium3"}},
    {"gaudi", {"gaudi", "gaudi1", "Intel Gaudi", "dl1.24xlarge"}},
    {"gaudi2", {"gaudi2", "Gaudi 2", "HL-225", "hl225"}},
    {"gaudi3", {"gaudi3", "Intel Gaudi 3", "HL-325L"}}};

// No model of the catalog, or a name that says none.
const std::vector<const char*> unknown{
    "", "gpu", "16gb", "40g", "80g", "pcie40g", "sxm", "v10", "v1000", "x100", "a1", "a1000", "a100x", "h10", "l",
        "l400", "g2",
    "a3", "highgpu", "standard", "100", "80", "rtx4", "rtx40", "rtx409", "rtx40900", "rtx4090d", "rtx 4090 d",
        "rtx4090laptop",
    "rtx-4090-laptop", "RTX 4090 Laptop GPU", "rtx4090ti", "rtx 4090 ti", "rtx5090ti", "RTX 5080 Super", "rtx3090super", "gtx 1080 super", "rtx 2090", "gtx1040", "v100nvl", "l4s",
        "t4s", "t40", "k8",
    "p1000", "mi300", "h100a", "7900 xtxx", "rx7950xt", "a10s", "b2000", "rtx-5090-laptop", "rtx5040", "xeon", "8x", "8xfoo"};

}  // namespace

TEST_CASE("hardware is found as people type it", "[glued_name]") {
  std::size_t count = 0;
  for (const auto& [model, names] : spellings)
    for (const char* name : names) {
      INFO(name);
      CHECK(identified(name) == model);
      ++count;
    }
  CHECK(count > 200);
}

TEST_CASE("what is another model, or none, is not found", "[glued_name]") {
  for (const char* name : unknown) {
    INFO(name);
    CHECK(identified(name) == "");
  }
}

TEST_CASE("a name that does not say which product means the plain one", "[glued_name]") {
  for (const char* name : {"4090", "rtx4090", "3090", "1080", "gtx1080", "2080", "l40", "a10"}) {
    INFO(name);
    CHECK(shipped().named(name).size() == 1);
  }
  for (const auto* model : shipped().named("rtx3080")) CHECK(model->name != "rtx-3080-laptop");
  CHECK(shipped().named("h100").size() == shipped().named("H-100").size());
  for (const char* name : {"H100PCIe", "H100 PCIe",
                           "h100-pcie"}) CHECK(shipped().named(name).size() == 1);  // not the NVL
}

TEST_CASE("run together, labels of two models are two", "[glued_name]") {
  std::map<std::string, std::string> owner;
  for (const auto& model : shipped().all()) {
    std::vector<std::string> labels{model.name, model.title};
    labels.insert(labels.end(), model.aliases.begin(), model.aliases.end());
    for (const auto& label : labels) {
      INFO(label);
      if (label.contains("MIG") || label.contains("mig")) continue;  // a slice is named with its words apart
      CHECK(owner.emplace(glued(label), model.name).first->second == model.name);
      CHECK(identified(glued(label)) == model.name);
    }
  }
}

TEST_CASE("a name is cut into whole words of a label", "[glued_name]") {
  const std::vector<std::string> words{"a100", "sxm4", "80gb"};
  for (const char* name : {"a100", "a10080gb", "a10080g", "a10080gib", "80gba100", "a100sxm", "sxm4a10080gb"})
    CHECK(is_cut_of(name, words));
  for (const char* name : {"", "a10", "a1008", "a100a100", "a10040gb", "a100sxm5",
                           "xa100"}) CHECK_FALSE(is_cut_of(name, words));
  CHECK_FALSE(is_cut_of("rtx3090", {"rtx", "3090", "ti"}));
  CHECK(is_cut_of("rtx3090ti", {"rtx", "3090", "ti"}));
  CHECK_FALSE(is_cut_of(std::string(1000, 'a'), {"a", "aa"}));
}

TEST_CASE("run together, words in a row name hardware", "[glued_name]") {
  CHECK(names_hardware("v100sxm2", "Tesla V100-SXM2-16GB"));
  CHECK(names_hardware("rtx4090", "NVIDIA GeForce RTX 4090"));
  CHECK(names_hardware("H100PCIe", "NVIDIA H100 PCIe"));
  CHECK_FALSE(names_hardware("v10016gb", "Tesla V100-SXM2-16GB"));  // not in a row
  CHECK_FALSE(names_hardware("100sxm2", "Tesla V100-SXM2-16GB"));
  CHECK_FALSE(names_hardware("v100sx", "Tesla V100-SXM2-16GB"));
  CHECK_FALSE(names_hardware("h200", "NVIDIA H200 MIG 1g.18gb"));
}

}  // namespace glued_name_tests
